// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <linux/kernel-page-flags.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "filesystems/kernel_filesystems.h"
#include "kernel/kernel.h"
#include "kernel/kmem.h"
#include "kernel/object.h"
#include "lib/array.h"
#include "lib/error.h"
#include "lib/lesser.h"
#include "lib/sysroot.h"
#include "memory/census_pages.h"
#include "memory/census_pipes.h"
#include "names/open_pipes.h"
#include "names/pid_namespace.h"
#include "worker/patience.h"

/* Bytes. An inode of a kernel with all debugging takes some 1,500. */
#define MOST_STRUCT 4096U
#define MOST_OBJECT 16384U
/* Frames. A slab is smaller. */
#define MOST_SLAB 1024
/* pipe-max-size may be 2 GiB, with a slot for each page. */
#define MOST_SLOTS (1U << 20)
/* Bytes of slots in one read. */
#define PIECE 16384U
#define TRIES 3
/* What a segment of /proc/kcore has for a physical address if it has none. */
#define NO_ADDRESS UINT64_MAX

enum owner { SB, DENTRY, INODE, PIPE, BUFFER, CACHE, SLAB, PAGE, OWNERS };

static const char *const owners[OWNERS] = {
	"super_block", "dentry",     "inode", "pipe_inode_info",
	"pipe_buffer", "kmem_cache", "slab",  "page",
};

enum member {
	SB_ROOT,
	DENTRY_INODE,
	INODE_SB,
	INODE_INO,
	INODE_COUNT,
	INODE_PIPE,
	PIPE_HEAD, /* since Linux 5.5 there is a ring */
	PIPE_TAIL,
	PIPE_SLOTS,
	PIPE_BUFFERS,
	PIPE_SPARES, /* pages kept for the next data; Linux 7.3 counts them */
	BUFFER_PAGE,
	CACHE_OBJECT,
	SLAB_CACHE,
	MEMBERS
};

static const struct {
	enum owner owner;
	uint32_t size; /* bytes, at least */
	const char *name;
	const char *other_name; /* in other kernels, or NULL */
} members[MEMBERS] = {
	[SB_ROOT] = { SB, 8, "s_root", NULL },
	[DENTRY_INODE] = { DENTRY, 8, "d_inode", NULL },
	[INODE_SB] = { INODE, 8, "i_sb", NULL },
	[INODE_INO] = { INODE, 8, "i_ino", NULL },
	[INODE_COUNT] = { INODE, 4, "i_count", NULL },
	[INODE_PIPE] = { INODE, 8, "i_pipe", NULL },
	[PIPE_HEAD] = { PIPE, 4, "head", NULL },
	[PIPE_TAIL] = { PIPE, 4, "tail", NULL },
	[PIPE_SLOTS] = { PIPE, 4, "ring_size", NULL },
	[PIPE_BUFFERS] = { PIPE, 8, "bufs", NULL },
	[PIPE_SPARES] = { PIPE, 8, "tmp_page",
			  "prealloc:anon_pipe_prealloc.pages" },
	[BUFFER_PAGE] = { BUFFER, 8, "page", NULL },
	[CACHE_OBJECT] = { CACHE, 4, "size", NULL },
	[SLAB_CACHE] = { SLAB, 8, "slab_cache", NULL },
};

/* Frames of one slab. */
struct slab {
	uint64_t first, count;
};

struct pipe {
	uint64_t inode, ino, info; /* info: address of the pipe_inode_info */
};

struct pipe_page {
	uint64_t page; /* address of the struct page */
	bool is_open;
};

struct census_pipes {
	struct census_look *look; /* the caller's */
	const struct kmem *kmem;
	uint64_t page_size; /* bytes */
	uint32_t offset[MEMBERS]; /* bytes */
	uint32_t inode_size, pipe_size, buffer_size; /* that are read */
	uint32_t most_spares;
	uint32_t spare_count; /* prealloc.count; 0: it has none */
	uint64_t pipefs; /* address of the superblock of all pipes */
	uint64_t cache; /* address of the kmem_cache that has their inodes */
	uint32_t object; /* bytes of an object there */
	uint64_t first_object; /* where in each slab it is, bytes */
	uint64_t direct; /* where physical address 0 would be mapped */
	bool is_within; /* the last frame was of such a slab */
	struct slab *slabs;
	size_t slab_count, slab_room;
	struct pipe *pipes;
	size_t count, room;
	struct open_pipes open;
	struct pipe_page *pages;
	size_t page_count, page_room;
	int failed; /* 0, or a negative errno: slabs are lacking */
};

