// SPDX-License-Identifier: GPL-2.0-or-later
/* Whose cached pages are, from a whole kernel's memory: a kcore and a dump. */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "address_space.h"
#include "cgroups/charges.h"
#include "fake_host.h"
#include "filesystems/selection.h"
#include "kernel/kernel.h"
#include "lib/cleanup.h"
#include "test.h"

static void write_tree(struct fake_host *host, struct tree *tree)
{
	tree_create(tree);
	fake_kernel_write(&host->fake, tree, "proc/kcore");
	tree_add_file(tree, "sys/kernel/btf/vmlinux", host->fake.types,
		      host->fake.types_size);
	tree_add_text(tree, "proc/self/mountinfo", HOST_MOUNTS);
}

static int read_live(struct fake_host *host, struct charges *charges,
		     struct error *err)
{
	struct selection all = { 0 };
	struct sysroot root;
	struct tree tree;
	int ret;

	write_tree(host, &tree);
	assert_int_equal(sysroot_init(&root, tree.path, NULL), 0);
	ret = charges_read(charges, &root, NULL, &all, err);
	sysroot_deinit(&root);
	tree_destroy(&tree);
	return ret;
}

/* @size: bytes that are left of the file; 0: all. */
static int read_dump(struct fake_host *host, size_t size,
		     struct charges *charges, struct error *err)
{
	struct selection all = { 0 };
	struct sysroot root;
	struct tree tree;
	char path[512];
	int ret;

	write_tree(host, &tree);
	snprintf(path, sizeof(path), "%s/proc/kcore", tree.path);
	if (size)
		assert_int_equal(truncate(path, (off_t)size), 0);
	assert_int_equal(sysroot_init_empty(&root, path, NULL), 0);
	ret = charges_read(charges, &root, path, &all, err);
	sysroot_deinit(&root);
	tree_destroy(&tree);
	return ret;
}

static const struct cache *cache_of(const struct charges *charges,
				    enum cache_kind kind, unsigned int major,
				    unsigned int minor)
{
	for (size_t i = 0; i < charges->cache_count; i++) {
		const struct cache *cache = &charges->caches[i];

		if (cache->kind == kind && cache->major == major &&
		    cache->minor == minor)
			return cache;
	}
	fail_msg("no cache %u:%u", major, minor);
	return NULL;
}

/* The pages of a cache that are charged to @path; "": to nothing. */
static uint64_t pages_of(const struct charges *charges,
			 const struct cache *cache, const char *path)
{
	uint64_t pages = 0;

	for (size_t i = 0; i < charges->count; i++) {
		const struct charge *charge = &charges->list[i];
		bool owned = charge->owner != CHARGE_NO_OWNER;

		if (&charges->caches[charge->cache] == cache &&
		    strcmp(owned ? charges->owners[charge->owner].path : "",
			   path) == 0)
			pages += charge->pages;
	}
	return pages;
}

static const struct expected {
	enum cache_kind kind;
	unsigned int major, minor;
	uint64_t pages;
	const char *path;
	uint64_t charged;
} rows[] = {
	{ CACHE_DEVICE, 254, 0, 20, "/", 20 },
	{ CACHE_DEVICE, 254, 16, 100, "/system.slice", 100 },
	{ CACHE_FILESYSTEM, 254, 0, HOST_EXT4_PAGES, "/system.slice/db.service",
	  200 },
	{ CACHE_FILESYSTEM, 254, 0, HOST_EXT4_PAGES, "/old", 5 },
	{ CACHE_FILESYSTEM, 254, 0, HOST_EXT4_PAGES, "", 1 },
	{ CACHE_FILESYSTEM, 254, 16, 64, "/system.slice", 64 },
	{ CACHE_FILESYSTEM, 0, 1, 10, "/system.slice/db.service", 10 },
	{ CACHE_FILESYSTEM, 0, 30, 3, "/", 3 },
	{ CACHE_FILESYSTEM, 254, 32, 7, "/", 7 },
	{ CACHE_FILESYSTEM, 254, 48, 0, "/", 0 },
};

