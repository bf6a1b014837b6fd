// SPDX-License-Identifier: GPL-2.0-or-later
#include <string.h>

#include "capture/capture_filter.h"
#include "test.h"

struct filter_case {
	const char *text;
	const char *wanted;
};

static void expect(void (*filter)(char *text), const struct filter_case *cases,
		   size_t count)
{
	for (size_t i = 0; i < count; i++) {
		char text[256];

		strcpy(text, cases[i].text);
		filter(text);
		assert_string_equal(text, cases[i].wanted);
	}
}

static void mounts(void **state __attribute__((unused)))
{
	static const struct filter_case cases[] = {
		{ "", "" },
		{ "36 35 98:0 / /mnt rw,noatime - ext3 /dev/root rw,x=y\n",
		  "36 35 98:0 / /mnt rw - ext3 /dev/root rw\n" },
		/* Any number of tags comes before the dash. */
		{ "36 35 98:0 / /mnt ro shared:1 master:2 - btrfs /dev/a ro\n"
		  "1 2 0:1 / /p rw,user=me - proc proc rw\n",
		  "36 35 98:0 / /mnt ro shared:1 master:2 - btrfs /dev/a ro\n"
		  "1 2 0:1 / /p rw - proc proc rw\n" },
		/* A mount point that is called "-", and no source at all. */
		{ "1 2 0:1 / - rw - tmpfs none rw\n",
		  "1 2 0:1 / - rw - tmpfs none rw\n" },
		{ "1 2 0:1 / /n rw - nfs4 10.0.0.1:/export rw,addr=10.0.0.1\n",
		  "1 2 0:1 / /n rw - nfs4 - rw\n" },
		{ "1 2 0:1 / /n rw - fuse.sshfs me@host rw,user_id=0\n",
		  "1 2 0:1 / /n rw - fuse.sshfs - rw\n" },
		{ "1 2 0:1 / /o rw - overlay overlay lowerdir=/secret\n",
		  "1 2 0:1 / /o rw - overlay overlay -\n" },
		/* Cut short. */
		{ "1 2 0:1 / /o rw,secr", "1 2 0:1 / /o rw" },
		{ "1 2", "1 2" },
		{ "\n\n", "\n\n" },
	};

	expect(capture_filter_mountinfo, cases, COUNT_OF(cases));
}

static void sources(void **state __attribute__((unused)))
{
	static const struct filter_case cases[] = {
		{ "", "" },
		{ "/dev/vda1", "/dev/vda1" },
		{ "overlay", "overlay" },
		{ "10.0.0.1:/export", "-" },
		{ "me@host", "-" },
		{ "my share", "-" },
		{ "/home/me/image", "-" },
	};

	expect(capture_filter_source, cases, COUNT_OF(cases));
}

static void udev_records(void **state __attribute__((unused)))
{
	static const struct filter_case cases[] = {
		{ "", "" },
		{ "E:ID_FS_TYPE=xfs", "E:ID_FS_TYPE=xfs" },
		{ "S:disk/by-id/x\nE:ID_FS_UUID=1\nE:ID_SERIAL=2\n"
		  "E:DM_NAME=root\nE:DM_UUID=3\nG:systemd\n",
		  "E:ID_FS_UUID=1\nE:DM_NAME=root\n" },
		{ "E:ID_PART_ENTRY_NAME=a\nE:ID_PART_ENTRY_UUID=b\n"
		  "E:ID_PART_ENTRY_DISK=8:0\n",
		  "E:ID_PART_ENTRY_NAME=a\nE:ID_PART_ENTRY_UUID=b\n" },
		{ "X:E:ID_FS_TYPE=1\n", "" },
	};

	expect(capture_filter_udev, cases, COUNT_OF(cases));
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(mounts),
		cmocka_unit_test(sources),
		cmocka_unit_test(udev_records),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