/* Returns what this kernel lacks, or NULL. */
static const char *census_pipes_find_members(struct census_pipes *pipes,
					     const struct btf *btf)
{
	struct btf_struct structs[OWNERS];
	uint32_t size, unused;

	for (size_t i = 0; i < OWNERS; i++)
		structs[i].name = owners[i];
	btf_find_structs(btf, structs, OWNERS);
	/* Until Linux 5.17 a slab was described by its page. */
	if (!structs[SLAB].id)
		structs[SLAB] = structs[PAGE];
	for (size_t i = 0; i < MEMBERS; i++) {
		const struct btf_struct *owner = &structs[members[i].owner];
		uint32_t *offset = &pipes->offset[i];

		if (btf_find_renamed(btf, owner, members[i].name,
				     members[i].other_name, offset,
				     &size) < 0 ||
		    size < members[i].size || size > owner->size ||
		    *offset > owner->size - size)
			return members[i].name;
		if (i == PIPE_SPARES)
			pipes->most_spares = size / 8;
		if (members[i].owner == INODE &&
		    *offset + members[i].size > pipes->inode_size)
			pipes->inode_size = *offset + members[i].size;
	}
	if (btf_find_member(btf, &structs[PIPE],
			    "prealloc:anon_pipe_prealloc.count",
			    &pipes->spare_count, &size) < 0)
		pipes->spare_count = 0;
	pipes->pipe_size = structs[PIPE].size;
	pipes->buffer_size = structs[BUFFER].size;
	if (pipes->inode_size > MOST_STRUCT || pipes->pipe_size > MOST_STRUCT ||
	    pipes->buffer_size > PIECE ||
	    pipes->spare_count > pipes->pipe_size - 4)
		return "usual size";
	/* CONFIG_SLAB, until Linux 6.7, puts objects elsewhere than SLUB. */
	return btf_find_member(btf, &structs[CACHE], "colour", &unused,
			       &size) == 0 ?
		       "SLUB" :
		       NULL;
}

static bool census_pipes_word(const struct census_pipes *pipes, uint64_t object,
			      enum member member, uint64_t *word)
{
	return kmem_read_word(pipes->kmem, object + pipes->offset[member],
			      word) == 0;
}

/* Sets *@inode to that of the root, which is in the slab cache of all others. */
static bool census_pipes_find_root(struct census_pipes *pipes, uint64_t *inode,
				   const struct kernel *kernel)
{
	struct kernel_filesystems found;
	struct error unused;
	uint64_t root;

	if (kernel_filesystems_init(&found, kernel, &unused) == 0) {
		for (size_t i = 0; i < found.superblocks.count; i++) {
			const struct superblock *superblock =
				&found.superblocks.list[i];

			if (strcmp(superblock->type, "pipefs") == 0)
				pipes->pipefs = superblock->address;
		}
	}
	kernel_filesystems_deinit(&found);
	return pipes->pipefs &&
	       census_pipes_word(pipes, pipes->pipefs, SB_ROOT, &root) &&
	       census_pipes_word(pipes, root, DENTRY_INODE, inode);
}

/*
 * Finds where all memory is mapped as it lies in the machine, and the cache of
 * an inode, whose address is at the first frame of a slab.
 */
