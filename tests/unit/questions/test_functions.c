// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The filter of functions is their places in the kernel's list, which move when
 * a module is loaded or unloaded meanwhile: what was set is read again.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "calls/functions.h"
#include "calls/tracing_file.h"
#include "lib/cleanup.h"
#include "lib/error.h"
#include "test.h"

static const char *const files[] = { "error_log", "available_filter_functions",
				     "set_ftrace_filter" };

static void put(int directory, const char *file, const char *text)
{
	_cleanup_(closep) int fd =
		openat(directory, file, O_WRONLY | O_CREAT | O_TRUNC, 0600);

	assert_int_equal(write(fd, text, strlen(text)), strlen(text));
}

static void test_places_that_moved(void **state)
{
	char name[] = "/tmp/functions.XXXXXX";
	char *patterns[] = { "vfs_*" };
	const struct function_wish wish = { .patterns = patterns,
					    .pattern_count = 1 };
	_cleanup_(functions_deinit) struct functions functions = { 0 };
	_cleanup_(closep) int fd = -1;
	struct error err;
	int ret;

	(void)state;
	assert_non_null(mkdtemp(name));
	fd = open(name, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	put(fd, files[0], "");
	put(fd, files[1], "other [m]\nvfs_read\nother\nvfs_write [m]\n");
	ret = functions_init(&functions, fd, &wish, &err);
	/* Only root reads addresses; the filter is there before them. */
	assert_true(ret == 0 || ret == -EOPNOTSUPP);
	assert_string_equal(functions.filter, "2 4 ");
	put(fd, files[2], "vfs_read\nvfs_write [m]\n");
	assert_int_equal(functions_check(&functions, fd, &err), 0);
	put(fd, files[2], "vfs_read\nvfs_writev [m]\n");
	assert_int_equal(functions_check(&functions, fd, &err), -EAGAIN);
	put(fd, files[2], "vfs_read\n");
	assert_int_equal(functions_check(&functions, fd, &err), -EAGAIN);
	for (size_t i = 0; i < sizeof(files) / sizeof(*files); i++)
		unlinkat(fd, files[i], 0);
	rmdir(name);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_places_that_moved),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
