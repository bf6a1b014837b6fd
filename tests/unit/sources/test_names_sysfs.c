// SPDX-License-Identifier: GPL-2.0-or-later
#include "names/names_sysfs.h"
#include "names_fixture.h"
#include "tree.h"

struct expected {
	const char *kname;
	const char *name;
	const char *holders;
	uint64_t size_bytes;
};

static void expect_device(const char *path, unsigned int major,
			  unsigned int minor, const struct expected *expected)
{
	struct device_names device = { 0 };
	struct sysroot root;

	open_fixture(&root, path);
	assert_int_equal(names_sysfs_lookup(&root, major, minor, &device), 0);
	same_string(device.kname, expected->kname);
	same_string(device.name, expected->name);
	expect_list(&device.holders, expected->holders);
	assert_true(device.has_size);
	assert_true(device.size_bytes == expected->size_bytes);
	device_names_deinit(&device);
	sysroot_deinit(&root);
}

static void reads_a_partition(void **state __attribute__((unused)))
{
	static const struct expected vda1 = { "vda1", "vda1", "",
					      1024000 * 512 };

	expect_device(FIXTURE("article"), 252, 1, &vda1);
}

static void mapped_devices_have_two_names(void **state __attribute__((unused)))
{
	static const struct expected dm0 = { "dm-0", "vg0-root", "",
					     209715200ULL * 512 };

	expect_device(FIXTURE("lvm-many"), 253, 0, &dm0);
}

static void holders_go_by_their_names(void **state __attribute__((unused)))
{
	static const struct expected dm1 = { "dm-1", "vg0-home", "home crypt",
					     1677721600ULL * 512 };
	static const struct expected raid = { "cciss/c0d0p1", "cciss/c0d0p1",
					      "md127", 143303884ULL * 512 };

	expect_device(FIXTURE("lvm-many"), 253, 1, &dm1);
	expect_device(FIXTURE("lvm-many"), 104, 1, &raid);
}

static void slashes_come_back_in_holders(void **state __attribute__((unused)))
{
	struct device_names device = { 0 };
	struct sysroot root;
	struct tree tree;

	tree_create(&tree);
	tree_add_link(&tree, "sys/dev/block/8:0/holders/drbd!r0", "nowhere");
	open_fixture(&root, tree.path);
	assert_int_equal(names_sysfs_lookup(&root, 8, 0, &device), 0);
	expect_list(&device.holders, "drbd/r0");
	device_names_deinit(&device);
	sysroot_deinit(&root);
	tree_destroy(&tree);
}

static void slashes_come_back(void **state __attribute__((unused)))
{
	static const struct expected cciss = { "cciss/c0d0", "cciss/c0d0", "",
					       143305920ULL * 512 };

	expect_device(FIXTURE("lvm-many"), 104, 0, &cciss);
}

static void empty_devices_have_size_zero(void **state __attribute__((unused)))
{
	static const struct expected loop2 = { "loop2", "loop2", "", 0 };

	expect_device(FIXTURE("lvm-many"), 7, 2, &loop2);
}

static void unknown_devices_stay_unknown(void **state __attribute__((unused)))
{
	struct device_names device = { 0 };
	struct sysroot root;

	open_fixture(&root, FIXTURE("container"));
	assert_int_equal(names_sysfs_lookup(&root, 8, 0, &device), 0);
	same_string(device.kname, NULL);
	same_string(device.name, NULL);
	assert_false(device.has_size);
	device_names_deinit(&device);

	/* The name that the source knew is kept. */
	device.kname = strdup("gone");
	assert_int_equal(names_sysfs_lookup(&root, 8, 0, &device), 0);
	same_string(device.kname, "gone");
	same_string(device.name, "gone");
	device_names_deinit(&device);
	sysroot_deinit(&root);
}

static void odd_sizes_are_unknown(void **state __attribute__((unused)))
{
	static const struct {
		const char *text;
		bool known;
	} cases[] = {
		{ "8\n", true },
		{ "8", true },
		{ "18014398509481983\n", true },
		{ "18014398509481984\n", false }, /* 2^63 bytes */
		{ "-8\n", false },
		{ "\n", false },
		{ "", false },
		{ "8 \n", false },
		{ "99999999999999999999999\n", false },
	};

	for (size_t i = 0; i < COUNT_OF(cases); i++) {
		struct device_names device = { 0 };
		struct sysroot root;
		struct tree tree;

		tree_create(&tree);
		tree_add_text(&tree, "sys/dev/block/8:0/size", cases[i].text);
		open_fixture(&root, tree.path);
		assert_int_equal(names_sysfs_lookup(&root, 8, 0, &device), 0);
		if (device.has_size != cases[i].known)
			fail_msg("'%s'", cases[i].text);
		device_names_deinit(&device);
		sysroot_deinit(&root);
		tree_destroy(&tree);
	}
}

/* A link in the tree may be longer than the paths made from it. */
static void long_names(void **state __attribute__((unused)))
{
	struct device_names device = { 0 };
	char target[400] = "../../devices/", *end = target + strlen(target);
	struct sysroot root;
	struct tree tree;

	memset(end, 'n', 300);
	tree_create(&tree);
	tree_add_link(&tree, "sys/dev/block/8:0", target);
	open_fixture(&root, tree.path);
	assert_int_equal(names_sysfs_lookup(&root, 8, 0, &device), 0);
	assert_int_equal(strlen(device.kname), 300);
	device_names_deinit(&device);
	sysroot_deinit(&root);
	tree_destroy(&tree);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(reads_a_partition),
		cmocka_unit_test(mapped_devices_have_two_names),
		cmocka_unit_test(holders_go_by_their_names),
		cmocka_unit_test(slashes_come_back),
		cmocka_unit_test(slashes_come_back_in_holders),
		cmocka_unit_test(empty_devices_have_size_zero),
		cmocka_unit_test(unknown_devices_stay_unknown),
		cmocka_unit_test(odd_sizes_are_unknown),
		cmocka_unit_test(long_names),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