static bool census_pipes_find_cache(struct census_pipes *pipes, uint64_t inode,
				    const struct elf_core *core, int flags_fd)
{
	const struct census_layout *layout = &pipes->look->layout;
	const struct elf_segment *segment = core->segments;
	const struct elf_segment *end = segment + core->count;
	uint64_t frame, flags = 1ULL << KPF_COMPOUND_TAIL;

	while (segment < end && (segment->physical == NO_ADDRESS ||
				 inode - segment->address >= segment->size))
		segment++;
	if (segment == end)
		return false;
	pipes->direct = segment->address - segment->physical;
	frame = (inode - pipes->direct) / pipes->page_size + 1;
	for (int i = 0; i < MOST_SLAB && flags >> KPF_COMPOUND_TAIL & 1; i++) {
		frame--;
		if (pread(flags_fd, &flags, sizeof(flags),
			  (off_t)(frame * sizeof(flags))) != sizeof(flags))
			return false;
	}
	if (!(flags >> KPF_SLAB & 1) ||
	    !census_pipes_word(pipes, layout->base + frame * layout->size,
			       SLAB_CACHE, &pipes->cache) ||
	    kmem_read(pipes->kmem, pipes->cache + pipes->offset[CACHE_OBJECT],
		      &pipes->object, sizeof(pipes->object)) < 0 ||
	    pipes->object < pipes->inode_size || pipes->object > MOST_OBJECT)
		return false;
	/* Not 0 if objects have red zones (slab_debug=Z). */
	pipes->first_object =
		(inode - pipes->direct - frame * pipes->page_size) %
		pipes->object;
	return true;
}

static void census_pipes_free(struct census_pipes *pipes)
{
	free(pipes->slabs);
	free(pipes->pipes);
	open_pipes_deinit(&pipes->open);
	free(pipes->pages);
	free(pipes);
}

struct census_pipes *census_pipes_begin(struct census_look *look, int flags_fd)
{
	const struct kernel *kernel = look->kernel;
	struct census_pages *pages = look->pages;
	struct census_pipes *pipes = calloc(1, sizeof(*pipes));
	const size_t size = sizeof(pages->why_no_pipes);
	const char *lacks;
	uint64_t inode;

	if (!pipes) {
		snprintf(pages->why_no_pipes, size, "%s", strerror(ENOMEM));
		return NULL;
	}
	pipes->look = look;
	pipes->kmem = kernel->kmem;
	pipes->page_size = kernel->page_size;
	lacks = census_pipes_find_members(pipes, &kernel->btf);
	if (!lacks && !look->layout.has[CENSUS_PAGE_MAPPING])
		lacks = "page.mapping";
	if (lacks)
		snprintf(pages->why_no_pipes, size,
			 "this kernel's types of pipes have no %s", lacks);
	else if (!census_pipes_find_root(pipes, &inode, kernel))
		snprintf(pages->why_no_pipes, size,
			 "the filesystem of pipes was not found");
	else if (!census_pipes_find_cache(pipes, inode, &kernel->kcore.core,
					  flags_fd))
		snprintf(pages->why_no_pipes, size,
			 "the slab cache of pipes was not found");
	else
		return pipes;
	census_pipes_free(pipes);
	return NULL;
}

static void census_pipes_add_slab(struct census_pipes *pipes, uint64_t frame)
{
	if (array_make_room(&pipes->slabs, pipes->slab_count,
			    &pipes->slab_room) < 0) {
		pipes->failed = -ENOMEM;
		return;
	}
	pipes->slabs[pipes->slab_count++] = (struct slab){ frame, 1 };
	pipes->is_within = true;
}

void census_pipes_look(struct census_pipes *pipes, uint64_t first,
		       const uint64_t *flags, size_t count)
{
	struct census_look *look = pipes ? pipes->look : NULL;
	size_t begin = 0, end = 0; /* what is in the buffer */

	for (size_t i = 0; look && i < count; i++) {
		if (flags[i] >> KPF_COMPOUND_TAIL & 1) {
			if (pipes->is_within)
				pipes->slabs[pipes->slab_count - 1].count++;
			continue;
		}
		pipes->is_within = false;
		if (!(flags[i] >> KPF_SLAB & 1))
			continue;
		if (i >= end) {
			begin = i;
			end = i + census_look_read(look, first + i, count - i);
		}
		if (i >= end)
			pipes->failed = -EFAULT;
		else if (word_at(look->buffer,
				 (i - begin) * look->layout.size +
					 pipes->offset[SLAB_CACHE]) ==
			 pipes->cache)
			census_pipes_add_slab(pipes, first + i);
	}
}

