// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/sysmacros.h>

#include "lib/error.h"
#include "lib/sysroot.h"
#include "names/device_find.h"
#include "test.h"
#include "tree.h"

#define LVM FIXTURE("lvm-many")

static void expect_found(const char *tree, const char *word, unsigned int major,
			 unsigned int minor, const char *node)
{
	struct found_device found;
	struct sysroot root;

	assert_int_equal(sysroot_init(&root, tree, NULL), 0);
	assert_int_equal(device_find(&root, word, &found, NULL), 0);
	assert_int_equal(found.number, makedev(major, minor));
	assert_string_equal(found.node, node);
	found_device_deinit(&found);
	sysroot_deinit(&root);
}

static void expect_error(const char *tree, const char *word, int expected,
			 const char *text)
{
	struct found_device found;
	struct sysroot root;
	struct error err;

	assert_int_equal(sysroot_init(&root, tree, NULL), 0);
	assert_int_equal(device_find(&root, word, &found, &err), expected);
	assert_null(found.node);
	assert_non_null(strstr(text_of(&err), text));
	sysroot_deinit(&root);
}

static void by_kernel_name(void **state __attribute__((unused)))
{
	expect_found(LVM, "sda", 8, 0, "/dev/sda");
	expect_found(LVM, "sda2", 8, 2, "/dev/sda2");
	expect_found(LVM, "dm-1", 253, 1, "/dev/dm-1");
	expect_found(LVM, "md127", 9, 127, "/dev/md127");
}

static void a_name_with_a_slash(void **state __attribute__((unused)))
{
	expect_found(LVM, "cciss/c0d0p1", 104, 1, "/dev/cciss/c0d0p1");
	expect_found(LVM, "cciss!c0d0", 104, 0, "/dev/cciss/c0d0");
	expect_found(LVM, "/dev/cciss/c0d0", 104, 0, "/dev/cciss/c0d0");
	expect_found(LVM, "104:1", 104, 1, "/dev/cciss/c0d0p1");
}

static void by_device_mapper_name(void **state __attribute__((unused)))
{
	expect_found(FIXTURE("article"), "centos-root", 253, 0, "/dev/dm-0");
	expect_found(FIXTURE("article"), "/dev/mapper/centos-root", 253, 0,
		     "/dev/dm-0");
}

static void by_number(void **state __attribute__((unused)))
{
	expect_found(LVM, "8:2", 8, 2, "/dev/sda2");
	expect_found(LVM, "253:1", 253, 1, "/dev/dm-1");
}

/* A captured tree has no device nodes, so a path is taken as the name. */
static void by_node_in_a_tree(void **state __attribute__((unused)))
{
	expect_found(LVM, "/dev/sda1", 8, 1, "/dev/sda1");
	expect_error(LVM, "/dev/mapper/sda1", -ENOENT, "/dev/mapper/sda1: No");
	expect_error(LVM, "/etc/fstab", -ENOTBLK, "no block device");
}

static void add_device(struct tree *tree, const char *kname, const char *number,
		       const char *record)
{
	char path[128], text[32];

	snprintf(path, sizeof(path), "sys/class/block/%s/dev", kname);
	snprintf(text, sizeof(text), "%s\n", number);
	tree_add_text(tree, path, text);
	snprintf(path, sizeof(path), "run/udev/data/b%s", number);
	tree_add_text(tree, path, record);
}

/* As udev and libblkid write them. */
static void by_tag(void **state __attribute__((unused)))
{
	struct tree tree;

	tree_create(&tree);
	add_device(&tree, "sda", "8:0", "E:ID_PART_TABLE_UUID=0aa\n");
	add_device(&tree, "sda1", "8:1",
		   "E:ID_FS_LABEL=the_root\nE:ID_FS_LABEL_ENC=the\\x20root\n"
		   "E:ID_FS_UUID_ENC=aa11-Bb\nE:ID_PART_ENTRY_UUID=c0de-01\n"
		   "E:ID_PART_ENTRY_NAME=EFI\\x20boot\n");
	add_device(&tree, "sda2", "8:2",
		   "E:ID_FS_LABEL_ENC=twice\nE:ID_FS_UUID_ENC=aa22\n");
	add_device(&tree, "sda10", "8:10",
		   "E:ID_FS_LABEL_ENC=twice\nE:ID_FS_UUID_ENC=aa10\n");
	expect_found(tree.path, "LABEL=the root", 8, 1, "/dev/sda1");
	expect_found(tree.path, "UUID=AA11-bB", 8, 1, "/dev/sda1");
	expect_found(tree.path, "PARTUUID=C0DE-01", 8, 1, "/dev/sda1");
	expect_found(tree.path, "PARTLABEL=EFI boot", 8, 1, "/dev/sda1");
	expect_found(tree.path, "/dev/disk/by-label/the\\x20root", 8, 1,
		     "/dev/sda1");
	expect_found(tree.path, "/dev/disk/by-uuid/aa10", 8, 10, "/dev/sda10");
	expect_found(tree.path, "/dev/disk/by-partlabel/EFI\\x20boot", 8, 1,
		     "/dev/sda1");
	expect_found(tree.path, "/dev/disk/by-partuuid/c0de-01", 8, 1,
		     "/dev/sda1");
	expect_error(tree.path, "LABEL=twice", -ENOTUNIQ,
		     "LABEL=twice: sda2 and sda10 have it");
	expect_error(tree.path, "/dev/disk/by-label/twice", -ENOTUNIQ,
		     "twice: sda2 and sda10 have it");
	expect_error(tree.path, "LABEL=THE ROOT", -ENOENT, "no block device");
	expect_error(tree.path, "LABEL=", -ENOENT, "no block device");
	expect_error(tree.path, "UUID=", -ENOENT, "no block device");
	expect_error(tree.path, "PARTUUID=0aa", -ENOENT, "no block device");
	expect_error(tree.path, "/dev/disk/by-label/none", -ENOENT, "No such");
	tree_destroy(&tree);

	expect_found(FIXTURE("blkid-only"), "LABEL=the root", 8, 2,
		     "/dev/sda2");
	expect_found(FIXTURE("blkid-only"),
		     "UUID=bb000000-0000-4000-8000-00000000fe00", 254, 0,
		     "/dev/dm-0");
}

