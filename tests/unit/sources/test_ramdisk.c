// SPDX-License-Identifier: GPL-2.0-or-later
#include <sys/sysmacros.h>

#include "lib/sysroot.h"
#include "names/device_base.h"
#include "test.h"
#include "tree.h"

static const char drivers[] = "Character devices:\n"
			      "  1 mem\n"
			      "  8 ramdisk\n"
			      "\n"
			      "Block devices:\n"
			      "  1 ramdisk\n"
			      "  8 sd\n"
			      "252 zram\n"
			      "253 device-mapper\n"
			      "259 blkext\n";

static void expect(const struct tree *tree, unsigned int major,
		   unsigned int minor, bool expected)
{
	struct sysroot root;

	assert_int_equal(sysroot_init(&root, tree->path, NULL), 0);
	assert_int_equal(is_ramdisk(&root, makedev(major, minor)), expected);
	sysroot_deinit(&root);
}

static void by_driver(void **state __attribute__((unused)))
{
	struct tree tree;

	tree_create(&tree);
	tree_add_text(&tree, "proc/devices", drivers);
	expect(&tree, 252, 0, true);
	expect(&tree, 1, 15, true);
	/* Only the character device 8 is called ramdisk. */
	expect(&tree, 8, 0, false);
	expect(&tree, 253, 0, false);
	expect(&tree, 25, 0, false);
	expect(&tree, 2, 0, false);
	tree_destroy(&tree);
}

static void by_number(void **state __attribute__((unused)))
{
	struct tree tree;

	tree_create(&tree);
	expect(&tree, 1, 0, true);
	expect(&tree, 252, 0, false);
	tree_destroy(&tree);
}

/* A partition may have a major that all drivers share, so its disk counts. */
static void partitions(void **state __attribute__((unused)))
{
	struct tree tree;

	tree_create(&tree);
	tree_add_text(&tree, "proc/devices", drivers);
	tree_add_text(&tree, "sys/devices/virtual/block/r/dev", "1:0\n");
	tree_add_text(&tree, "sys/devices/virtual/block/r/r1/dev", "259:0\n");
	tree_add_text(&tree, "sys/devices/virtual/block/r/r1/partition", "1\n");
	tree_add_link(&tree, "sys/dev/block/259:0",
		      "../../devices/virtual/block/r/r1");
	tree_add_text(&tree, "sys/devices/pci/block/sda/dev", "8:0\n");
	tree_add_text(&tree, "sys/devices/pci/block/sda/sda1/dev", "259:1\n");
	tree_add_text(&tree, "sys/devices/pci/block/sda/sda1/partition", "1\n");
	tree_add_link(&tree, "sys/dev/block/259:1",
		      "../../devices/pci/block/sda/sda1");
	expect(&tree, 259, 0, true);
	expect(&tree, 259, 1, false);
	tree_destroy(&tree);
}

static void by_name(void **state __attribute__((unused)))
{
	static const struct {
		const char *name;
		bool expected;
	} cases[] = {
		{ "ram0", true },    { "ram15", true },	 { "zram0", true },
		{ "zram3p1", true }, { "ram0p2", true }, { "rampage0", false },
		{ "ram", false },    { "zram", false },	 { "zramx", false },
		{ "ram0x", false },  { "sda", false },	 { "zzram0", false },
		{ "dram0", false },
	};

	for (size_t i = 0; i < COUNT_OF(cases); i++) {
		struct tree tree;

		tree_create(&tree);
		tree_add_link(&tree, "sys/dev/block/250:0", cases[i].name);
		expect(&tree, 250, 0, cases[i].expected);
		tree_destroy(&tree);
	}
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(by_driver),
		cmocka_unit_test(by_number),
		cmocka_unit_test(partitions),
		cmocka_unit_test(by_name),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