/* Returns whether there is a pipe that somebody has, or the errno of reading. */
static int census_pipes_read_inode(const struct census_pipes *pipes,
				   uint64_t address, struct pipe *pipe)
{
	const uint32_t *offset = pipes->offset;
	unsigned char inode[MOST_STRUCT];
	int ret = kmem_read(pipes->kmem, address, inode, pipes->inode_size);

	if (ret < 0)
		return ret;
	*pipe = (struct pipe){
		.inode = address,
		.ino = word_at(inode, offset[INODE_INO]),
		.info = word_at(inode, offset[INODE_PIPE]),
	};
	/* A free one still has its superblock. */
	return word_at(inode, offset[INODE_SB]) == pipes->pipefs &&
	       (int32_t)half_at(inode, offset[INODE_COUNT]) > 0 && pipe->info;
}

static int census_pipes_read_slab(struct census_pipes *pipes,
				  const struct slab *slab)
{
	const uint64_t start = pipes->direct + slab->first * pipes->page_size;
	const uint64_t size =
		lesser_unsigned(slab->count, MOST_SLAB) * pipes->page_size;
	struct pipe pipe;
	int ret = 0;

	for (uint64_t at = pipes->first_object;
	     ret >= 0 && at + pipes->object <= size; at += pipes->object) {
		ret = census_pipes_read_inode(pipes, start + at, &pipe);
		if (ret != 1)
			continue;
		ret = array_make_room(&pipes->pipes, pipes->count,
				      &pipes->room);
		if (!ret)
			pipes->pipes[pipes->count++] = pipe;
	}
	return ret < 0 ? ret : 0;
}

static int census_pipes_find(struct census_pipes *pipes,
			     struct patience *patience)
{
	int ret = pipes->failed;

	for (size_t i = 0; !ret && i < pipes->slab_count; i++)
		ret = patience_step(patience) ?:
			      census_pipes_read_slab(pipes, &pipes->slabs[i]);
	return ret;
}

/* Finds which of them some process has open, or says why that is unknown. */
static void census_pipes_find_open(struct census_pipes *pipes,
				   const struct sysroot *root)
{
	struct census_pages *pages = pipes->look->pages;
	int ret = open_pipes_init(&pipes->open, root);

	if (ret < 0)
		snprintf(pages->why_not_open, sizeof(pages->why_not_open),
			 "what processes have open: %s", kmem_strerror(ret));
	else if (sysroot_is_live(root) && pid_namespace_here().is_foreign)
		snprintf(pages->why_not_open, sizeof(pages->why_not_open),
			 "%s are not seen", PROCESSES_OUTSIDE);
}

static int census_pipes_add_page(struct census_pipes *pipes, uint64_t page)
{
	if (!page)
		return 0;
	if (array_make_room(&pipes->pages, pipes->page_count,
			    &pipes->page_room) < 0)
		return -ENOMEM;
	pipes->pages[pipes->page_count++].page = page;
	return 0;
}

/* Returns -EAGAIN if it changed meanwhile, or is damaged. */
static int census_pipes_add_pages(struct census_pipes *pipes, uint64_t pipe)
{
	const uint32_t *offset = pipes->offset;
	const uint32_t size = pipes->buffer_size;
	unsigned char info[MOST_STRUCT], piece[PIECE];
	uint32_t slots, tail, used, spares = pipes->most_spares;
	int ret = kmem_read(pipes->kmem, pipe, info, pipes->pipe_size);

	if (ret < 0)
		return ret;
	slots = half_at(info, offset[PIPE_SLOTS]);
	tail = half_at(info, offset[PIPE_TAIL]);
	used = half_at(info, offset[PIPE_HEAD]) - tail;
	if (pipes->spare_count)
		spares = half_at(info, pipes->spare_count);
	if (!slots || slots & (slots - 1) || slots > MOST_SLOTS ||
	    used > slots || spares > pipes->most_spares)
		return -EAGAIN;
	for (uint32_t i = 0; !ret && i < spares; i++)
		ret = census_pipes_add_page(
			pipes, word_at(info, offset[PIPE_SPARES] + i * 8));
	for (uint32_t i = 0, some; !ret && i < used; i += some) {
		uint32_t slot = (tail + i) & (slots - 1);

		some = (uint32_t)lesser(lesser(used - i, slots - slot),
					PIECE / size);
		ret = kmem_read(pipes->kmem,
				word_at(info, offset[PIPE_BUFFERS]) +
					(uint64_t)slot * size,
				piece, (size_t)some * size);
		for (uint32_t j = 0; !ret && j < some; j++)
			ret = census_pipes_add_page(
				pipes,
				word_at(piece, j * size + offset[BUFFER_PAGE]));
	}
	return ret;
}

