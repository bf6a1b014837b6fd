// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/error.h"
#include "memory/kernel_lists.h"
#include "memory/memory_owners.h"
#include "memory/memory_reading.h"
#include "owners/owners.h"
#include "test.h"
#include "tree.h"
#include "worker/patience.h"

static int set_up(void **state)
{
	static struct tree_fixture fixture;

	tree_create(&fixture.tree);
	assert_int_equal(sysroot_init(&fixture.root, fixture.tree.path, NULL),
			 0);
	*state = &fixture;
	return 0;
}

static void add(struct memory_owner_list *list, const char *name, int64_t bytes)
{
	assert_int_equal(memory_owner_add(list, strdup(name), bytes, 0), 0);
}

/* The owners of a list, with their sizes, as one text. */
static const char *owners_of(const struct memory_owner_list *list)
{
	static char text[1024];
	size_t length = 0;

	*text = '\0';
	for (size_t i = 0; i < list->count; i++)
		length += (size_t)snprintf(text + length, sizeof(text) - length,
					   "%s%s %lld", i ? ", " : "",
					   list->owners[i].name,
					   (long long)list->owners[i].bytes);
	return text;
}

static const struct memory_owner_list *
list_of(const struct memory_owners *owners, enum memory_head_id head,
	enum memory_owner_kind kind)
{
	for (size_t i = 0; i < MEMORY_OWNER_LISTS; i++) {
		if (memory_owner_info(i)->head == head &&
		    memory_owner_info(i)->kind == kind)
			return &owners->lists[i];
	}
	fail();
	return NULL;
}

static void find(struct memory_owners *owners, const struct sysroot *root,
		 const char *words, size_t top)
{
	struct memory_owners_asked asked = { 0 };
	struct error err;

	assert_int_equal(memory_owners_parse(&asked, words, &err), 0);
	memory_owners_ask(owners, &asked, top, 4096);
	assert_int_equal(owners_find(owners, root, false, &err), 0);
}

static void words(void **state __attribute__((unused)))
{
	struct memory_owners_asked asked = { 0 };
	struct error err;

	assert_int_equal(memory_owners_parse(&asked, "slab,programs", &err), 0);
	assert_true(asked.heads[MEMORY_HEAD_SLAB_RECLAIMABLE]);
	assert_true(asked.heads[MEMORY_HEAD_SLAB_UNRECLAIMABLE]);
	assert_true(asked.heads[MEMORY_HEAD_PROGRAMS]);
	assert_false(asked.heads[MEMORY_HEAD_SHARED]);
	assert_false(asked.heads[MEMORY_HEADS]);
	assert_int_equal(memory_owners_parse(&asked, "unaccounted", &err), 0);
	assert_true(asked.heads[MEMORY_HEADS]);
	/* Nobody owns free pages, and an empty word is none. */
	assert_int_equal(memory_owners_parse(&asked, "free", &err), -EINVAL);
	assert_int_equal(memory_owners_parse(&asked, "programs,", &err),
			 -EINVAL);
	assert_int_equal(memory_owners_parse(&asked, "", &err), -EINVAL);
	assert_int_equal(memory_owners_parse(&asked, "all", &err), 0);
	assert_true(asked.heads[MEMORY_HEAD_SHARED]);
	assert_false(asked.heads[MEMORY_HEAD_FREE]);
}

static void the_largest_are_kept(void **state __attribute__((unused)))
{
	struct memory_owners owners = { 0 };
	struct memory_owner_list *list = &owners.lists[0];

	add(list, "b", 5);
	add(list, "c", 9);
	add(list, "a", 5);
	add(list, "d", 1);
	assert_int_equal(memory_owner_list_cut(list, 2), 0);
	assert_string_equal(owners_of(list), "c 9, a 5");
	assert_int_equal(list->others, 2);
	assert_int_equal(list->others_bytes, 6);
	memory_owners_deinit(&owners);
}

static void add_below(struct memory_owner_list *list, const char *name,
		      int64_t bytes, unsigned int depth)
{
	add(list, name, bytes);
	list->owners[list->count - 1].depth = depth;
}

