// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <stddef.h>
#include <unistd.h>

#include "kernel/btf.h"
#include "kernel/kernel.h"
#include "kernel/kmem.h"
#include "kernel/object.h"
#include "kernel/page_walk.h"
#include "kernel/xfs_buffers.h"
#include "lib/error.h"
#include "worker/patience.h"

/* _XBF_PAGES: the buffer has pages of its own, and is not in slab. */
#define XFS_HAS_PAGES (1U << 20)
/* A buffer has at most some blocks of 64 KiB. */
#define XFS_MOST_PAGES 1024U
/* Bytes. A mount has some 3,500 and a buffer some 400. */
#define XFS_MOST_STRUCT 65536U
#define XFS_MOST_BUFFER 4096U
#define XFS_MOST_BUCKETS (1U << 26)
/* A table grows before its chains have more than one buffer on average. */
#define XFS_MOST_CHAIN 256
/* The figure is right within this part of it, though buffers come and go. */
#define XFS_BROKEN_PART 64
#define XFS_MOST_GROUP_NODES 1024U
/* A table that grows or shrinks has done so within some milliseconds. */
#define XFS_MOST_TRIES 3
#define XFS_TRY_AGAIN_US 2000
#define XFS_BLOCK 512ULL /* bytes; b_length counts these */
/* What a segment of /proc/kcore has for a physical address if it has none. */
#define XFS_NO_ADDRESS UINT64_MAX
/* Words in one read. */
#define XFS_PIECE 512U

enum xfs_owner {
	XFS_SUPER_BLOCK,
	XFS_XARRAY,
	XFS_RHASHTABLE,
	XFS_BUCKET_TABLE,
	XFS_KERNEL_OWNERS,
	XFS_MOUNT = XFS_KERNEL_OWNERS,
	XFS_PERAG,
	XFS_BUF,
	XFS_BUF_CACHE,
	XFS_BUFTARG,
	XFS_OWNERS
};

static const char *const xfs_owners[XFS_OWNERS] = {
	"super_block", "xarray",  "rhashtable",	   "bucket_table", "xfs_mount",
	"xfs_perag",   "xfs_buf", "xfs_buf_cache", "xfs_buftarg",
};

/* Which kernels have a member. */
enum xfs_form { XFS_ALWAYS, XFS_BY_GROUP, XFS_BY_TARGET };

static const struct xfs_place {
	enum xfs_owner owner;
	enum xfs_form form;
	uint32_t size; /* bytes, at least */
	const char *name;
	const char *other_name; /* in other kernels, or NULL */
} xfs_places[XFS_MEMBERS] = {
	[XFS_SB_MOUNT] = { XFS_SUPER_BLOCK, XFS_ALWAYS, 8, "s_fs_info", NULL },
	[XFS_MOUNT_SB] = { XFS_MOUNT, XFS_ALWAYS, 8, "m_super", NULL },
	[XFS_MOUNT_GROUPS] = { XFS_MOUNT, XFS_BY_GROUP, 16, "m_perags",
			       "m_perag_tree" },
	[XFS_TREE_HEAD] = { XFS_XARRAY, XFS_BY_GROUP, 8, "xa_head", NULL },
	[XFS_GROUP_MOUNT] = { XFS_PERAG, XFS_BY_GROUP, 8, "pag_mount", NULL },
	[XFS_GROUP_CACHE] = { XFS_PERAG, XFS_BY_GROUP, 8, "pag_bcache",
			      "pag_buf_hash" },
	[XFS_CACHE_HASH] = { XFS_BUF_CACHE, XFS_BY_GROUP, 8, "bc_hash", NULL },
	[XFS_HASH_TABLE] = { XFS_RHASHTABLE, XFS_ALWAYS, 8, "tbl", NULL },
	[XFS_TABLE_SIZE] = { XFS_BUCKET_TABLE, XFS_ALWAYS, 4, "size", NULL },
	[XFS_TABLE_NEST] = { XFS_BUCKET_TABLE, XFS_ALWAYS, 4, "nest", NULL },
	[XFS_TABLE_NEXT] = { XFS_BUCKET_TABLE, XFS_ALWAYS, 8, "future_tbl",
			     NULL },
	[XFS_TABLE_BUCKETS] = { XFS_BUCKET_TABLE, XFS_ALWAYS, 0, "buckets",
				NULL },
	[XFS_MOUNT_TARGET] = { XFS_MOUNT, XFS_BY_TARGET, 8, "m_ddev_targp",
			       NULL },
	[XFS_MOUNT_RT_TARGET] = { XFS_MOUNT, XFS_BY_TARGET, 8, "m_rtdev_targp",
				  NULL },
	[XFS_TARGET_HASH] = { XFS_BUFTARG, XFS_BY_TARGET, 8, "bt_hash", NULL },
	[XFS_BUFFER_LINK] = { XFS_BUF, XFS_ALWAYS, 8, "b_rhash_head", NULL },
	[XFS_BUFFER_MOUNT] = { XFS_BUF, XFS_ALWAYS, 8, "b_mount", NULL },
	[XFS_BUFFER_GROUP] = { XFS_BUF, XFS_BY_GROUP, 8, "b_pag", NULL },
	[XFS_BUFFER_FLAGS] = { XFS_BUF, XFS_BY_GROUP, 4, "b_flags", NULL },
	[XFS_BUFFER_PAGES] = { XFS_BUF, XFS_BY_GROUP, 4, "b_page_count", NULL },
	[XFS_BUFFER_ADDRESS] = { XFS_BUF, XFS_BY_TARGET, 8, "b_addr", NULL },
	[XFS_BUFFER_LENGTH] = { XFS_BUF, XFS_BY_TARGET, 4, "b_length", NULL },
};