/* One that was freed since it was found has no pages. */
static int census_pipes_read_pipe(struct census_pipes *pipes,
				  const struct pipe *pipe)
{
	const bool is_open = open_pipes_has(&pipes->open, pipe->ino);
	const size_t before = pipes->page_count;
	struct pipe again;
	int ret = -EAGAIN;

	for (int i = 0; ret == -EAGAIN && i < TRIES; i++) {
		pipes->page_count = before;
		if (census_pipes_read_inode(pipes, pipe->inode, &again) != 1 ||
		    again.ino != pipe->ino || again.info != pipe->info)
			return 0;
		ret = census_pipes_add_pages(pipes, pipe->info);
		if (ret == -EFAULT)
			ret = -EAGAIN;
	}
	if (ret == -EAGAIN) {
		pipes->page_count = before;
		pipes->look->pages->unread_pipes++;
		ret = 0;
	}
	for (size_t i = before; i < pipes->page_count; i++)
		pipes->pages[i].is_open = is_open;
	return ret;
}

/* A page in several pipes counts for one that is open. */
static int census_pipes_by_page(const void *left, const void *right)
{
	const struct pipe_page *a = left, *b = right;

	if (a->page != b->page)
		return a->page < b->page ? -1 : 1;
	return b->is_open - a->is_open;
}

/* What was spliced has pages of others, which are no data of pipes. */
static int census_pipes_count(struct census_pipes *pipes,
			      struct patience *patience)
{
	struct census_pages *pages = pipes->look->pages;
	int64_t *const counted = &pages->pages[CENSUS_PIPES];
	uint64_t before = 0;
	int ret = 0;

	for (size_t i = 0; !ret && i < pipes->count; i++)
		ret = patience_step(patience) ?:
			      census_pipes_read_pipe(pipes, &pipes->pipes[i]);
	if (pipes->page_count)
		qsort(pipes->pages, pipes->page_count, sizeof(*pipes->pages),
		      census_pipes_by_page);
	for (size_t i = 0; !ret && i < pipes->page_count; i++) {
		const struct pipe_page *page = &pipes->pages[i];

		ret = patience_step(patience);
		if (page->page != before &&
		    census_look_in_use(pipes->look, page->page)) {
			++*counted;
			pages->not_open += !page->is_open;
		}
		before = page->page;
	}
	/* When the time is over, nothing could be read any more. */
	ret = ret ?: patience_look(patience);
	/* Pipes may have grown since their frames were looked at. */
	*counted = ret ? 0 : lesser(*counted, pages->pages[CENSUS_IN_USE]);
	pages->not_open = lesser(pages->not_open, *counted);
	pages->pages[CENSUS_IN_USE] -= *counted;
	return ret;
}

void census_pipes_end(struct census_pipes *pipes, const struct sysroot *root,
		      bool is_complete)
{
	struct patience *patience = root->patience;
	struct census_pages *pages = pipes ? pipes->look->pages : NULL;
	/* The census may have taken the time of a walk already. */
	const bool is_late = patience && patience->seconds <= 0;
	int64_t usual_ns = 0;
	int ret;

	if (!pipes)
		return;
	ret = is_complete ? census_pipes_find(pipes, patience) : -ETIMEDOUT;
	if (is_late)
		usual_ns = patience_hurry(patience, PATIENCE_WALK_MS);
	if (!ret)
		census_pipes_find_open(pipes, root);
	if (is_late)
		patience_calm(patience, usual_ns);
	if (!ret)
		ret = census_pipes_count(pipes, patience);
	pages->looked_for[CENSUS_PIPES] = !ret;
	if (ret < 0)
		snprintf(pages->why_no_pipes, sizeof(pages->why_no_pipes), "%s",
			 kmem_strerror(ret));
	census_pipes_free(pipes);
}
