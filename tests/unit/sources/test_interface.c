// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The ioctls of the module as version 1 has them. A program that was built with
 * that header goes on working as long as this test is not changed.
 */
#include <stddef.h>

#include <bufstat/filesystems.h>

#include "test.h"

#define PLACE(of, member)                                                      \
#of "." #member, offsetof(struct of, member),                          \
		sizeof(((struct of *)0)->member)

static const struct {
	const char *name;
	size_t offset, size; /* bytes */
	size_t was, had;
} places[] = {
	{ PLACE(bufstat_version, version), 0, 4 },
	{ PLACE(bufstat_version, page_size), 4, 4 },
	{ PLACE(bufstat_version, module_version), 8, 24 },
	{ PLACE(bufstat_filesystem, version), 0, 4 },
	{ PLACE(bufstat_filesystem, fd), 4, 4 },
	{ PLACE(bufstat_filesystem, flags), 8, 4 },
	{ PLACE(bufstat_filesystem, about), 12, 4 },
	{ PLACE(bufstat_filesystem, major), 16, 4 },
	{ PLACE(bufstat_filesystem, minor), 20, 4 },
	{ PLACE(bufstat_filesystem, magic), 24, 8 },
	{ PLACE(bufstat_filesystem, inodes), 32, 8 },
	{ PLACE(bufstat_filesystem, pages), 40, 8 },
	{ PLACE(bufstat_filesystem, with_pages), 48, 8 },
	{ PLACE(bufstat_filesystem, dirty_pages), 56, 8 },
	{ PLACE(bufstat_filesystem, writeback_pages), 64, 8 },
	{ PLACE(bufstat_filesystem, uncounted_inodes), 72, 8 },
	{ PLACE(bufstat_filesystem, holds), 80, 8 },
	{ PLACE(bufstat_filesystem, longest_hold_ns), 88, 8 },
	{ PLACE(bufstat_filesystem, walk_ns), 96, 8 },
	{ PLACE(bufstat_filesystem, type), 104, 32 },
	{ PLACE(bufstat_filesystem, id), 136, 32 },
	{ PLACE(bufstat_filesystem, unevictable_pages), 168, 8 },
	{ PLACE(bufstat_filesystem, reserved), 176, 24 },
	{ PLACE(bufstat_file, ino), 0, 8 },
	{ PLACE(bufstat_file, pages), 8, 8 },
	{ PLACE(bufstat_file, size_bytes), 16, 8 },
	{ PLACE(bufstat_file, mode), 24, 4 },
	{ PLACE(bufstat_file, about), 28, 4 },
	{ PLACE(bufstat_file, links), 32, 4 },
	{ PLACE(bufstat_file, wb_err), 36, 4 },
	{ PLACE(bufstat_file, dirty_pages), 40, 4 },
	{ PLACE(bufstat_file, writeback_pages), 44, 4 },
	{ PLACE(bufstat_file, reserved), 48, 8 },
	{ PLACE(bufstat_file, path), 56, 4040 },
	{ PLACE(bufstat_files, version), 0, 4 },
	{ PLACE(bufstat_files, fd), 4, 4 },
	{ PLACE(bufstat_files, flags), 8, 4 },
	{ PLACE(bufstat_files, capacity), 12, 4 },
	{ PLACE(bufstat_files, rows), 16, 8 },
	{ PLACE(bufstat_files, count), 24, 4 },
	{ PLACE(bufstat_files, major), 28, 4 },
	{ PLACE(bufstat_files, minor), 32, 4 },
	{ PLACE(bufstat_files, about), 36, 4 },
	{ PLACE(bufstat_files, inodes), 40, 8 },
	{ PLACE(bufstat_files, pages), 48, 8 },
	{ PLACE(bufstat_files, with_pages), 56, 8 },
	{ PLACE(bufstat_files, missed), 64, 8 },
	{ PLACE(bufstat_files, reserved), 72, 32 },
	{ PLACE(bufstat_held_filesystem, major), 0, 4 },
	{ PLACE(bufstat_held_filesystem, minor), 4, 4 },
	{ PLACE(bufstat_held_filesystem, about), 8, 4 },
	{ PLACE(bufstat_held_filesystem, seconds), 12, 4 },
	{ PLACE(bufstat_held_filesystem, inodes), 16, 8 },
	{ PLACE(bufstat_held_filesystem, type), 24, 32 },
	{ PLACE(bufstat_held_filesystem, id), 56, 32 },
	{ PLACE(bufstat_held, version), 0, 4 },
	{ PLACE(bufstat_held, count), 4, 4 },
	{ PLACE(bufstat_held, rows), 8, 704 },
	{ PLACE(bufstat_held, reserved), 712, 8 },
};

static void fields_stay_where_they_are(void **state __attribute__((unused)))
{
	for (size_t i = 0; i < COUNT_OF(places); i++) {
		if (places[i].offset != places[i].was ||
		    places[i].size != places[i].had)
			fail_msg("%s", places[i].name);
	}
	assert_int_equal(BUFSTAT_FILESYSTEMS_VERSION, 1);
}

static void numbers_stay(void **state __attribute__((unused)))
{
	/* Not every processor has the direction in the same bits. */
	assert_int_equal(BUFSTAT_IOC_VERSION, _IOC(_IOC_READ, 0xbf, 0, 0x20));
	assert_int_equal(BUFSTAT_IOC_FILESYSTEM,
			 _IOC(_IOC_READ | _IOC_WRITE, 0xbf, 1, 0xc8));
	assert_int_equal(BUFSTAT_IOC_FILES,
			 _IOC(_IOC_READ | _IOC_WRITE, 0xbf, 2, 0x68));
	assert_int_equal(BUFSTAT_IOC_HELD,
			 _IOC(_IOC_READ | _IOC_WRITE, 0xbf, 3, 0x2d0));
	assert_int_equal(BUFSTAT_FS_SHMEM, 0x1);
	assert_int_equal(BUFSTAT_FS_INTERNAL, 0x2);
	assert_int_equal(BUFSTAT_FS_HAS_DIRTY, 0x4);
	assert_int_equal(BUFSTAT_FS_HAS_UNEVICTABLE, 0x8);
	assert_int_equal(BUFSTAT_FS_ONE_FILE, 0x10);
	assert_int_equal(BUFSTAT_FS_TELLS_ERRORS, 0x20);
	assert_int_equal(BUFSTAT_FILE_DELETED, 0x1);
	assert_int_equal(BUFSTAT_FILE_HAS_PATH, 0x2);
	assert_int_equal(BUFSTAT_FILE_HAS_NAME, 0x4);
	assert_int_equal(BUFSTAT_FILE_HAS_WB_ERR, 0x8);
	assert_int_equal(BUFSTAT_FILE_HAS_DIRTY, 0x10);
	assert_int_equal(BUFSTAT_FILES_ONE, 0x1);
	assert_int_equal(BUFSTAT_HELD_FROZEN, 0x1);
	assert_int_equal(BUFSTAT_HELD_THREAD(0x12345601), 0x123456);
	assert_int_equal(BUFSTAT_HELD_ABOUT_THREAD(0x123456), 0x12345600);
	assert_int_equal(BUFSTAT_FILES_MAX, 1024);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(fields_stay_where_they_are),
		cmocka_unit_test(numbers_stay),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