static void expect_rows(const struct charges *charges)
{
	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		const struct expected *row = &rows[i];
		const struct cache *cache =
			cache_of(charges, row->kind, row->major, row->minor);

		assert_string_equal(cache->why, "");
		assert_true(cache->has_pages);
		assert_int_equal(cache->pages, row->pages);
		assert_int_equal(cache->charged, row->pages);
		assert_int_equal(pages_of(charges, cache, row->path),
				 row->charged);
	}
	assert_true(charges_are_whole(charges));
	assert_int_equal(charges->page_size, 4096);
}

static void expect_owners(const struct charges *charges)
{
	static const uint64_t ids[] = { 1, 10, 11, 12 };

	assert_int_equal(charges->owner_count, COUNT_OF(ids));
	for (size_t i = 0; i < charges->owner_count; i++) {
		const struct charge_owner *owner = &charges->owners[i];
		size_t place = 0;

		while (place < COUNT_OF(ids) && ids[place] != owner->id)
			place++;
		assert_true(place < COUNT_OF(ids));
		assert_int_equal(owner->is_dead, owner->id == 12);
	}
}

/* By cache, then by pages. */
static void expect_order(const struct charges *charges)
{
	for (size_t i = 1; i < charges->count; i++) {
		const struct charge *last = &charges->list[i - 1];
		const struct charge *next = &charges->list[i];

		assert_true(last->cache < next->cache ||
			    (last->cache == next->cache &&
			     last->pages >= next->pages));
	}
}

static void real_layouts(void **state __attribute__((unused)))
{
	for (size_t i = 0; i < COUNT_OF(fake_kernels); i++) {
		struct charges charges;
		struct fake_host host;
		struct error err;

		fake_host_init(&host, fake_kernels[i]);
		if (read_live(&host, &charges, &err) < 0)
			fail_msg("%s", text_of(&err));
		expect_rows(&charges);
		expect_owners(&charges);
		expect_order(&charges);
		assert_false(charges.is_dump);
		assert_string_equal(cache_of(&charges, CACHE_FILESYSTEM, 254,
					     16)
					    ->mountpoint,
				    "/srv");
		assert_string_equal(
			cache_of(&charges, CACHE_DEVICE, 254, 16)->name, "vdb");
		charges_deinit(&charges);

		if (read_dump(&host, 0, &charges, &err) < 0)
			fail_msg("%s", text_of(&err));
		expect_rows(&charges);
		expect_owners(&charges);
		expect_order(&charges);
		assert_true(charges.is_dump);
		assert_string_equal(charges.release, "6.0-fake");
		assert_null(cache_of(&charges, CACHE_FILESYSTEM, 254, 16)
				    ->mountpoint);
		charges_deinit(&charges);
		fake_host_deinit(&host);
	}
}

/* What is not wanted is not read. A path is in a filesystem, and no device. */
static void wanted(void **state __attribute__((unused)))
{
	static const struct {
		const char *word;
		size_t caches;
	} words[] = {
		{ "254:16", 2 }, { "/srv", 1 }, { "vda", 2 }, { "none", 0 }
	};
	struct charges charges;
	struct fake_host host;
	struct sysroot root;
	struct error err;
	struct tree tree;

	fake_host_init(&host, "btf/debian-6.12");
	write_tree(&host, &tree);
	assert_int_equal(sysroot_init(&root, tree.path, NULL), 0);
	for (size_t i = 0; i < COUNT_OF(words); i++) {
		struct selection selection;
		char *word = (char *)words[i].word;

		assert_int_equal(selection_init(&selection, SELECTS_CACHES,
						&root, &word, 1, &err),
				 0);
		assert_int_equal(charges_read(&charges, &root, NULL, &selection,
					      &err),
				 0);
		assert_int_equal(charges.cache_count, words[i].caches);
		assert_int_equal(selection.list->met, words[i].caches > 0);
		selection_deinit(&selection);
		charges_deinit(&charges);
	}
	sysroot_deinit(&root);
	tree_destroy(&tree);
	fake_host_deinit(&host);
}

