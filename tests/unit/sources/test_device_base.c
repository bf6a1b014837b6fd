// SPDX-License-Identifier: GPL-2.0-or-later
#include "lib/sysroot.h"
#include "names/device_base.h"
#include "test.h"
#include "tree.h"

static const char disk[] = "../../devices/virtual/block/disk";

/* A device 8:1 with an empty directory. */
static void setup(struct tree *tree)
{
	tree_create(tree);
	tree_add_text(tree, "sys/devices/virtual/block/disk/dev", "8:1\n");
	tree_add_link(tree, "sys/dev/block/8:1", disk);
}

static struct device_base collect(struct tree *tree)
{
	struct device_base base;
	struct sysroot root;

	assert_int_equal(sysroot_init(&root, tree->path, NULL), 0);
	assert_int_equal(device_base_init(&base, &root, 8, 1), 0);
	sysroot_deinit(&root);
	tree_destroy(tree);
	return base;
}

static void nothing_is_known_of_none(void **state __attribute__((unused)))
{
	struct device_base base;
	struct tree tree;

	tree_create(&tree);
	base = collect(&tree);
	assert_null(base.loop_file);
	assert_false(base.has_partitions);
	device_base_deinit(&base);
}

static void a_disk_with_partitions(void **state __attribute__((unused)))
{
	struct device_base base;
	struct tree tree;

	setup(&tree);
	tree_add_text(&tree, "sys/devices/virtual/block/disk/d1/partition",
		      "1\n");
	base = collect(&tree);
	assert_true(base.has_partitions);
	assert_null(base.loop_file);
	device_base_deinit(&base);
}

static void other_directories_are_none(void **state __attribute__((unused)))
{
	struct device_base base;
	struct tree tree;

	setup(&tree);
	tree_add_text(&tree, "sys/devices/virtual/block/disk/queue/dax", "0\n");
	tree_add_text(&tree, "sys/devices/virtual/block/disk/partition", "1\n");
	base = collect(&tree);
	assert_false(base.has_partitions);
	device_base_deinit(&base);
}

static void a_loop_device(void **state __attribute__((unused)))
{
	struct device_base base;
	struct tree tree;

	setup(&tree);
	tree_add_text(&tree, "sys/devices/virtual/block/disk/loop/backing_file",
		      "/var/a file\n");
	base = collect(&tree);
	assert_string_equal(base.loop_file, "/var/a file");
	assert_false(base.loop_direct);
	device_base_deinit(&base);
}

static void a_direct_loop_device(void **state __attribute__((unused)))
{
	struct device_base base;
	struct tree tree;

	setup(&tree);
	tree_add_text(&tree, "sys/devices/virtual/block/disk/loop/backing_file",
		      "/img\n");
	tree_add_text(&tree, "sys/devices/virtual/block/disk/loop/dio", "1\n");
	base = collect(&tree);
	assert_true(base.loop_direct);
	device_base_deinit(&base);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(nothing_is_known_of_none),
		cmocka_unit_test(a_disk_with_partitions),
		cmocka_unit_test(other_directories_are_none),
		cmocka_unit_test(a_loop_device),
		cmocka_unit_test(a_direct_loop_device),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
