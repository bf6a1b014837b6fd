// SPDX-License-Identifier: GPL-2.0-or-later
/* Runs on the host, with its own mounts. */
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "filesystems/all_mounts.h"
#include "filesystems/lookup.h"
#include "lib/sysroot.h"
#include "mounts.h"
#include "test.h"

/* The child's mounts, in its own mount namespace. */
static const char *const places[] = {
	"/proc/tty", /* here every lookup asks the filesystem again */
	"/sys/fs",   "/sys/fs/deep", "/tmp", "/tmp/one/two",
};

enum { NOT_MOUNTED = 4 };

static void make_mounts(void)
{
	bool own;

	if (separate_mounts(&own) < 0)
		_exit(1);
	if (!own)
		_exit(NOT_MOUNTED);
	for (size_t i = 0; i < COUNT_OF(places); i++) {
		const char *name = strrchr(places[i], '/');

		if (strcmp(name, "/deep") == 0)
			mkdir(places[i], 0755);
		if (strcmp(name, "/two") == 0) {
			mkdir("/tmp/one", 0755);
			mkdir(places[i], 0755);
		}
		if (mount("none", places[i], "tmpfs", 0, NULL) < 0)
			_exit(2);
	}
}

static pid_t start_container(void)
{
	int ready[2], status;
	pid_t pid;
	char byte;

	assert_int_equal(pipe(ready), 0);
	pid = fork();
	assert_true(pid >= 0);
	if (pid == 0) {
		close(ready[0]);
		make_mounts();
		if (write(ready[1], "", 1) == 1)
			pause();
		_exit(3);
	}
	close(ready[1]);
	if (read(ready[0], &byte, 1) == 1) {
		close(ready[0]);
		return pid;
	}
	close(ready[0]);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	if (!WIFEXITED(status) || WEXITSTATUS(status) != NOT_MOUNTED)
		fail_msg("no mounts: %d", status);
	skip();
	return -1;
}

static void expect_same(const struct all_mounts *mounts, const char *path)
{
	int fd = lookup_mountpoint(mounts, path);
	int other = open(path, O_PATH | O_NOFOLLOW | O_CLOEXEC);
	struct stat status, wanted;

	if (fd < 0)
		fail_msg("%s: %s", path, strerror(-fd));
	assert_true(other >= 0);
	assert_int_equal(fstat(fd, &status), 0);
	assert_int_equal(fstat(other, &wanted), 0);
	assert_int_equal(status.st_dev, wanted.st_dev);
	assert_int_equal(status.st_ino, wanted.st_ino);
	close(fd);
	close(other);
}

static void local_mounts_need_no_waiting(void **state __attribute__((unused)))
{
	pid_t container = start_container();
	struct sysroot root = { .fd = -1 };
	struct all_mounts mounts;
	char path[128];
	size_t of_container = 0;

	assert_int_equal(all_mounts_init(&mounts, &root), 0);
	for (size_t i = 0; i < mounts.count; i++) {
		const struct mounted *mounted = &mounts.mounts[i];

		for (size_t j = 0; j < mounted->mountpoints.count; j++)
			expect_same(&mounts, mounted->mountpoints.strings[j]);
	}
	for (size_t i = 0; i < COUNT_OF(places); i++) {
		snprintf(path, sizeof(path), "/proc/%d/root%s", container,
			 places[i]);
		expect_same(&mounts, path);
		of_container += all_mounts_find_place(&mounts, path,
						      strlen(path)) != NULL;
	}
	assert_int_equal(of_container, COUNT_OF(places));
	all_mounts_deinit(&mounts);
	kill(container, SIGKILL);
	waitpid(container, NULL, 0);
}

static void what_is_gone_is_said(void **state __attribute__((unused)))
{
	const struct all_mounts none = { 0 };

	assert_int_equal(lookup_path("/proc/self/no such file"), -EAGAIN);
	assert_int_equal(lookup_mountpoint(&none, "/proc/1000000000/root/tmp"),
			 -ENOENT);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(local_mounts_need_no_waiting),
		cmocka_unit_test(what_is_gone_is_said),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
