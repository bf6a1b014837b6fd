// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Looks at mounts that it makes itself, in a namespace of its own: one of the
 * host's may belong to a server that never answers.
 */
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

/* What is mounted, by this process and once more by the container. */
static const char *const places[] = {
	"/proc/tty", /* here every lookup asks the filesystem again */
	"/sys/fs",
	"/sys/fs/deep",
	"/sys/fs/one/two",
};

static bool make_mounts(void)
{
	for (size_t i = 0; i < COUNT_OF(places); i++) {
		mkdir("/sys/fs/one", 0755);
		mkdir(places[i], 0755);
		if (mount("none", places[i], "tmpfs", 0, NULL) < 0)
			return false;
	}
	return true;
}

/* A process with mounts of its own at the same places. */
static pid_t start_container(void)
{
	int ready[2];
	pid_t pid;
	char byte;

	assert_int_equal(pipe(ready), 0);
	pid = fork();
	assert_true(pid >= 0);
	if (pid == 0) {
		close(ready[0]);
		if (unshare(CLONE_NEWNS) == 0 && make_mounts() &&
		    write(ready[1], "", 1) == 1)
			pause();
		_exit(1);
	}
	close(ready[1]);
	assert_int_equal(read(ready[0], &byte, 1), 1);
	close(ready[0]);
	return pid;
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

static void expect_places(const struct all_mounts *mounts, const char *root)
{
	char path[128];

	for (size_t i = 0; i < COUNT_OF(places); i++) {
		snprintf(path, sizeof(path), "%s%s", root, places[i]);
		expect_same(mounts, path);
		assert_non_null(
			all_mounts_find_place(mounts, path, strlen(path)));
	}
}

static void local_mounts_need_no_waiting(void **state __attribute__((unused)))
{
	struct sysroot root = { .fd = -1 };
	struct all_mounts mounts;
	char of_container[64];
	pid_t container;
	bool own;

	assert_int_equal(separate_mounts(&own), 0);
	if (!own)
		SKIP_BECAUSE("no mounts of its own: not root, or in a chroot");
	assert_true(make_mounts());
	container = start_container();
	assert_int_equal(all_mounts_init(&mounts, &root), 0);
	expect_same(&mounts, "/");
	expect_places(&mounts, "");
	snprintf(of_container, sizeof(of_container), "/proc/%d/root",
		 container);
	expect_places(&mounts, of_container);
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
