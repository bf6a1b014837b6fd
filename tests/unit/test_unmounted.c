// SPDX-License-Identifier: GPL-2.0-or-later
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "all_mounts.h"
#include "error.h"
#include "fdinfo.h"
#include "string_list.h"
#include "sysroot.h"
#include "tree.h"
#include "unmounted.h"

/* What process 7 has open, and whether it leads where no mount does. */
static const struct descriptor {
	const char *link;
	const char *mount_id; /* mount 21 is there */
	bool found;
} descriptors[] = {
	{ "/mnt/file", "21", false },
	{ "/gone/file", "22", true },
	{ "/secretmem (deleted)", "13", true },
	{ "anon_inode:[kvm-gmem]", "14", true },
	{ "anon_inode:[eventpoll]", "14", false },
	{ "socket:[12345]", "9", false },
	{ "pipe:[12345]", "10", false },
	{ "/memfd:bufstat (deleted)", "11", false },
	{ "/SYSV00000000 (deleted)", "11", false },
	{ "/dev/pts/0", "28", false },
	{ "/no mount id", NULL, false },
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
	/* Closed while it is looked at. */
	tree_add_link(tree, "proc/7/fd/99", "/gone/other");
}

static void finds_what_no_mount_shows(void **state __attribute__((unused)))
{
	struct string_list paths = { 0 };
	struct all_mounts mounts;
	struct sysroot root;
	struct error err;
	struct tree tree;
	size_t wanted = 0;
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
		if (found != descriptors[i].found)
			fail_msg("%s", descriptors[i].link);
		wanted += descriptors[i].found;
	}
	assert_int_equal(paths.count, wanted);
	string_list_deinit(&paths);
	all_mounts_deinit(&mounts);
	sysroot_deinit(&root);
	tree_destroy(&tree);
}

static void numbers_are_of_their_own_line(void **state __attribute__((unused)))
{
	uint64_t number;

	assert_true(
		fdinfo_number("pos:\t0\nmnt_id:\t31\n", "mnt_id:", &number));
	assert_int_equal(number, 31);
	assert_true(fdinfo_number("ino: 7", "ino:", &number));
	assert_int_equal(number, 7);
	assert_false(fdinfo_number("xmnt_id:\t31\n", "mnt_id:", &number));
	assert_false(fdinfo_number("mnt_id:\t-1\n", "mnt_id:", &number));
	assert_false(fdinfo_number("", "mnt_id:", &number));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(finds_what_no_mount_shows),
		cmocka_unit_test(numbers_are_of_their_own_line),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
