// SPDX-License-Identifier: GPL-2.0-or-later
#include "names/names_sysfs.h"
#include "names_fixture.h"
#include "tree.h"

static void expect_record(const char *record, const char *fstype,
			  const char *label, const char *uuid)
{
	struct device_names device = { 0 };
	struct sysroot root;
	struct tree tree;

	tree_create(&tree);
	tree_add_text(&tree, "run/udev/data/b8:1", record);
	open_fixture(&root, tree.path);
	assert_int_equal(names_udev_lookup(&root, 8, 1, &device), 0);
	same_string(device.fstype, fstype);
	same_string(device.label, label);
	same_string(device.uuid, uuid);
	device_names_deinit(&device);
	sysroot_deinit(&root);
	tree_destroy(&tree);
}

static void reads_a_captured_record(void **state __attribute__((unused)))
{
	struct device_names device = { 0 };
	struct sysroot root;

	open_fixture(&root, FIXTURE("lvm-many"));
	assert_int_equal(names_udev_lookup(&root, 253, 3, &device), 0);
	same_string(device.fstype, "ext4");
	same_string(device.label, "Größe 日本");
	same_string(device.uuid, "aa11bb22-0005-4000-8000-000000002533");
	device_names_deinit(&device);
	sysroot_deinit(&root);
}

static void no_record_is_no_error(void **state __attribute__((unused)))
{
	struct device_names device = { 0 };
	struct sysroot root;

	open_fixture(&root, FIXTURE("container"));
	assert_int_equal(names_udev_lookup(&root, 253, 3, &device), 0);
	same_string(device.fstype, NULL);
	sysroot_deinit(&root);
}

static void escapes_are_decoded(void **state __attribute__((unused)))
{
	expect_record("E:ID_FS_LABEL_ENC=a\\x20b\\x5cc\n", NULL, "a b\\c",
		      NULL);
	expect_record("E:ID_FS_LABEL_ENC=\\xC3\\xb6\n", NULL, "\xc3\xb6", NULL);
	/* None of these is an escape sequence; \x00 would end the string. */
	expect_record("E:ID_FS_LABEL_ENC=\\x2\n", NULL, "\\x2", NULL);
	expect_record("E:ID_FS_LABEL_ENC=\\x\n", NULL, "\\x", NULL);
	expect_record("E:ID_FS_LABEL_ENC=\\\n", NULL, "\\", NULL);
	expect_record("E:ID_FS_LABEL_ENC=\\xg0\\X20\n", NULL, "\\xg0\\X20",
		      NULL);
	expect_record("E:ID_FS_LABEL_ENC=a\\x00b\n", NULL, "a\\x00b", NULL);
}

static void only_whole_keys_count(void **state __attribute__((unused)))
{
	expect_record("E:ID_FS_LABELS=plain\nE:ID_FS_UUID=plain\n"
		      "E:ID_FS_TYPES=x\nS:ID_FS_TYPE=x\nID_FS_TYPE=x\n"
		      "E:XID_FS_TYPE=x\n E:ID_FS_TYPE=x\n",
		      NULL, NULL, NULL);
}

/* Of a record that somebody has shortened. */
static void label_that_is_not_encoded(void **state __attribute__((unused)))
{
	expect_record("E:ID_FS_LABEL=a_b\n", NULL, "a_b", NULL);
	expect_record("E:ID_FS_LABEL=a_b\nE:ID_FS_LABEL_ENC=a\\x20b\n", NULL,
		      "a b", NULL);
	expect_record("E:ID_FS_LABEL=\n", NULL, NULL, NULL);
}

static void empty_values_are_unknown(void **state __attribute__((unused)))
{
	expect_record("E:ID_FS_TYPE=\nE:ID_FS_LABEL_ENC=\n", NULL, NULL, NULL);
}

static void last_line_without_its_end(void **state __attribute__((unused)))
{
	expect_record("E:ID_FS_UUID_ENC=7C2E-9A10\nE:ID_FS_TYPE=vfat", "vfat",
		      NULL, "7C2E-9A10");
}

static void first_of_two_counts(void **state __attribute__((unused)))
{
	expect_record("E:ID_FS_TYPE=one\nE:ID_FS_TYPE=two\n", "one", NULL,
		      NULL);
}

static void odd_records(void **state __attribute__((unused)))
{
	expect_record("", NULL, NULL, NULL);
	expect_record("\n\n\n", NULL, NULL, NULL);
	expect_record("\xff\xfe\x80", NULL, NULL, NULL);
}

static void what_is_known_stays(void **state __attribute__((unused)))
{
	struct device_names device = { .fstype = strdup("xfs") };
	struct sysroot root;

	open_fixture(&root, FIXTURE("lvm-many"));
	assert_int_equal(names_udev_lookup(&root, 253, 3, &device), 0);
	same_string(device.fstype, "xfs");
	same_string(device.label, "Größe 日本");
	device_names_deinit(&device);
	sysroot_deinit(&root);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(reads_a_captured_record),
		cmocka_unit_test(no_record_is_no_error),
		cmocka_unit_test(escapes_are_decoded),
		cmocka_unit_test(only_whole_keys_count),
		cmocka_unit_test(label_that_is_not_encoded),
		cmocka_unit_test(empty_values_are_unknown),
		cmocka_unit_test(last_line_without_its_end),
		cmocka_unit_test(first_of_two_counts),
		cmocka_unit_test(odd_records),
		cmocka_unit_test(what_is_known_stays),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