/* Each before those below it, and those of one by size. */
static void a_tree_is_sorted(void **state __attribute__((unused)))
{
	struct memory_owners owners = { 0 };
	struct memory_owner_list *list = &owners.lists[0];

	add_below(list, "/a", 7, 0);
	add_below(list, "/a/b", 2, 1);
	add_below(list, "/a/b/c", 1, 2);
	add_below(list, "/a/b/d", 2, 2);
	add_below(list, "/a/e", 5, 1);
	add_below(list, "/f", 9, 0);
	add_below(list, "/f/g/h", 3, 2);
	add_below(list, "/f/i", 4, 1);
	assert_int_equal(memory_owner_list_cut(list, 8), 0);
	assert_string_equal(owners_of(list),
			    "/f 9, /f/i 4, /f/g/h 3, /a 7, /a/e 5, /a/b 2, "
			    "/a/b/d 2, /a/b/c 1");
	memory_owners_deinit(&owners);
}

/* That with the largest owner stands first. */
static void lists_are_sorted(void **state __attribute__((unused)))
{
	struct memory_owners_asked asked = {
		.heads = { [MEMORY_HEAD_SHARED] = true },
	};
	struct memory_owners owners;
	size_t order[MEMORY_OWNER_LISTS];
	size_t count;

	memory_owners_ask(&owners, &asked, 5, 4096);
	assert_int_equal(memory_owners_of(&owners, MEMORY_HEADS, order), 0);
	count = memory_owners_of(&owners, MEMORY_HEAD_SHARED, order);
	assert_true(count > 4);
	add(&owners.lists[order[1]], "some", 5);
	add(&owners.lists[order[count - 1]], "most", 9);
	add(&owners.lists[order[count - 1]], "least", 1);
	assert_int_equal(memory_owners_of(&owners, MEMORY_HEAD_SHARED, order),
			 count);
	assert_string_equal(owners.lists[order[0]].owners->name, "most");
	assert_string_equal(owners.lists[order[1]].owners->name, "some");
	for (size_t i = 2; i < count; i++)
		assert_int_equal(owners.lists[order[i]].count, 0);
	memory_owners_deinit(&owners);
}

/* What is above is never left out in favour of what is as large and below. */
static void a_tree_stays_one(void **state __attribute__((unused)))
{
	struct memory_owners owners = { 0 };
	struct memory_owner_list *list = &owners.lists[0];

	add_below(list, "/a", 7, 0);
	add_below(list, "/a/b", 7, 1);
	add_below(list, "/a/b/c", 7, 2);
	add_below(list, "/d", 9, 0);
	add_below(list, "/d/e", 2, 1);
	assert_int_equal(memory_owner_list_cut(list, 3), 0);
	assert_string_equal(owners_of(list), "/d 9, /a 7, /a/b 7");
	assert_int_equal(list->others, 2);
	memory_owners_deinit(&owners);
}

static void add_process(struct tree_fixture *fixture, const char *pid,
			const char *text)
{
	char path[64];

	snprintf(path, sizeof(path), "proc/%s/status", pid);
	tree_add_text(&fixture->tree, path, text);
}

static void processes(void **state)
{
	struct tree_fixture *fixture = *state;
	struct memory_owners owners;

	add_process(fixture, "10",
		    "Name:\tbig one\nVmPTE:\t      40 kB\n"
		    "RssAnon:\t  100 kB\nRssShmem:\t  0 kB\nVmSwap:\t 8 kB\n");
	add_process(fixture, "9",
		    "Name:\tRssAnon: 5\nVmPTE:\t 44 kB\nRssAnon:\t  300 kB\n");
	/* A kernel thread has none of it. */
	add_process(fixture, "2", "Name:\tkthreadd\nThreads:\t1\n");
	add_process(fixture, "self", "Name:\tself\nRssAnon:\t  999 kB\n");
	find(&owners, &fixture->root, "programs,page_tables,huge_pages", 5);
	assert_string_equal(owners_of(list_of(&owners, MEMORY_HEAD_PROGRAMS,
					      MEMORY_OWNER_PROCESS)),
			    "RssAnon: 5 307200, big one 102400");
	assert_int_equal(owners.lists[0].owners[0].pid, 9);
	assert_string_equal(owners_of(list_of(&owners, MEMORY_HEAD_PAGE_TABLES,
					      MEMORY_OWNER_PROCESS)),
			    "RssAnon: 5 45056, big one 40960");
	/* Nobody has that line, which is not zero. */
	assert_true(
		list_of(&owners, MEMORY_HEAD_HUGE_PAGES, MEMORY_OWNER_PROCESS)
			->uncounted);
	/* It was not asked for. */
	assert_int_equal(list_of(&owners, MEMORY_HEAD_SHARED,
				 MEMORY_OWNER_PROCESS)
				 ->count,
			 0);
	memory_owners_deinit(&owners);
}

