// SPDX-License-Identifier: GPL-2.0-or-later
/* What a census finds in pipes, in the slabs of four kernels. */
#include <errno.h>
#include <linux/kernel-page-flags.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "fake_kernel.h"
#include "memory/census.h"
#include "memory/census_pages.h"
#include "memory/census_pipes.h"
#include "test.h"
#include "tree.h"
#include "worker/patience.h"

#define PAGE 4096ULL
/* Physical memory begins with the heap. */
#define PHYSICAL 0x100000ULL
#define FIRST (PHYSICAL / PAGE)
#define FRAMES 3000U
#define LRU (1ULL << 5)
#define RESERVED (1ULL << 12)
#define HEAD_FLAG (1ULL << KPF_COMPOUND_HEAD)
#define TAIL_FLAG (1ULL << KPF_COMPOUND_TAIL)
#define SLAB_FLAG (1ULL << KPF_SLAB)
#define RED_ZONE 64U
#define SLAB_FRAMES 4U
/* Frames that are not of the heap's slabs: their struct pages are all. */
#define DATA 2000U

struct host {
	struct fake_kernel fake;
	struct elf_segment segments[2];
	struct tree_fixture files;
	uint64_t base; /* the struct page of frame 0 */
	uint64_t pipefs, other; /* superblocks */
	uint64_t cache; /* of the inodes of both */
	uint32_t object;
	uint64_t slab; /* address of the first */
	uint64_t root; /* inode */
	struct census_pages pages;
	uint64_t flags[FRAMES];
	bool unflagged[FRAMES];
	size_t data; /* frames of it */
	int flags_fd;
};

static uint64_t page_of(const struct host *host, size_t frame)
{
	return host->base + (FIRST + frame) * fake_size(&host->fake, "page");
}

static void put(struct host *host, uint64_t object, const char *owner,
		const char *member, uint64_t word)
{
	fake_put_word(&host->fake,
		      object + fake_member(&host->fake, owner, member), word);
}

static void put_half(struct host *host, uint64_t object, const char *owner,
		     const char *member, uint32_t half)
{
	fake_put_half(&host->fake,
		      object + fake_member(&host->fake, owner, member), half);
}

/* Adds a slab of @cache, whose first object has nothing before it. */
static uint64_t add_slab(struct host *host, uint64_t cache)
{
	struct fake_kernel *fake = &host->fake;
	struct btf_struct slab = { .name = "slab" };
	uint64_t address;
	size_t frame;

	fake->heap_used = (fake->heap_used + PAGE - 1) / PAGE * PAGE;
	address = fake_alloc(fake, SLAB_FRAMES * PAGE);
	frame = (address - FAKE_HEAP) / PAGE;
	assert_true(frame + SLAB_FRAMES < DATA);
	btf_find_structs(&fake->kernel.btf, &slab, 1);
	put(host, page_of(host, frame), slab.id ? "slab" : "page", "slab_cache",
	    cache);
	host->flags[frame] = SLAB_FLAG | HEAD_FLAG;
	for (size_t i = 1; i < SLAB_FRAMES; i++)
		host->flags[frame + i] = TAIL_FLAG;
	return address;
}

static uint64_t add_inode(struct host *host, uint64_t slab, unsigned int which,
			  uint64_t superblock, uint64_t ino)
{
	uint64_t inode = slab + RED_ZONE + which * host->object;

	assert_true(RED_ZONE + (which + 1) * host->object <=
		    SLAB_FRAMES * PAGE);
	put(host, inode, "inode", "i_sb", superblock);
	put(host, inode, "inode", "i_ino", ino);
	put_half(host, inode, "inode", "i_count", 1);
	return inode;
}

/* A frame that somebody has. Returns the address of its struct page. */
static uint64_t add_data(struct host *host)
{
	size_t frame = DATA + host->data++;

	assert_true(frame < FRAMES);
	host->flags[frame] = 0;
	host->unflagged[frame] = true;
	put(host, page_of(host, frame), "page", "flags", 0);
	return page_of(host, frame);
}

/* Its ring goes round after two slots; the others have old pages. */
static uint64_t add_pipe(struct host *host, uint64_t inode, uint32_t slots,
			 uint32_t used)
{
	struct fake_kernel *fake = &host->fake;
	const uint32_t size = fake_size(fake, "pipe_buffer");
	uint64_t info = fake_alloc(fake, fake_size(fake, "pipe_inode_info"));
	uint64_t ring = fake_alloc(fake, (size_t)slots * size);

	put(host, inode, "inode", "i_pipe", info);
	put(host, info, "pipe_inode_info", "bufs", ring);
	put_half(host, info, "pipe_inode_info", "ring_size", slots);
	put_half(host, info, "pipe_inode_info", "tail", UINT32_MAX - 1);
	put_half(host, info, "pipe_inode_info", "head", used - 2);
	for (uint32_t i = 0; i < slots; i++)
		put(host, ring + ((i - 2) & (slots - 1)) * (uint64_t)size,
		    "pipe_buffer", "page", add_data(host));
	return info;
}

