// SPDX-License-Identifier: GPL-2.0-or-later
#include "names/names_blkid.h"
#include "names_fixture.h"
#include "tree.h"

static void look_up(const char *path, const char *kname, const char *name,
		    struct device_names *device)
{
	struct blkid_file *file;
	struct sysroot root;

	*device = (struct device_names){ 0 };
	device->kname = strdup(kname);
	device->name = strdup(name);
	open_fixture(&root, path);
	file = names_blkid_open(&root);
	assert_non_null(file);
	assert_int_equal(names_blkid_lookup(file, device), 0);
	names_blkid_close(file);
	sysroot_deinit(&root);
}

/* Expects these values for sda1 from the file @text. */
static void expect_text(const char *text, const char *fstype, const char *label,
			const char *uuid)
{
	struct device_names device;
	struct tree tree;

	tree_create(&tree);
	tree_add_text(&tree, "run/blkid/blkid.tab", text);
	look_up(tree.path, "sda1", "sda1", &device);
	same_string(device.fstype, fstype);
	same_string(device.label, label);
	same_string(device.uuid, uuid);
	device_names_deinit(&device);
	tree_destroy(&tree);
}

static void reads_a_captured_file(void **state __attribute__((unused)))
{
	struct device_names device;

	look_up(FIXTURE("blkid-only"), "sda2", "sda2", &device);
	same_string(device.fstype, "ext4");
	same_string(device.label, "the root");
	same_string(device.uuid, "bb000000-0000-4000-8000-000000000802");
	device_names_deinit(&device);

	look_up(FIXTURE("blkid-only"), "dm-0", "vg-data", &device);
	same_string(device.fstype, "xfs");
	same_string(device.label, NULL);
	device_names_deinit(&device);

	look_up(FIXTURE("blkid-only"), "sda", "sda", &device);
	same_string(device.fstype, NULL);
	device_names_deinit(&device);
}

static void no_file(void **state __attribute__((unused)))
{
	struct sysroot root;

	open_fixture(&root, FIXTURE("container"));
	assert_null(names_blkid_open(&root));
	names_blkid_close(NULL);
	sysroot_deinit(&root);
}

static void values_are_unescaped(void **state __attribute__((unused)))
{
	expect_text("<device LABEL=\"a\\\"b\\\\c $d>\xc3\xa9\" TYPE=\"ext2\">"
		    "/dev/sda1</device>\n",
		    "ext2", "a\"b\\c $d>\xc3\xa9", NULL);
	expect_text("<device LABEL=\"</device>\" TYPE=\"ext2\">"
		    "/dev/sda1</device>",
		    "ext2", "</device>", NULL);
}

static void only_whole_keys_count(void **state __attribute__((unused)))
{
	expect_text("<device UUID_SUB=\"sub\" SEC_TYPE=\"ext2\" "
		    "PARTLABEL=\"part\" PTTYPE=\"gpt\" PARTUUID=\"x\">"
		    "/dev/sda1</device>\n",
		    NULL, NULL, NULL);
}

static void other_devices_are_others(void **state __attribute__((unused)))
{
	expect_text("<device TYPE=\"one\">/dev/sda10</device>\n"
		    "<device TYPE=\"two\">/dev/sda</device>\n"
		    "<device TYPE=\"three\">sda1</device>\n"
		    "<device TYPE=\"four\">/dev/disk/sda1</device>\n"
		    "<device TYPE=\"five\"></device>\n",
		    NULL, NULL, NULL);
}

/* A bad line is skipped; the next one is read. */
static void bad_lines_are_skipped(void **state __attribute__((unused)))
{
	static const char *const lines[] = {
		"",
		"<",
		"<device",
		"<device ",
		"<device>",
		"<device TYPE",
		"<device TYPE=",
		"<device TYPE=ext2>/dev/sda1</device>",
		"<device TYPE=\"ext2",
		"<device TYPE=\"ext2\\",
		"<device TYPE=\"ext2\\\">/dev/sda1</device>",
		"<device TYPE=\"ext2\"",
		"<device TYPE=\"ext2\">",
		"<device TYPE=\"ext2\">/dev/sda1",
		"<device TYPE=\"ext2\" garbage>/dev/sda1</device>",
		"<device =\"ext2\">/dev/sda1</device>",
		"<devices TYPE=\"ext2\">/dev/sda1</device>",
		"device TYPE=\"ext2\">/dev/sda1</device>",
		"\xff\xfe",
	};
	char text[512];

	for (size_t i = 0; i < COUNT_OF(lines); i++) {
		snprintf(text, sizeof(text),
			 "%s\n<device TYPE=\"xfs\">/dev/sda1</device>\n",
			 lines[i]);
		expect_text(text, "xfs", NULL, NULL);
	}
}

static void cut_short_at_every_byte(void **state __attribute__((unused)))
{
	char text[] = "<device LABEL=\"a\\\"b\" UUID=\"12\" TYPE=\"ext2\">"
		      "/dev/sda1</device>";

	for (size_t size = strlen(text); size-- > 0;) {
		text[size] = '\0';
		expect_text(text, NULL, NULL, NULL);
	}
}

static void what_is_known_stays(void **state __attribute__((unused)))
{
	struct device_names device = { .kname = strdup("sda2"),
				       .fstype = strdup("known") };
	struct blkid_file *file;
	struct sysroot root;

	open_fixture(&root, FIXTURE("blkid-only"));
	file = names_blkid_open(&root);
	assert_int_equal(names_blkid_lookup(file, &device), 0);
	same_string(device.fstype, "known");
	same_string(device.label, "the root");
	names_blkid_close(file);
	device_names_deinit(&device);
	sysroot_deinit(&root);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(reads_a_captured_file),
		cmocka_unit_test(no_file),
		cmocka_unit_test(values_are_unescaped),
		cmocka_unit_test(only_whole_keys_count),
		cmocka_unit_test(other_devices_are_others),
		cmocka_unit_test(bad_lines_are_skipped),
		cmocka_unit_test(cut_short_at_every_byte),
		cmocka_unit_test(what_is_known_stays),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