static void slab_caches(void **state)
{
	struct tree_fixture *fixture = *state;
	struct memory_owners owners;

	tree_add_text(
		&fixture->tree, "proc/slabinfo",
		"slabinfo - version: 2.1\n"
		"# name <active_objs> <num_objs> <objsize> <objperslab> ...\n"
		"dentry 40 42 192 21 1 : tunables 0 0 0 : slabdata 2 2 0\n"
		"task 40 42 192 21 8 : tunables 0 0 0 : slabdata 2 2 0\n"
		"inode 40 42 192 21 4 : tunables 0 0 0 : slabdata 5 5 0\n"
		"who 40 42 192 21 4 : tunables 0 0 0 : slabdata 5 5 0\n");
	tree_add_text(&fixture->tree, "sys/kernel/slab/dentry/reclaim_account",
		      "1\n");
	tree_add_text(&fixture->tree, "sys/kernel/slab/inode/reclaim_account",
		      "1\n");
	tree_add_text(&fixture->tree, "sys/kernel/slab/task/reclaim_account",
		      "0\n");
	find(&owners, &fixture->root, "slab", 1);
	assert_string_equal(owners_of(list_of(&owners,
					      MEMORY_HEAD_SLAB_RECLAIMABLE,
					      MEMORY_OWNER_SLAB)),
			    "inode 81920");
	assert_string_equal(owners_of(list_of(&owners,
					      MEMORY_HEAD_SLAB_UNRECLAIMABLE,
					      MEMORY_OWNER_SLAB)),
			    "who 81920");
	/* Whose it is, cannot be told: it is in one list, which says so. */
	assert_false(list_of(&owners, MEMORY_HEAD_SLAB_RECLAIMABLE,
			     MEMORY_OWNER_SLAB)
			     ->is_of_both);
	assert_true(list_of(&owners, MEMORY_HEAD_SLAB_UNRECLAIMABLE,
			    MEMORY_OWNER_SLAB)
			    ->is_of_both);
	assert_true(memory_owners_are_whole(&owners));
	memory_owners_deinit(&owners);
}

/* The time was over before the first process: nobody says what they have. */
static void processes_that_nobody_got_to(void **state)
{
	struct patience patience = { .seconds = 1, .began_ns = 1 };
	struct tree_fixture *fixture = *state;
	const struct memory_owner_list *list;
	struct memory_owners owners;

	tree_add_text(&fixture->tree, "proc/7/status",
		      "Name:\tone\nRssAnon:\t8 kB\n");
	fixture->root.patience = &patience;
	find(&owners, &fixture->root, "programs", 5);
	list = list_of(&owners, MEMORY_HEAD_PROGRAMS, MEMORY_OWNER_PROCESS);
	assert_true(owners.is_cut_short);
	assert_int_equal(list->count, 0);
	assert_string_equal(list->why, "");
	assert_false(list->uncounted);
	assert_false(memory_owners_are_whole(&owners));
	memory_owners_deinit(&owners);
	fixture->root.patience = NULL;
	find(&owners, &fixture->root, "programs", 5);
	assert_string_equal(owners_of(list), "one 8192");
	memory_owners_deinit(&owners);
}

