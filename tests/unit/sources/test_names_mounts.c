// SPDX-License-Identifier: GPL-2.0-or-later
#include "names/names_mounts.h"
#include "names_fixture.h"
#include "tree.h"

/* A device as it is known before the mounts are read. */
struct device {
	unsigned int major;
	unsigned int minor;
	const char *kname;
	const char *name;
};

static void expect_device(const char *path, const struct device *device,
			  const char *fstype, const char *mountpoints)
{
	struct device_names names = {
		.kname = device->kname ? strdup(device->kname) : NULL,
		.name = device->name ? strdup(device->name) : NULL,
	};
	struct sysroot root;
	struct mounts *mounts;

	open_fixture(&root, path);
	mounts = mounts_create(&root);
	assert_non_null(mounts);
	assert_int_equal(
		mounts_lookup(mounts, device->major, device->minor, &names), 0);
	same_string(names.fstype, fstype);
	expect_list(&names.mountpoints, mountpoints);
	mounts_destroy(mounts);
	device_names_deinit(&names);
	sysroot_deinit(&root);
}

static void mounted_by_number(void **state __attribute__((unused)))
{
	static const struct device vda1 = { 254, 1, "vda1", "vda1" };
	static const struct device none = { 254, 1, NULL, NULL };
	static const struct device vda = { 254, 0, "vda", "vda" };

	expect_device(FIXTURE("debian-ext4"), &vda1, "ext4", "/|/srv/docker");
	expect_device(FIXTURE("debian-ext4"), &none, "ext4", "/|/srv/docker");
	expect_device(FIXTURE("debian-ext4"), &vda, NULL, "");
}

/* One line in that file is no valid mount; the others are still read. */
static void mount_points_are_unescaped(void **state __attribute__((unused)))
{
	static const struct device home = { 253, 3, "dm-3", "home crypt" };

	expect_device(FIXTURE("lvm-many"), &home, "ext4",
		      "/home|/srv/the team|/srv/two\nlines|/srv/tab\there|"
		      "/srv/back\\slash|/srv/\x1b[31mred");
}

static void btrfs_goes_by_its_source(void **state __attribute__((unused)))
{
	static const struct device vda3 = { 252, 3, "vda3", "vda3" };

	expect_device(FIXTURE("btrfs"), &vda3, "btrfs", "/|/home");
}

/* Only a source below /dev names a device. An NFS export or a word does not. */
static void other_sources_are_no_devices(void **state __attribute__((unused)))
{
	static const struct device sda2 = { 8, 2, "sda2", "sda2" };
	static const struct device none = { 8, 77, "none", "none" };

	expect_device(FIXTURE("lvm-many"), &sda2, NULL, "");
	expect_device(FIXTURE("lvm-many"), &none, NULL, "");
}

static void swap_by_kernel_or_mapper_name(void **state __attribute__((unused)))
{
	static const struct device dm2 = { 253, 2, "dm-2", "vg0-swap" };
	static const struct device zram = { 251, 0, "zram0", "zram0" };
	static const struct device deleted = { 7, 1, "loop1", "loop1" };
	static const char swaps[] =
		"Filename\t\t\t\tType\t\tSize\tUsed\tPriority\n"
		"/dev/mapper/vg0-swap partition\t1048572\t0\t-2\n";
	struct tree tree;

	expect_device(FIXTURE("lvm-many"), &dm2, NULL, "[SWAP]");
	expect_device(FIXTURE("btrfs"), &zram, NULL, "[SWAP]");
	/* Its node was removed from /dev, but the swap is still in use. */
	expect_device(FIXTURE("lvm-many"), &deleted, NULL, "[SWAP]");

	tree_create(&tree);
	tree_add_text(&tree, "proc/swaps", swaps);
	expect_device(tree.path, &dm2, NULL, "[SWAP]");
	tree_destroy(&tree);
}

static void missing_tables_are_empty(void **state __attribute__((unused)))
{
	static const struct device vda1 = { 254, 1, "vda1", "vda1" };
	struct tree tree;

	tree_create(&tree);
	expect_device(tree.path, &vda1, NULL, "");
	tree_destroy(&tree);
}

static void odd_tables(void **state __attribute__((unused)))
{
	static const struct device vda1 = { 254, 1, "vda1", "vda1" };
	static const char *const tables[] = {
		"",
		"\n\n",
		"29 1 254:1",
		"29 1 254:1 / /",
		"29 1 254:1 / / rw -\n",
		"29 1 999999999999:1 / / rw - ext4 /dev/x rw\n",
		"29 1 254:1 / \n- ext4 /dev/vda1 rw\n",
		"\xff\xfe\x80\n",
	};

	for (size_t i = 0; i < COUNT_OF(tables); i++) {
		struct tree tree;

		tree_create(&tree);
		tree_add_text(&tree, "proc/self/mountinfo", tables[i]);
		tree_add_text(&tree, "proc/swaps", tables[i]);
		expect_device(tree.path, &vda1, NULL, "");
		tree_destroy(&tree);
	}
}

/* Sequences that the kernel does not write stay as they are. */
static void odd_escapes(void **state __attribute__((unused)))
{
	static const struct device vda1 = { 254, 1, "vda1", "vda1" };
	static const char table[] =
		"1 0 254:1 / /a\\04 rw - ext4 /dev/vda1 rw\n"
		"1 0 254:1 / /b\\089 rw - ext4 /dev/vda1 rw\n"
		"1 0 254:1 / /c\\400 rw - ext4 /dev/vda1 rw\n"
		"1 0 254:1 / /d\\ rw - ext4 /dev/vda1 rw\n"
		"1 0 254:1 / /e\\134040 rw master:1 shared:2 - ext4 x rw";
	struct tree tree;

	tree_create(&tree);
	tree_add_text(&tree, "proc/self/mountinfo", table);
	expect_device(tree.path, &vda1, "ext4",
		      "/a\\04|/b\\089|/c\\400|/d\\|/e\\040");
	tree_destroy(&tree);
}

static void types_are_listed_once(void **state __attribute__((unused)))
{
	struct string_list types = { 0 };
	struct sysroot root;
	struct mounts *mounts;

	open_fixture(&root, FIXTURE("btrfs"));
	mounts = mounts_create(&root);
	assert_non_null(mounts);
	assert_int_equal(mounts_types(mounts, &types), 0);
	expect_list(&types, "proc|btrfs|ext4|vfat");
	string_list_deinit(&types);
	mounts_destroy(mounts);
	sysroot_deinit(&root);
}

static void known_type_stays(void **state __attribute__((unused)))
{
	struct device_names names = { .fstype = strdup("known") };
	struct sysroot root;
	struct mounts *mounts;

	open_fixture(&root, FIXTURE("debian-ext4"));
	mounts = mounts_create(&root);
	assert_int_equal(mounts_lookup(mounts, 254, 1, &names), 0);
	same_string(names.fstype, "known");
	expect_list(&names.mountpoints, "/|/srv/docker");
	mounts_destroy(mounts);
	device_names_deinit(&names);
	sysroot_deinit(&root);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(mounted_by_number),
		cmocka_unit_test(mount_points_are_unescaped),
		cmocka_unit_test(btrfs_goes_by_its_source),
		cmocka_unit_test(other_sources_are_no_devices),
		cmocka_unit_test(swap_by_kernel_or_mapper_name),
		cmocka_unit_test(missing_tables_are_empty),
		cmocka_unit_test(odd_tables),
		cmocka_unit_test(odd_escapes),
		cmocka_unit_test(types_are_listed_once),
		cmocka_unit_test(known_type_stays),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