static void by_volume_group(void **state __attribute__((unused)))
{
	struct tree tree;

	expect_found(FIXTURE("article"), "/dev/centos/root", 253, 0,
		     "/dev/dm-0");
	expect_error(FIXTURE("article"), "/dev/centos/none", -ENOENT,
		     "No such file");
	tree_create(&tree);
	tree_add_text(&tree, "sys/class/block/dm-0/dev", "253:0\n");
	tree_add_text(&tree, "sys/class/block/dm-0/dm/name",
		      "my--group-my--volume\n");
	expect_found(tree.path, "/dev/my-group/my-volume", 253, 0, "/dev/dm-0");
	expect_error(tree.path, "/dev/my--group/my--volume", -ENOENT, "No");
	tree_destroy(&tree);
	assert_true(device_is_called("my--group-v", "/dev/my-group/v"));
	assert_true(device_is_called("my--group-v", "/dev/mapper/my--group-v"));
	assert_true(device_is_called("sda", "/dev/sda"));
	assert_false(device_is_called("my-group-v", "/dev/my-group/v"));
	assert_false(device_is_called("sda", "/mnt/sda"));
}

static void the_kernel_name_comes_first(void **state __attribute__((unused)))
{
	struct tree tree;

	tree_create(&tree);
	tree_add_text(&tree, "sys/class/block/dm-0/dev", "253:0\n");
	tree_add_text(&tree, "sys/class/block/dm-0/dm/name", "sda\n");
	tree_add_text(&tree, "sys/class/block/sda/dev", "8:0\n");
	expect_found(tree.path, "sda", 8, 0, "/dev/sda");
	tree_destroy(&tree);
}

static void nothing_of_that_name(void **state __attribute__((unused)))
{
	static const char *const words[] = {
		"sdb", "",	 "sda ",    "8:99",   "8:",
		":8",  "8:1:2",	 "8:-1",    "+8:1",   "4294967296:1",
		"-",   "sda/..", "sda/dev", "centos", "dm-99",
	};
	char name[512];

	for (size_t i = 0; i < COUNT_OF(words); i++)
		expect_error(LVM, words[i], -ENOENT, "no block device");
	memset(name, 'n', sizeof(name) - 1);
	name[sizeof(name) - 1] = '\0';
	expect_error(LVM, name, -ENOENT, "no block device");
}

static void what_is_no_block_device(void **state __attribute__((unused)))
{
	expect_error(NULL, "/dev/null", -ENOTBLK, "/dev/null: no block device");
	expect_error(NULL, "/", -ENOTBLK, "/: no block device");
	expect_error(NULL, "./", -ENOTBLK, "./: no block device");
	expect_error(NULL, LVM "/proc/meminfo", -ENOTBLK, "no block device");
	expect_error(NULL, "/dev/bufstat-no-such", -ENOENT, "No such file");
}

static void damaged_attributes(void **state __attribute__((unused)))
{
	static const char *const texts[] = {
		"", "\n", "8\n", "8:\n", ":0\n", "8:0x\n", "x:y\n",
	};
	struct tree tree;

	tree_create(&tree);
	for (size_t i = 0; i < COUNT_OF(texts); i++) {
		tree_add_text(&tree, "sys/class/block/sda/dev", texts[i]);
		expect_error(tree.path, "sda", -ENOENT, "no block device");
	}
	tree_destroy(&tree);
}

static void without_sysfs(void **state __attribute__((unused)))
{
	expect_error(FIXTURE("container"), "sda", -ENOENT, "no block device");
	expect_error(FIXTURE("container"), "8:0", -ENOENT, "no block device");
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(by_kernel_name),
		cmocka_unit_test(a_name_with_a_slash),
		cmocka_unit_test(by_device_mapper_name),
		cmocka_unit_test(by_number),
		cmocka_unit_test(by_node_in_a_tree),
		cmocka_unit_test(by_tag),
		cmocka_unit_test(by_volume_group),
		cmocka_unit_test(the_kernel_name_comes_first),
		cmocka_unit_test(nothing_of_that_name),
		cmocka_unit_test(what_is_no_block_device),
		cmocka_unit_test(damaged_attributes),
		cmocka_unit_test(without_sysfs),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