/* More pages than are looked up at once, of many files and two cgroups. */
static void many_pages(void **state __attribute__((unused)))
{
	struct charges charges;
	struct fake_host host;
	struct error err;

	fake_host_init(&host, "btf/debian-6.1");
	for (uint64_t i = 0; i < 9; i++) {
		const struct fake_pages pages = {
			.count = 4096,
			.charge = i % 2 ? host.slice.memcg : host.service.memcg,
		};

		fake_fill(&host.fake,
			  fake_add_inode(&host.fake, host.left, 7000 + i),
			  &pages);
	}
	if (read_live(&host, &charges, &err) < 0)
		fail_msg("%s", text_of(&err));
	const struct cache *cache =
		cache_of(&charges, CACHE_FILESYSTEM, 254, 32);

	assert_int_equal(cache->pages, 7 + 9 * 4096);
	assert_int_equal(cache->charged, 7 + 9 * 4096);
	assert_int_equal(pages_of(&charges, cache, "/system.slice"), 4 * 4096);
	assert_int_equal(pages_of(&charges, cache, "/system.slice/db.service"),
			 5 * 4096);
	charges_deinit(&charges);
	fake_host_deinit(&host);
}

/* Since Linux 7.0 a page leads to its cgroup by another object. */
static void through_an_object(void **state __attribute__((unused)))
{
	struct charges charges;
	struct fake_host host;
	struct error err;
	uint64_t object;

	fake_host_init(&host, "btf/debian-7.3");
	object = fake_alloc(&host.fake, 256);
	fake_put_word(&host.fake, object + host.fake.memcg.offset[MEMCG_OBJECT],
		      host.slice.memcg);
	fake_fill(&host.fake, fake_add_inode(&host.fake, host.unused, 8000),
		  &(struct fake_pages){ .count = 70, .charge = object | 2 });
	if (read_live(&host, &charges, &err) < 0)
		fail_msg("%s", text_of(&err));
	assert_int_equal(pages_of(&charges,
				  cache_of(&charges, CACHE_FILESYSTEM, 254, 48),
				  "/system.slice"),
			 70);
	assert_int_equal(charges.owner_count, 4);
	charges_deinit(&charges);
	fake_host_deinit(&host);
}

/* What a damage leaves of the ext4. */
struct left {
	uint64_t place, value;
	uint64_t charged; /* of HOST_EXT4_PAGES */
	const char *why; /* a part of it, or NULL */
};

static void expect_left(struct fake_host *host, const struct left *left)
{
	uint64_t right = fake_word(&host->fake, left->place);
	const struct cache *cache;
	struct charges charges;
	struct error err;

	fake_put_word(&host->fake, left->place, left->value);
	if (read_live(host, &charges, &err) < 0)
		fail_msg("%s", text_of(&err));
	cache = cache_of(&charges, CACHE_FILESYSTEM, 254, 0);
	if (left->why && !strstr(cache->why, left->why))
		fail_msg("%s, expected %s", cache->why, left->why);
	assert_int_equal(charges_are_whole(&charges), !left->why);
	if (!left->why) {
		assert_string_equal(cache->why, "");
		assert_int_equal(cache->pages, HOST_EXT4_PAGES);
		assert_int_equal(cache->charged, left->charged);
	}
	/* The others are as they were. */
	cache = cache_of(&charges, CACHE_FILESYSTEM, 254, 16);
	assert_int_equal(pages_of(&charges, cache, "/system.slice"), 64);
	fake_put_word(&host->fake, left->place, right);
	charges_deinit(&charges);
}

/*
 * Pages whose cgroup is not to be found are in the cache's sum and in no row,
 * so that what is missing shows.
 */