/* The page of the nth buffer with data. */
static uint64_t place_of_page(const struct host *host, uint64_t info,
			      uint32_t which, uint32_t slots)
{
	const struct fake_kernel *fake = &host->fake;
	uint64_t ring = fake_word(
		fake, info + fake_member(fake, "pipe_inode_info", "bufs"));

	return ring +
	       ((which - 2) & (slots - 1)) *
		       (uint64_t)fake_size(fake, "pipe_buffer") +
	       fake_member(fake, "pipe_buffer", "page");
}

static void add_root(struct host *host)
{
	uint64_t dentry =
		fake_alloc(&host->fake, fake_size(&host->fake, "dentry"));

	host->root = add_inode(host, host->slab, 3, host->pipefs, 1);
	put(host, dentry, "dentry", "d_inode", host->root);
	put(host, host->pipefs, "super_block", "s_root", dentry);
}

static void host_init(struct host *host, const char *seed)
{
	static const struct fake_superblock pipefs = {
		"pipefs", "pipefs", 0, 13, 0x50495045, 0
	};
	static const struct fake_superblock other = { "sysfs", "sysfs",	   0,
						      14,      0x62656572, 0 };
	struct fake_kernel *fake = &host->fake;
	uint32_t size;

	memset(host, 0, sizeof(*host));
	fake_kernel_init(fake, seed);
	size = fake_size(fake, "page");
	host->base = fake_alloc(fake, FRAMES * (size_t)size) - FIRST * size;
	fake_put_word(fake, fake_variable(fake, "vmemmap_base", 8), host->base);
	for (size_t i = 0; i < FRAMES; i++) {
		host->flags[i] = 1ULL << KPF_LRU;
		put(host, page_of(host, i), "page", "flags", LRU);
		put_half(host, page_of(host, i), "page", "_refcount", 1);
	}
	host->pipefs = fake_add_superblock(fake, &pipefs);
	host->other = fake_add_superblock(fake, &other);
	host->cache = fake_alloc(fake, fake_size(fake, "kmem_cache"));
	host->object = (fake_size(fake, "inode") + 2 * RED_ZONE) / 8 * 8;
	put_half(host, host->cache, "kmem_cache", "size", host->object);
	host->slab = add_slab(host, host->cache);
	add_root(host);
	fake_kernel_open(fake, true);
	host->segments[0] = (struct elf_segment){ FAKE_HEAP, UINT64_MAX, 0,
						  FAKE_HEAP_SIZE };
	host->segments[1] =
		(struct elf_segment){ FAKE_HEAP, PHYSICAL, 0, FAKE_HEAP_SIZE };
	fake->kernel.kcore.core.segments = host->segments;
	fake->kernel.kcore.core.count = COUNT_OF(host->segments);
	tree_create(&host->files.tree);
	assert_int_equal(sysroot_init(&host->files.root, host->files.tree.path,
				      NULL),
			 0);
	tree_add_text(&host->files.tree, "proc/version", "Linux");
	host->flags_fd = memfd_create("kpageflags", 0);
	assert_true(host->flags_fd >= 0);
}

static void host_deinit(struct host *host)
{
	sysroot_deinit(&host->files.root);
	tree_destroy(&host->files.tree);
	close(host->flags_fd);
	fake_kernel_deinit(&host->fake);
}

static void take(struct host *host, bool is_complete)
{
	struct census_layout layout;
	struct census_pipes *pipes;
	struct census_look look;

	assert_int_equal(pwrite(host->flags_fd, host->flags,
				sizeof(host->flags), FIRST * 8),
			 sizeof(host->flags));
	host->fake.kernel.patience = host->files.root.patience;
	census_layout_init(&layout, &host->fake.kernel.btf);
	layout.lru = LRU;
	layout.reserved = RESERVED;
	assert_int_equal(census_look_begin(&look, &host->fake.kernel, &layout,
					   &host->pages),
			 0);
	pipes = census_pipes_begin(&look, host->flags_fd);
	/* As two pieces, with the first slab in both. */
	census_pipes_look(pipes, FIRST, host->flags,
			  (host->slab - FAKE_HEAP) / PAGE + 2);
	census_look_at(&look, FIRST, host->flags, host->unflagged, FRAMES);
	census_pipes_look(pipes, FIRST + (host->slab - FAKE_HEAP) / PAGE + 2,
			  host->flags + (host->slab - FAKE_HEAP) / PAGE + 2,
			  FRAMES - (host->slab - FAKE_HEAP) / PAGE - 2);
	census_pipes_end(pipes, &host->files.root, is_complete);
	census_look_end(&look);
	assert_true(host->pages.is_known);
	/* Whatever they are, they add up. */
	assert_int_equal(host->pages.pages[CENSUS_PIPES] +
				 host->pages.pages[CENSUS_IN_USE],
			 host->data);
}

