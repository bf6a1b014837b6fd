// SPDX-License-Identifier: GPL-2.0-or-later
/* All sources of names together, and their precedence. */
#include "measure/snapshot.h"
#include "names/node_index.h"
#include "names_fixture.h"
#include "tree.h"

static void look_up(const char *path, const struct sample *sample,
		    struct device_names *device)
{
	struct sysroot root;
	struct names *names;

	open_fixture(&root, path);
	names = names_create(&root);
	assert_non_null(names);
	assert_int_equal(names_lookup(names, sample, device), 0);
	names_destroy(names);
	sysroot_deinit(&root);
}

static void everything_of_one_device(void **state __attribute__((unused)))
{
	const struct sample sample = { .major = 253, .kname = (char *)"dm-0" };
	struct device_names device;

	look_up(FIXTURE("article"), &sample, &device);
	same_string(device.kname, "dm-0");
	same_string(device.name, "centos-root");
	same_string(device.fstype, "ext4");
	same_string(device.label, NULL);
	same_string(device.uuid, "b1f0a7de-5a1c-4c53-8a4e-0c7a64f5d2aa");
	expect_list(&device.mountpoints, "/");
	expect_list(&device.holders, "");
	assert_true(device.has_size);
	device_names_deinit(&device);
}

static void nothing_is_known(void **state __attribute__((unused)))
{
	const struct sample sample = { .major = 259, .minor = 8 };
	struct device_names device;

	look_up(FIXTURE("lvm-many"), &sample, &device);
	same_string(device.kname, NULL);
	same_string(device.name, NULL);
	same_string(device.fstype, NULL);
	assert_false(device.has_size);
	device_names_deinit(&device);
}

/* The mount table comes first, then udev's record, then blkid's file. */
static void order_of_belief(void **state __attribute__((unused)))
{
	static const char mountinfo[] =
		"29 1 8:1 / / rw - mounted /dev/sda1 rw\n";
	static const char record[] = "E:ID_FS_TYPE=recorded\n"
				     "E:ID_FS_LABEL_ENC=recorded\n";
	static const char file[] = "<device TYPE=\"filed\" LABEL=\"filed\" "
				   "UUID=\"filed\">/dev/sda1</device>\n";
	const struct sample sample = { .major = 8,
				       .minor = 1,
				       .kname = (char *)"sda1" };
	struct device_names device;
	struct tree tree;

	tree_create(&tree);
	tree_add_text(&tree, "run/blkid/blkid.tab", file);
	look_up(tree.path, &sample, &device);
	same_string(device.fstype, "filed");
	same_string(device.label, "filed");
	device_names_deinit(&device);

	tree_add_text(&tree, "run/udev/data/b8:1", record);
	look_up(tree.path, &sample, &device);
	same_string(device.fstype, "recorded");
	same_string(device.label, "recorded");
	same_string(device.uuid, "filed");
	device_names_deinit(&device);

	tree_add_text(&tree, "proc/self/mountinfo", mountinfo);
	look_up(tree.path, &sample, &device);
	same_string(device.fstype, "mounted");
	same_string(device.label, "recorded");
	same_string(device.uuid, "filed");
	device_names_deinit(&device);
	tree_destroy(&tree);
}

struct found {
	size_t lines[8];
	size_t count;
};

static int take(void *data, size_t line)
{
	struct found *found = data;

	assert_true(found->count < COUNT_OF(found->lines));
	found->lines[found->count++] = line;
	return 0;
}

/* In the order of the lines, whichever name each has. */
static void nodes_of_a_device(void **state __attribute__((unused)))
{
	static const char *const paths[] = {
		"/dev/dm-3",
		"/dev/mapper/home crypt",
		"/dev/mapper/dm-3",
		"/dev/home crypt",
		"/dev/dm-30",
		"/dev/dm-",
		"dm-3",
		"/dev/",
		"",
		NULL,
		"/dev/dm-3",
		"/dev/mapper/home crypt",
		"/dev/mapper/",
		"/dev/dm-3",
	};
	static const size_t wanted[] = { 0, 1, 10, 11, 13 };
	const struct device_names device = { .kname = (char *)"dm-3",
					     .name = (char *)"home crypt" };
	const struct device_names twice = { .kname = (char *)"mapper/dm-3",
					    .name = (char *)"dm-3" };
	const struct device_names unnamed = { 0 };
	struct found found = { 0 };
	struct node_index index;

	assert_int_equal(node_index_init(&index, COUNT_OF(paths)), 0);
	for (size_t i = 0; i < COUNT_OF(paths); i++)
		node_index_add(&index, paths[i], i);
	node_index_sort(&index);
	assert_int_equal(node_index_find(&index, &device, take, &found), 0);
	assert_int_equal(found.count, COUNT_OF(wanted));
	assert_memory_equal(found.lines, wanted, sizeof(wanted));
	found.count = 0;
	assert_int_equal(node_index_find(&index, &twice, take, &found), 0);
	assert_int_equal(found.count, 1);
	assert_int_equal(node_index_find(&index, &unnamed, take, &found), 0);
	assert_int_equal(found.count, 1);
	node_index_deinit(&index);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(everything_of_one_device),
		cmocka_unit_test(nothing_is_known),
		cmocka_unit_test(order_of_belief),
		cmocka_unit_test(nodes_of_a_device),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