static bool xfs_find_member(struct xfs_layout *layout, enum xfs_member which,
			    const struct btf *btf,
			    const struct btf_struct *owner)
{
	const struct xfs_place *place = &xfs_places[which];
	uint32_t *offset = &layout->offset[which], size;

	return btf_find_renamed(btf, owner, place->name, place->other_name,
				offset, &size) == 0 &&
	       size >= place->size && size <= owner->size &&
	       *offset <= owner->size - size && owner->size <= XFS_MOST_STRUCT;
}

static bool xfs_find_members(struct xfs_layout *layout,
			     const struct btf *kernel, const struct btf *xfs)
{
	struct btf_struct owners[XFS_OWNERS];

	for (size_t i = 0; i < XFS_OWNERS; i++)
		owners[i].name = xfs_owners[i];
	btf_find_structs(kernel, owners, XFS_KERNEL_OWNERS);
	btf_find_structs(xfs, owners + XFS_KERNEL_OWNERS,
			 XFS_OWNERS - XFS_KERNEL_OWNERS);
	layout->is_by_target = xfs_find_member(layout, XFS_TARGET_HASH, xfs,
					       &owners[XFS_BUFTARG]);
	for (size_t i = 0; i < XFS_MEMBERS; i++) {
		const enum xfs_owner owner = xfs_places[i].owner;
		const uint32_t *offset = &layout->offset[i];

		/* Until xfs_buf_cache came, the hash was in the group itself. */
		if (xfs_places[i].form == (layout->is_by_target ?
						   XFS_BY_GROUP :
						   XFS_BY_TARGET) ||
		    (owner == XFS_BUF_CACHE && !owners[owner].id))
			continue;
		if (!xfs_find_member(layout, i,
				     owner < XFS_KERNEL_OWNERS ? kernel : xfs,
				     &owners[owner]))
			return false;
		if (owner == XFS_BUF &&
		    *offset + xfs_places[i].size > layout->buffer_size)
			layout->buffer_size = *offset + xfs_places[i].size;
	}
	return layout->buffer_size <= XFS_MOST_BUFFER;
}

int xfs_layout_init(struct xfs_layout *layout, const struct btf *kernel,
		    const void *types, size_t size, struct error *err)
{
	struct btf btf = { 0 };
	int ret = types ? btf_init_module(&btf, kernel, types, size, err) : 0;

	*layout = (struct xfs_layout){ 0 };
	page_tags_layout_init(&layout->tags, kernel);
	if (!ret && !xfs_find_members(layout, kernel, types ? &btf : kernel))
		ret = btf_failed(kernel, err) ?:
			      types ? btf_failed(&btf, err) ?: -ENOENT :
				      -ENOENT;
	btf_deinit(&btf);
	return ret;
}

struct xfs_walk {
	const struct kernel *kernel;
	const struct kmem *kmem;
	const struct xfs_layout *layout;
	const uint32_t *offset;
	uint64_t mount, group; /* whose buffers these are */
	uint64_t chains, broken; /* read, and not to their end */
	uint64_t groups; /* that were met */
	struct xfs_buffers *buffers;
};

/* What is damaged is left out. */
static int xfs_leave_out(struct xfs_walk *walk, int ret)
{
	walk->buffers->is_part = true;
	return ret == -ETIMEDOUT ? ret : 0;
}