static void callers_of_vmalloc(void **state)
{
	struct tree_fixture *fixture = *state;
	struct memory_owners owners;

	tree_add_text(
		&fixture->tree, "proc/vmallocinfo",
		"0x1-0x2 20480 kernel_clone+0xda/0x4a0 pages=4 vmalloc\n"
		"0x2-0x3 8192 kernel_clone_x+0x1/0x2 pages=1 vmalloc\n"
		"0x3-0x4 8192 ioremap+0x1/0x2 phys=0xfed00000 ioremap\n"
		"0x4-0x5 20480 kernel_clone+0xda/0x4a0 pages=4 vmalloc\n");
	find(&owners, &fixture->root, "vmalloc", 5);
	assert_string_equal(owners_of(list_of(&owners, MEMORY_HEAD_VMALLOC,
					      MEMORY_OWNER_CALLER)),
			    "kernel_clone 32768, kernel_clone_x 4096");
	memory_owners_deinit(&owners);
}

static void lines_of_the_kernel(void **state)
{
	struct tree_fixture *fixture = *state;
	struct memory_owners owners;
	size_t order[MEMORY_OWNER_LISTS];

	tree_add_text(&fixture->tree, "proc/self/mountinfo",
		      "30 1 0:26 / / rw - ext4 /dev/vda rw\n");
	find(&owners, &fixture->root, "unaccounted", 5);
	assert_int_equal(memory_owners_of(&owners, MEMORY_HEADS, order), 0);
	memory_owners_deinit(&owners);
	tree_add_text(
		&fixture->tree, "proc/allocinfo",
		"allocinfo - version: 1.0\n"
		"#     <size>  <calls> <tag info>\n"
		"           0        0 init/main.c:1310 func:do_initcalls\n"
		"       45056       11 drivers/x.c:5 [x] func:x_open\n"
		"   127664128    31168 mm/page_ext.c:270 func:page_ext\n");
	find(&owners, &fixture->root, "unaccounted", 5);
	assert_string_equal(
		owners_of(list_of(&owners, MEMORY_HEADS, MEMORY_OWNER_SITE)),
		"mm/page_ext.c:270 func:page_ext 127664128, "
		"drivers/x.c:5 [x] func:x_open 45056");
	memory_owners_deinit(&owners);
}

static void segments(void **state)
{
	struct tree_fixture *fixture = *state;
	struct memory_owners owners;

	tree_add_text(
		&fixture->tree, "proc/sysvipc/shm",
		"       key      shmid perms                  size  cpid  lpid "
		"nattch   uid   gid  cuid  cgid      atime      dtime      "
		"ctime                   rss                  swap\n"
		"-559038737          3  1600              52428800 100 100 1 0 "
		"0 0 0 1 0 1              41943040                     0\n"
		"         0          4  1600              52428800 100 100 1 0 "
		"0 0 0 1 0 1                     0                     0\n"
		"         9          5  1600              52428800 100 100 0 0 "
		"0 0 0 1 0 1                 81920                     0\n");
	find(&owners, &fixture->root, "shared", 5);
	assert_string_equal(owners_of(list_of(&owners, MEMORY_HEAD_SHARED,
					      MEMORY_OWNER_SYSV)),
			    "shmid 3, key 0xdeadbeef 41943040, shmid 5, key "
			    "0x00000009, attached by nobody 81920");
	memory_owners_deinit(&owners);
}

static void add_cgroup(struct tree_fixture *fixture, const char *path,
		       const char *text)
{
	char whole[256];

	snprintf(whole, sizeof(whole), "sys/fs/cgroup/%s/memory.stat", path);
	tree_add_text(&fixture->tree, whole, text);
	snprintf(whole, sizeof(whole), "sys/fs/cgroup/%s/memory.current", path);
	tree_add_text(&fixture->tree, whole, "1000000\n");
}

static void mount_cgroups(struct tree_fixture *fixture)
{
	tree_add_text(&fixture->tree, "proc/self/mountinfo",
		      "30 1 0:26 / /sys/fs/cgroup rw - cgroup2 cgroup2 rw\n");
	tree_add_text(&fixture->tree, "sys/fs/cgroup/cgroup.controllers",
		      "memory\n");
	tree_add_text(&fixture->tree, "sys/fs/cgroup/memory.stat", "anon 1\n");
}

