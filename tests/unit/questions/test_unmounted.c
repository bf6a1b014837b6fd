// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "filesystems/all_mounts.h"
#include "filesystems/unmounted.h"
#include "lib/error.h"
#include "lib/string_list.h"
#include "lib/sysroot.h"
#include "tree.h"

/* Descriptors of process 7: which are found as paths to what is not mounted. */
static const struct descriptor {
	const char *link;
	const char *mount_id; /* only 21 is mounted */
	enum { NOT_FOUND, FOUND, ONE_OF_THEM } found;
} descriptors[] = {
	{ "/mnt/file", "21", NOT_FOUND },
	{ "/gone/file", "22", FOUND },
	{ "/secretmem (deleted)", "13", FOUND },
	{ "/secretmem (deleted)", "13", FOUND },
	{ "/twice/file", "23", ONE_OF_THEM },
	{ "/twice/other", "23", ONE_OF_THEM },
	{ "anon_inode:[kvm-gmem]", "14", FOUND },
	{ "anon_inode:[eventpoll]", "14", NOT_FOUND },
	{ "socket:[12345]", "9", NOT_FOUND },
	{ "pipe:[12345]", "10", NOT_FOUND },
	{ "/memfd:bufstat (deleted)", "11", NOT_FOUND },
	{ "/SYSV00000000 (deleted)", "11", NOT_FOUND },
	{ "/dev/pts/0", "28", NOT_FOUND },
	{ "/no mount id", NULL, NOT_FOUND },
};

#define DESCRIPTORS (sizeof(descriptors) / sizeof(*descriptors))

static void make_process(const struct tree *tree)
{
	char path[64], info[128];

	tree_add_text(tree, "proc/self/mountinfo",
		      "21 1 8:1 / /mnt rw - ext4 /dev/sda1 rw\n");
	for (size_t i = 0; i < DESCRIPTORS; i++) {
		snprintf(path, sizeof(path), "proc/7/fd/%zu", i);
		tree_add_link(tree, path, descriptors[i].link);
		snprintf(path, sizeof(path), "proc/7/fdinfo/%zu", i);
		snprintf(info, sizeof(info), "pos:\t0\nflags:\t0100000\n%s%s\n",
			 descriptors[i].mount_id ? "mnt_id:\t" : "",
			 descriptors[i].mount_id ? descriptors[i].mount_id :
						   "");
		tree_add_text(tree, path, info);
	}
	/* A descriptor that is closed meanwhile. */
	tree_add_link(tree, "proc/7/fd/99", "/gone/other");
}

static void finds_what_no_mount_shows(void **state __attribute__((unused)))
{
	struct string_list paths = { 0 };
	struct all_mounts mounts;
	struct sysroot root;
	struct error err;
	struct tree tree;
	size_t wanted = 0, of_them = 0;
	char path[64];

	tree_create(&tree);
	make_process(&tree);
	assert_int_equal(sysroot_init(&root, tree.path, &err), 0);
	assert_int_equal(all_mounts_init(&mounts, &root), 0);
	assert_int_equal(unmounted_find(&root, &mounts, &paths), 0);
	for (size_t i = 0; i < DESCRIPTORS; i++) {
		bool found = false;

		snprintf(path, sizeof(path), "/proc/7/fd/%zu", i);
		for (size_t j = 0; j < paths.count; j++)
			found |= strcmp(paths.strings[j], path) == 0;
		if (descriptors[i].found == ONE_OF_THEM)
			of_them += found;
		else if (found != (descriptors[i].found == FOUND))
			fail_msg("%s", descriptors[i].link);
		else
			wanted += found;
	}
	/* One file per filesystem is enough to ask about it. */
	assert_int_equal(of_them, 1);
	assert_int_equal(paths.count, wanted + of_them);
	string_list_deinit(&paths);
	all_mounts_deinit(&mounts);
	sysroot_deinit(&root);
	tree_destroy(&tree);
}

/* An ended process hides nothing; one that cannot be read may. */
static void says_what_could_not_be_read(void **state __attribute__((unused)))
{
	struct string_list paths = { 0 };
	struct all_mounts mounts;
	struct sysroot root;
	struct error err;
	struct tree tree;

	tree_create(&tree);
	make_process(&tree);
	tree_add_text(&tree, "proc/8/comm", "ended\n");
	assert_int_equal(sysroot_init(&root, tree.path, &err), 0);
	assert_int_equal(all_mounts_init(&mounts, &root), 0);
	assert_int_equal(unmounted_find(&root, &mounts, &paths), 0);
	assert_int_equal(mounts.failed, 0);
	string_list_deinit(&paths);
	tree_add_link(&tree, "proc/9/fd", "fd");
	assert_int_equal(unmounted_find(&root, &mounts, &paths), 0);
	assert_int_equal(mounts.failed, ELOOP);
	assert_true(paths.count > 0);
	string_list_deinit(&paths);
	all_mounts_deinit(&mounts);
	sysroot_deinit(&root);
	tree_destroy(&tree);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(finds_what_no_mount_shows),
		cmocka_unit_test(says_what_could_not_be_read),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