/* Whether it is memory as it lies in the machine, and not mapped elsewhere. */
static bool xfs_is_direct(const struct elf_core *core, uint64_t address)
{
	for (size_t i = 0; i < core->count; i++) {
		const struct elf_segment *segment = &core->segments[i];

		if (segment->physical != XFS_NO_ADDRESS &&
		    address - segment->address < segment->size)
			return true;
	}
	return false;
}

/*
 * Since a buffer is one piece, vmalloc has those that are no power of two or
 * found no such piece. Of smaller ones than a page slab has the powers of two.
 */
static uint64_t xfs_pages_of(const struct xfs_walk *walk,
			     const unsigned char *buffer)
{
	const uint64_t page_size = walk->kernel->page_size;
	const uint32_t *offset = walk->offset;
	uint64_t bytes;

	if (!walk->layout->is_by_target)
		return half_at(buffer, offset[XFS_BUFFER_FLAGS]) &
				       XFS_HAS_PAGES ?
			       half_at(buffer, offset[XFS_BUFFER_PAGES]) :
			       0;
	if (!xfs_is_direct(&walk->kernel->kcore.core,
			   word_at(buffer, offset[XFS_BUFFER_ADDRESS])))
		return 0;
	bytes = half_at(buffer, offset[XFS_BUFFER_LENGTH]) * XFS_BLOCK;
	if (bytes < page_size && bytes & (bytes - 1))
		bytes = page_size;
	return bytes / page_size;
}

static bool xfs_add_buffer(struct xfs_walk *walk, const unsigned char *buffer)
{
	const uint32_t *offset = walk->offset;
	const uint64_t pages = xfs_pages_of(walk, buffer);

	/* Its slab serves all filesystems. */
	if (word_at(buffer, offset[XFS_BUFFER_MOUNT]) != walk->mount ||
	    (!walk->layout->is_by_target &&
	     word_at(buffer, offset[XFS_BUFFER_GROUP]) != walk->group) ||
	    pages > XFS_MOST_PAGES)
		return false;
	walk->buffers->pages += pages;
	return true;
}

/*
 * The last buffer of a chain has an odd link. One that is freed meanwhile ends
 * the chain.
 */
static int xfs_count_chain(struct xfs_walk *walk, uint64_t link)
{
	unsigned char buffer[XFS_MOST_BUFFER];
	int ret = 0;

	walk->chains += link != 0;
	for (int i = 0; i < XFS_MOST_CHAIN; i++) {
		if (!link || link & 1)
			return 0;
		ret = kmem_read(walk->kmem,
				link - walk->offset[XFS_BUFFER_LINK], buffer,
				walk->layout->buffer_size);
		if (ret < 0 || !xfs_add_buffer(walk, buffer))
			break;
		link = word_at(buffer, walk->offset[XFS_BUFFER_LINK]);
	}
	walk->broken++;
	return ret == -ETIMEDOUT ? ret : 0;
}

static int xfs_count_buckets(struct xfs_walk *walk, uint64_t buckets,
			     uint32_t count)
{
	uint64_t words[XFS_PIECE];
	int ret = 0;

	for (uint32_t i = 0, some; !ret && i < count; i += some) {
		some = count - i < XFS_PIECE ? count - i : XFS_PIECE;
		ret = patience_walk(walk->kernel->patience);
		if (!ret)
			ret = kmem_read(walk->kmem,
					buckets + i * sizeof(*words), words,
					some * sizeof(*words));
		/* The lowest bit of a bucket is its lock. */
		for (uint32_t j = 0; !ret && j < some; j++)
			ret = xfs_count_chain(walk, words[j] & ~1ULL);
	}
	return ret < 0 ? xfs_leave_out(walk, ret) : 0;
}

/* Where a hash table is, and the one that its buffers move to, or 0. */
struct xfs_table {
	uint64_t at, next;
};

static int xfs_find_table(struct xfs_table *table, const struct xfs_walk *walk,
			  uint64_t hash)
{
	int ret = kmem_read_word(walk->kmem, hash, &table->at);

	return ret   ?:
		       kmem_read_word(walk->kmem,
				      table->at + walk->offset[XFS_TABLE_NEXT],
				      &table->next);
}

/*
 * Few tables have their buckets in pieces (nest), and only until memory is
 * found for one without.
 */
static int xfs_count_table(struct xfs_walk *walk, uint64_t table)
{
	const uint32_t *offset = walk->offset;
	uint32_t size, nest;
	int ret = kmem_read(walk->kmem, table + offset[XFS_TABLE_SIZE], &size,
			    sizeof(size));

	if (!ret)
		ret = kmem_read(walk->kmem, table + offset[XFS_TABLE_NEST],
				&nest, sizeof(nest));
	if (ret < 0 || nest || !size || size > XFS_MOST_BUCKETS)
		return xfs_leave_out(walk, ret);
	return xfs_count_buckets(walk, table + offset[XFS_TABLE_BUCKETS], size);
}