static void what_cgroups_have_of_the_rest(void **state)
{
	struct tree_fixture *fixture = *state;
	struct memory_reading reading = { .page_size = 4096 };
	struct memory_owners owners;

	mount_cgroups(fixture);
	add_cgroup(fixture, "a",
		   "anon 8192\nkernel 1000000\nkernel_stack 16384\n"
		   "pagetables 4096\npercpu 64\nvmalloc 0\nslab 160000\n");
	add_cgroup(fixture, "a/b",
		   "anon 4096\nkernel 900000\nkernel_stack 0\nslab 100000\n");
	/* Before Linux 5.18. */
	add_cgroup(fixture, "c", "anon 12288\nkernel_stack 0\nslab 9\n");
	find(&owners, &fixture->root, "unaccounted,programs", 5);
	assert_string_equal(
		owners_of(list_of(&owners, MEMORY_HEADS, MEMORY_OWNER_CGROUP)),
		"/a 819456, /a/b 800000");
	assert_int_equal(list_of(&owners, MEMORY_HEADS, MEMORY_OWNER_CGROUP)
				 ->owners[1]
				 .depth,
			 1);
	memory_owners_deinit(&owners);
	/* Only what is right below the root: it has what is below. */
	assert_int_equal(owners_name_rest(&reading, &fixture->root), 0);
	assert_int_equal(memory_get(&reading.fields, MEMORY_CGROUP_REST),
			 819456 / 4096);
}

static void an_older_kernel_does_not_tell(void **state)
{
	struct tree_fixture *fixture = *state;
	struct memory_reading reading = { .page_size = 4096 };
	struct memory_owners owners;

	mount_cgroups(fixture);
	add_cgroup(fixture, "c", "anon 12288\nkernel_stack 0\nslab 9\n");
	find(&owners, &fixture->root, "unaccounted", 5);
	assert_true(
		list_of(&owners, MEMORY_HEADS, MEMORY_OWNER_CGROUP)->uncounted);
	memory_owners_deinit(&owners);
	assert_int_equal(owners_name_rest(&reading, &fixture->root), 0);
	assert_false(memory_has(&reading.fields, MEMORY_CGROUP_REST));
}

/* A host without cgroups has nobody to name, and nothing is missing. */
static void no_cgroups(void **state)
{
	struct tree_fixture *fixture = *state;
	struct memory_owners owners;
	size_t order[MEMORY_OWNER_LISTS];

	tree_add_text(&fixture->tree, "proc/self/mountinfo",
		      "30 1 0:26 / / rw - ext4 /dev/vda rw\n");
	find(&owners, &fixture->root, "per_cpu", 5);
	assert_int_equal(memory_owners_of(&owners, MEMORY_HEAD_PER_CPU, order),
			 0);
	assert_true(memory_owners_are_whole(&owners));
	memory_owners_deinit(&owners);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(words),
		cmocka_unit_test(the_largest_are_kept),
		cmocka_unit_test(a_tree_stays_one),
		cmocka_unit_test(a_tree_is_sorted),
		cmocka_unit_test(lists_are_sorted),
		cmocka_unit_test_setup_teardown(processes, set_up,
						tree_fixture_tear_down),
		cmocka_unit_test_setup_teardown(slab_caches, set_up,
						tree_fixture_tear_down),
		cmocka_unit_test_setup_teardown(processes_that_nobody_got_to,
						set_up, tree_fixture_tear_down),
		cmocka_unit_test_setup_teardown(callers_of_vmalloc, set_up,
						tree_fixture_tear_down),
		cmocka_unit_test_setup_teardown(lines_of_the_kernel, set_up,
						tree_fixture_tear_down),
		cmocka_unit_test_setup_teardown(segments, set_up,
						tree_fixture_tear_down),
		cmocka_unit_test_setup_teardown(what_cgroups_have_of_the_rest,
						set_up, tree_fixture_tear_down),
		cmocka_unit_test_setup_teardown(an_older_kernel_does_not_tell,
						set_up, tree_fixture_tear_down),
		cmocka_unit_test_setup_teardown(no_cgroups, set_up,
						tree_fixture_tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
