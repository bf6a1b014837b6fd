// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/absolute_path.h"
#include "mounts.h"
#include "test.h"

static char directory[] = "/tmp/absolute-XXXXXX";

static void absolute_paths_stay(void **state __attribute__((unused)))
{
	char path[PATH_MAX];

	assert_int_equal(absolute_path("/a/../b", path), 0);
	assert_string_equal(path, "/a/../b");
}

static void relative_paths_begin_here(void **state __attribute__((unused)))
{
	char path[PATH_MAX], expected[PATH_MAX];

	assert_int_equal(chdir(directory), 0);
	assert_int_equal(absolute_path("./a", path), 0);
	snprintf(expected, sizeof(expected), "%s/./a", directory);
	assert_string_equal(path, expected);
	assert_int_equal(chdir("/"), 0);
	assert_int_equal(absolute_path("a", path), 0);
	assert_string_equal(path, "/a");
}

static void long_paths_are_refused(void **state __attribute__((unused)))
{
	char path[PATH_MAX], longest[PATH_MAX];

	memset(longest, 'a', sizeof(longest) - 1);
	longest[sizeof(longest) - 1] = '\0';
	assert_int_equal(absolute_path(longest, path), -ENAMETOOLONG);
	*longest = '/';
	assert_int_equal(absolute_path(longest, path), 0);
	assert_string_equal(path, longest);
}

static void removed_directories_have_no_path(void **state
					     __attribute__((unused)))
{
	char path[PATH_MAX], gone[sizeof(directory) + 5];

	snprintf(gone, sizeof(gone), "%s/gone", directory);
	assert_int_equal(mkdir(gone, 0700), 0);
	assert_int_equal(chdir(gone), 0);
	assert_int_equal(rmdir(gone), 0);
	assert_int_equal(absolute_path("a", path), -ENOENT);
	assert_int_equal(absolute_path("/a", path), 0);
	assert_int_equal(chdir("/"), 0);
}

/* The kernel then says "(unreachable)/". */
static void unmounted_directories_have_no_path(void **state
					       __attribute__((unused)))
{
	char path[PATH_MAX];

	if (geteuid() != 0)
		fail_msg("only root can mount");
	assert_int_equal(mount("none", directory, "tmpfs", 0, NULL), 0);
	assert_int_equal(chdir(directory), 0);
	assert_int_equal(umount2(directory, MNT_DETACH), 0);
	assert_int_equal(absolute_path("a", path), -ENOENT);
	assert_int_equal(chdir("/"), 0);
}

static int make_directory(void **state __attribute__((unused)))
{
	bool own;

	if (!mkdtemp(directory))
		return -1;
	return separate_mounts(&own);
}

static int remove_directory(void **state __attribute__((unused)))
{
	return rmdir(directory);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(absolute_paths_stay),
		cmocka_unit_test(relative_paths_begin_here),
		cmocka_unit_test(long_paths_are_refused),
		cmocka_unit_test(removed_directories_have_no_path),
		cmocka_unit_test(unmounted_directories_have_no_path),
	};

	return cmocka_run_group_tests(tests, make_directory, remove_directory);
}