/*
 * @hash: the address of the pointer to its table. Buffers that move to a larger
 * or smaller table meanwhile would be met twice, or not at all.
 */
static int xfs_count_hash(struct xfs_walk *walk, uint64_t hash)
{
	const struct xfs_buffers before = *walk->buffers;
	struct xfs_table table = { 0 }, after;
	int ret = 0;

	for (int i = 0; !ret && i < XFS_MOST_TRIES; i++) {
		*walk->buffers = before;
		ret = xfs_find_table(&table, walk, hash);
		if (!ret)
			ret = xfs_count_table(walk, table.at);
		if (!ret)
			ret = xfs_find_table(&after, walk, hash);
		if (!ret && !table.next && !after.next && table.at == after.at)
			return 0;
		usleep(XFS_TRY_AGAIN_US);
	}
	return xfs_leave_out(walk, ret);
}

static int xfs_count_group(void *data, uint64_t index, uint64_t group,
			   uint64_t pages)
{
	struct xfs_walk *walk = data;
	const uint32_t *offset = walk->offset;
	uint64_t mount;
	int ret = patience_walk(walk->kernel->patience);

	(void)index;
	(void)pages;
	walk->group = group;
	walk->groups++;
	if (!ret)
		ret = kmem_read_word(walk->kmem,
				     group + offset[XFS_GROUP_MOUNT], &mount);
	if (ret < 0 || mount != walk->mount)
		return xfs_leave_out(walk, ret);
	return xfs_count_hash(walk, group + offset[XFS_GROUP_CACHE] +
					    offset[XFS_CACHE_HASH] +
					    offset[XFS_HASH_TABLE]);
}

static int xfs_count_groups(struct xfs_walk *walk, struct xfs_layout *layout)
{
	struct page_walk groups = {
		.kmem = walk->kmem,
		.layout = &layout->tags,
		.nodes = XFS_MOST_GROUP_NODES,
		.visit = xfs_count_group,
		.data = walk,
	};
	struct page_tree tree = {
		.mapping = walk->mount + walk->offset[XFS_MOUNT_GROUPS],
	};
	int ret = kmem_read_word(walk->kmem,
				 tree.mapping + walk->offset[XFS_TREE_HEAD],
				 &tree.head);

	if (!ret)
		ret = page_walk_tree(&groups, &tree);
	/* Each filesystem has some. */
	walk->buffers->is_part |= !walk->groups;
	return ret;
}

/* The log has no buffers in a table. */
static int xfs_count_targets(struct xfs_walk *walk)
{
	const uint32_t *offset = walk->offset;
	uint64_t main, realtime;
	int ret = kmem_read_word(walk->kmem,
				 walk->mount + offset[XFS_MOUNT_TARGET], &main);

	if (!ret)
		ret = kmem_read_word(walk->kmem,
				     walk->mount + offset[XFS_MOUNT_RT_TARGET],
				     &realtime);
	if (!ret)
		ret = xfs_count_hash(walk, main + offset[XFS_TARGET_HASH] +
						   offset[XFS_HASH_TABLE]);
	if (!ret && realtime && realtime != main)
		ret = xfs_count_hash(walk, realtime + offset[XFS_TARGET_HASH] +
						   offset[XFS_HASH_TABLE]);
	return ret;
}

int xfs_buffers_count(struct xfs_buffers *buffers, const struct kernel *kernel,
		      struct xfs_layout *layout, uint64_t superblock)
{
	const uint32_t *offset = layout->offset;
	struct xfs_walk walk = {
		.kernel = kernel,
		.kmem = kernel->kmem,
		.layout = layout,
		.offset = offset,
		.buffers = buffers,
	};
	uint64_t back;
	int ret = kmem_read_word(walk.kmem, superblock + offset[XFS_SB_MOUNT],
				 &walk.mount);

	*buffers = (struct xfs_buffers){ 0 };
	if (!ret)
		ret = kmem_read_word(walk.kmem,
				     walk.mount + offset[XFS_MOUNT_SB], &back);
	if (!ret && back != superblock)
		ret = -ESTALE;
	if (!ret)
		ret = layout->is_by_target ? xfs_count_targets(&walk) :
					     xfs_count_groups(&walk, layout);
	buffers->is_part |= walk.broken > walk.chains / XFS_BROKEN_PART;
	return ret;
}