static void damaged(void **state __attribute__((unused)))
{
	const uint32_t *memcg, *fs;
	struct fake_host host;
	uint64_t head, node, page, links, small;

	fake_host_init(&host, "btf/debian-6.12");
	memcg = host.fake.memcg.offset;
	fs = host.fake.fs.offset;
	head = fake_tree_head(&host.fake, host.files[HOST_BIG]);
	node = fake_word(&host.fake, head) - 2;
	small = fake_tree_head(&host.fake, host.files[HOST_SMALL]);
	page = fake_word(&host.fake, small);
	links = host.files[HOST_GONE] + fs[FS_INODE_LIST];
	const struct left all[] = {
		/* A page of another cgroup, of none, and of another file. */
		{ page + memcg[MEMCG_PAGE_CHARGE], host.old.memcg,
		  HOST_EXT4_PAGES, NULL },
		{ page + memcg[MEMCG_PAGE_CHARGE], FAKE_NOWHERE,
		  HOST_EXT4_PAGES - 1, NULL },
		{ page + memcg[MEMCG_PAGE_MAPPING], host.ext4,
		  HOST_EXT4_PAGES - 1, NULL },
		{ host.service.memcg + memcg[MEMCG_CSS_CGROUP], FAKE_NOWHERE,
		  HOST_EXT4_PAGES - 200, NULL },
		{ host.service.memcg + memcg[MEMCG_CSS_SUBSYSTEM], 0,
		  HOST_EXT4_PAGES - 200, NULL },
		{ host.service.directory + memcg[MEMCG_NODE_NAME], FAKE_NOWHERE,
		  HOST_EXT4_PAGES - 200, NULL },
		/* A ring of directories. */
		{ host.service.directory + memcg[MEMCG_NODE_PARENT],
		  host.service.directory, HOST_EXT4_PAGES - 200, NULL },
		/* Nodes: none at all, of another file, one of four. */
		{ head, FAKE_NOWHERE | 2, HOST_EXT4_PAGES - 200, NULL },
		{ head,
		  fake_word(&host.fake,
			    fake_tree_head(&host.fake, host.files[HOST_DATA])),
		  HOST_EXT4_PAGES - 200, NULL },
		{ node + host.fake.tags.offset[TAGS_NODE_SLOTS] + 8, node | 2,
		  HOST_EXT4_PAGES - 64, NULL },
		/* The list of inodes: the head's end, itself, and nowhere. */
		{ links, host.ext4 + fs[FS_SB_INODES], 0, "list of inodes" },
		{ links, links, 0, "list of inodes" },
		{ links, FAKE_NOWHERE, 0, "list of inodes" },
		/* A struct page that /proc/kcore lacks. */
		{ small, FAKE_NOWHERE, 0, KERNEL_HIDES_PAGES },
		{ fake_mapping(&host.fake, host.files[HOST_BIG]) +
			  fs[FS_MAPPING_PAGES],
		  UINT64_MAX, 0, "an impossible number of pages" },
	};

	for (size_t i = 0; i < COUNT_OF(all); i++)
		expect_left(&host, &all[i]);
	fake_host_deinit(&host);
}

static void expect_error(struct fake_host *host, size_t size, int ret,
			 const char *text)
{
	struct charges charges;
	struct error err = { 0 };

	assert_int_equal(read_dump(host, size, &charges, &err), ret);
	if (!strstr(text_of(&err), text))
		fail_msg("%s, expected %s", text_of(&err), text);
	assert_int_equal(charges.cache_count, 0);
	charges_deinit(&charges);
}

/* Dumps that are cut off, and kernels whose lists of devices are damaged. */
static void damaged_dump(void **state __attribute__((unused)))
{
	struct fake_host host;
	struct charges charges;
	struct error err;
	uint64_t links;

	fake_host_init(&host, "btf/debian-6.12");
	expect_error(&host, 1, -EBADMSG, "not a dump");
	expect_error(&host, 40, -EBADMSG, "cut off");
	links = host.vda + host.fake.fs.offset[FS_INODE_LIST];
	fake_put_word(&host.fake, links, links);
	assert_int_equal(read_dump(&host, 0, &charges, &err), -EAGAIN);
	assert_non_null(strstr(text_of(&err), "list of devices"));
	charges_deinit(&charges);
	fake_host_deinit(&host);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(real_layouts),
		cmocka_unit_test(wanted),
		cmocka_unit_test(many_pages),
		cmocka_unit_test(through_an_object),
		cmocka_unit_test(damaged),
		cmocka_unit_test(damaged_dump),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