static void expect(struct host *host, int64_t pages, int64_t not_open,
		   size_t unread)
{
	take(host, true);
	if (!host->pages.looked_for[CENSUS_PIPES])
		fail_msg("%s", host->pages.why_no_pipes);
	assert_string_equal(host->pages.why_not_open, "");
	assert_int_equal(host->pages.pages[CENSUS_PIPES], pages);
	assert_int_equal(host->pages.not_open, not_open);
	assert_int_equal(host->pages.unread_pipes, unread);
}

static void expect_unknown(struct host *host, const char *why)
{
	take(host, true);
	assert_false(host->pages.looked_for[CENSUS_PIPES]);
	assert_non_null(strstr(host->pages.why_no_pipes, why));
}

static void each_kernel(void (*test)(struct host *host))
{
	for (size_t i = 0; i < COUNT_OF(fake_kernels); i++) {
		struct host host;

		host_init(&host, fake_kernels[i]);
		test(&host);
		host_deinit(&host);
	}
}

static void count_all(struct host *host)
{
	const struct tree *tree = &host->files.tree;
	uint64_t slab = add_slab(host, host->cache);
	uint64_t first = add_inode(host, host->slab, 0, host->pipefs, 77);
	uint64_t second = add_inode(host, slab, 1, host->pipefs, 78);
	uint64_t free_one = add_inode(host, slab, 2, host->pipefs, 79);
	uint64_t strange = add_inode(host, slab, 3, host->other, 80);
	uint64_t elsewhere = add_inode(host, add_slab(host, host->root), 1,
				       host->pipefs, 81);
	uint64_t last = add_inode(
		host, slab,
		(uint32_t)(SLAB_FRAMES * PAGE - RED_ZONE) / host->object - 1,
		host->pipefs, 82);

	add_inode(host, slab, 4, host->pipefs, 83); /* without a pipe yet */
	add_pipe(host, first, 8, 5);
	add_pipe(host, second, 4, 3);
	add_pipe(host, free_one, 4, 3);
	put_half(host, free_one, "inode", "i_count", 0);
	add_pipe(host, strange, 4, 3);
	add_pipe(host, elsewhere, 4, 3);
	add_pipe(host, last, 2, 0);
	tree_add_link(tree, "proc/7/fd/3", "pipe:[77]");
	tree_add_link(tree, "proc/7/fd/4", "socket:[78]");
	tree_add_link(tree, "proc/x/fd/4", "pipe:[78]");
	expect(host, 5 + 3, 3, 0);
	/* A thread whose process has lost its first one. */
	tree_add_link(tree, "proc/9/task/10/fd/0", "pipe:[78]");
	tree_add_text(tree, "proc/9/fd/.empty", "");
	expect(host, 5 + 3, 0, 0);
	put(host, first, "inode", "i_pipe", 0);
	expect(host, 3, 0, 0);
}

static void counted(void **state __attribute__((unused)))
{
	each_kernel(count_all);
}

/* What others have counts for them, and a page in two pipes only once. */
static void share(struct host *host)
{
	uint64_t open = add_pipe(
		host, add_inode(host, host->slab, 1, host->pipefs, 5), 4, 2);
	uint64_t other = add_pipe(
		host, add_inode(host, host->slab, 2, host->pipefs, 4), 4, 3);
	uint64_t shared =
		fake_word(&host->fake, place_of_page(host, open, 0, 4));
	uint64_t own = fake_word(&host->fake, place_of_page(host, other, 1, 4));

	tree_add_link(&host->files.tree, "proc/7/fd/3", "pipe:[5]");
	fake_put_word(&host->fake, place_of_page(host, other, 2, 4), shared);
	expect(host, 2 + 2, 2, 0);
	/* Of a file, of no memory, and no struct page at all. */
	put(host, own, "page", "mapping", FAKE_HEAP);
	expect(host, 2 + 1, 1, 0);
	put(host, own, "page", "mapping", 0);
	put(host, own, "page", "flags", LRU);
	expect(host, 2 + 1, 1, 0);
	put(host, own, "page", "flags", 0);
	fake_put_word(&host->fake, place_of_page(host, other, 1, 4), own + 8);
	expect(host, 2 + 1, 1, 0);
	fake_put_word(&host->fake, place_of_page(host, other, 1, 4),
		      FAKE_NOWHERE);
	expect(host, 2 + 1, 1, 0);
}

static void shared(void **state __attribute__((unused)))
{
	each_kernel(share);
}

