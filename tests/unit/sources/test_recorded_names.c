// SPDX-License-Identifier: GPL-2.0-or-later
#include <sys/sysmacros.h>

#include "measure/snapshot.h"
#include "names/device_find.h"
#include "names/mountinfo.h"
#include "names/recorded_names.h"
#include "names_fixture.h"
#include "tree.h"

/* A host that was recorded, with the document @text, or without one. */
static void open_recorded(struct tree_fixture *host, const char *text)
{
	tree_create(&host->tree);
	if (text)
		tree_add_text(&host->tree, RECORDED_NAMES + 1, text);
	open_fixture(&host->root, host->tree.path);
	host->root.is_recorded = true;
}

static void close_recorded(struct tree_fixture *host)
{
	sysroot_deinit(&host->root);
	tree_destroy(&host->tree);
}

/* As the recorder writes it, but not sorted. */
static const char three[] =
	"{\"names\":[{\"maj:min\":\"253:1\",\"name\":\"vg0-swap\","
	"\"fstype\":\"swap\",\"mountpoints\":[\"[SWAP]\"]},"
	"{\"maj:min\":\"8:2\",\"name\":\"sda2\",\"fstype\":\"ext4\","
	"\"mountpoints\":[\"/\",\"/srv/the team\"]},"
	"{\"maj:min\":\"8:1\",\"name\":\"sda1\",\"fstype\":\"vfat\","
	"\"mountpoints\":[]}],\"filesystems\":[]}";

static void expect_names(const char *text, unsigned int major,
			 unsigned int minor, const char *name,
			 const char *fstype, const char *mountpoints,
			 bool has_mounts)
{
	const struct sample sample = { .major = major,
				       .minor = minor,
				       .kname = (char *)"dm-1" };
	struct tree_fixture host;
	struct device_names device;
	struct names *names;

	open_recorded(&host, text);
	names = names_create(&host.root);
	assert_non_null(names);
	assert_int_equal(names_lookup(names, &sample, &device), 0);
	same_string(device.name, name);
	same_string(device.fstype, fstype);
	expect_list(&device.mountpoints, mountpoints);
	assert_int_equal(device.has_mounts, has_mounts);
	device_names_deinit(&device);
	names_destroy(names);
	close_recorded(&host);
}

static void devices_are_as_recorded(void **state __attribute__((unused)))
{
	expect_names(three, 253, 1, "vg0-swap", "swap", "[SWAP]", true);
	expect_names(three, 8, 2, "sda2", "ext4", "/|/srv/the team", true);
	expect_names(three, 8, 1, "sda1", "vfat", "", true);
	expect_names(three, 8, 3, "dm-1", NULL, "", true);
}

/* Then nobody knows what was mounted: that is not nothing. */
static void without_names_mounts_are_unknown(void **state
					     __attribute__((unused)))
{
	expect_names(NULL, 8, 2, "dm-1", NULL, "", false);
	expect_names("{\"names\":[{\"maj:min\":\"8\"}]}", 8, 2, "dm-1", NULL,
		     "", false);
}

static void devices_are_found(void **state __attribute__((unused)))
{
	const struct {
		const char *word;
		const char *node; /* NULL: there is none */
		dev_t number;
	} cases[] = {
		{ "sda2", "/dev/sda2", makedev(8, 2) },
		{ "/dev/vg0/swap", "/dev/vg0-swap", makedev(253, 1) },
		{ "/dev/mapper/vg0-swap", "/dev/vg0-swap", makedev(253, 1) },
		{ "8:1", "/dev/sda1", makedev(8, 1) },
		{ "8:3", NULL, 0 },
		{ "sda3", NULL, 0 },
	};
	struct tree_fixture host;

	open_recorded(&host, three);
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct found_device found;
		int ret = device_find(&host.root, cases[i].word, &found, NULL);

		assert_int_equal(ret, cases[i].node ? 0 : -ENOENT);
		same_string(found.node, cases[i].node);
		assert_int_equal(found.number, cases[i].number);
		found_device_deinit(&found);
	}
	close_recorded(&host);
}

/* Whoever asks for mounts has those of the devices. */
static void mounts_are_those_of_devices(void **state __attribute__((unused)))
{
	struct tree_fixture host;
	struct mountinfo info;

	open_recorded(&host, three);
	assert_int_equal(
		mountinfo_init(&info, &host.root, "/proc/self/mountinfo"), 0);
	assert_int_equal(info.error, 0);
	assert_int_equal(info.count, 2);
	assert_int_equal(info.mounts[1].major, 8);
	assert_int_equal(info.mounts[1].minor, 2);
	assert_string_equal(info.mounts[1].target, "/srv/the team");
	assert_string_equal(info.mounts[1].type, "ext4");
	assert_string_equal(info.mounts[1].source, "/dev/sda2");
	mountinfo_deinit(&info);
	close_recorded(&host);

	open_recorded(&host, NULL);
	assert_int_equal(
		mountinfo_init(&info, &host.root, "/proc/self/mountinfo"), 0);
	assert_int_equal(info.error, -ENOENT);
	assert_int_equal(info.count, 0);
	mountinfo_deinit(&info);
	close_recorded(&host);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(devices_are_as_recorded),
		cmocka_unit_test(without_names_mounts_are_unknown),
		cmocka_unit_test(devices_are_found),
		cmocka_unit_test(mounts_are_those_of_devices),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