/* Pages that are kept for the next data: one, two or as many as it counts. */
static void add_spares(struct host *host)
{
	const struct fake_kernel *fake = &host->fake;
	struct btf_struct prealloc = { .name = "anon_pipe_prealloc" };
	uint64_t info = add_pipe(
		host, add_inode(host, host->slab, 1, host->pipefs, 5), 4, 0);

	btf_find_structs(&fake->kernel.btf, &prealloc, 1);
	if (!prealloc.id) {
		put(host, info, "pipe_inode_info", "tmp_page", add_data(host));
		expect(host, 1, 1, 0);
		return;
	}
	info += fake_member(fake, "pipe_inode_info", "prealloc");
	for (uint64_t i = 0; i < 8; i++)
		fake_put_word(&host->fake, info + i * 8, add_data(host));
	put_half(host, info, "anon_pipe_prealloc", "count", 3);
	expect(host, 3, 3, 0);
	put_half(host, info, "anon_pipe_prealloc", "count", 9);
	expect(host, 0, 0, 1);
}

static void spares(void **state __attribute__((unused)))
{
	each_kernel(add_spares);
}

/* That of a pipe that cannot be is left out, and said to be. */
static void damaged(void **state __attribute__((unused)))
{
	static const struct {
		const char *member;
		uint32_t value;
	} damages[] = {
		{ "ring_size", 0 },
		{ "ring_size", 3 },
		{ "ring_size", 1U << 21 },
		{ "head", 3 },
		{ "tail", 5 },
		{ "bufs", 1 },
	};

	for (size_t i = 0; i < COUNT_OF(damages); i++) {
		struct host host;
		uint64_t inode, info;

		host_init(&host, "btf/debian-6.12");
		inode = add_inode(&host, host.slab, 0, host.pipefs, 5);
		add_pipe(&host, inode, 4, 2);
		inode = add_inode(&host, host.slab, 1, host.pipefs, 6);
		info = add_pipe(&host, inode, 4, 2);
		expect(&host, 4, 4, 0);
		put_half(&host, info, "pipe_inode_info", damages[i].member,
			 damages[i].value);
		expect(&host, 2, 2, 1);
		put(&host, inode, "inode", "i_pipe", FAKE_NOWHERE);
		expect(&host, 2, 2, 1);
		host_deinit(&host);
	}
}

static void not_found(void **state __attribute__((unused)))
{
	struct host host;
	size_t frame;

	host_init(&host, "btf/debian-6.1");
	add_data(&host);
	expect(&host, 0, 0, 0);
	frame = (host.slab - FAKE_HEAP) / PAGE;
	host.flags[frame] = 0;
	expect_unknown(&host, "slab cache");
	host.flags[frame] = SLAB_FLAG | HEAD_FLAG;
	put_half(&host, host.cache, "kmem_cache", "size", 16);
	expect_unknown(&host, "slab cache");
	put_half(&host, host.cache, "kmem_cache", "size", host.object);
	host.fake.kernel.kcore.core.count = 1;
	expect_unknown(&host, "slab cache");
	host.fake.kernel.kcore.core.count = 2;
	put(&host, host.pipefs, "super_block", "s_root", FAKE_NOWHERE);
	expect_unknown(&host, "filesystem of pipes");
	host_deinit(&host);
}

/* Neither what was not looked at nor what was not asked is 0. */
static void cut_short(void **state __attribute__((unused)))
{
	struct patience patience = { .seconds = 1e-9 };
	struct host host;

	host_init(&host, "btf/debian-6.12");
	add_pipe(&host, add_inode(&host, host.slab, 1, host.pipefs, 5), 4, 2);
	take(&host, false);
	assert_false(host.pages.looked_for[CENSUS_PIPES]);
	assert_string_equal(host.pages.why_no_pipes, PATIENCE_OVER);
	patience_begin(&patience);
	host.files.root.patience = &patience;
	expect_unknown(&host, PATIENCE_OVER);
	patience_end(&patience);
	host.files.root.patience = NULL;
	/* One process cannot be looked at. */
	tree_add_link(&host.files.tree, "proc/7/fd", "fd");
	take(&host, true);
	assert_true(host.pages.looked_for[CENSUS_PIPES]);
	assert_int_equal(host.pages.pages[CENSUS_PIPES], 2);
	assert_non_null(strstr(host.pages.why_not_open, strerror(ELOOP)));
	/* Struct pages after that of the last slab, perhaps of others. */
	add_slab(&host, host.root);
	host.fake.missing[0] =
		page_of(&host, (host.slab - FAKE_HEAP) / PAGE) / PAGE * PAGE +
		PAGE;
	expect_unknown(&host, strerror(EFAULT));
	host_deinit(&host);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(counted),   cmocka_unit_test(shared),
		cmocka_unit_test(spares),    cmocka_unit_test(damaged),
		cmocka_unit_test(not_found), cmocka_unit_test(cut_short),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
