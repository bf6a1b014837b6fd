// SPDX-License-Identifier: GPL-2.0-or-later
#include "test.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "lib/error.h"
#include "lib/string_list.h"
#include "lib/sysroot.h"
#include "repro/lab.h"

#define PATIENCE 1000
#define PAUSE_US 10000

static const struct sysroot host = { .fd = -1, .prefix = "" };

/* Labs are made in the test's own directory. */
static char place[64];

static int make_place(void **state)
{
	(void)state;
	snprintf(place, sizeof(place), "/tmp/test_lab.XXXXXX");
	return mkdtemp(place) ? 0 : -1;
}

/* Fails if a test has left something there. */
static int remove_place(void **state)
{
	(void)state;
	return rmdir(place);
}

static bool is_there(const char *path)
{
	return access(path, F_OK) == 0;
}

static size_t removed_by_search(void)
{
	struct string_list removed = { 0 };
	struct error err;
	size_t count;

	assert_int_equal(lab_remove_dead(&host, place, &removed, &err), 0);
	count = removed.count;
	string_list_deinit(&removed);
	return count;
}

static void made_and_destroyed(void **state)
{
	struct stat status;
	struct error err;
	struct lab lab;

	(void)state;
	assert_int_equal(lab_create(&lab, &host, place, false, &err), 0);
	assert_memory_equal(lab.path, place, strlen(place));
	assert_int_equal(stat(lab.path, &status), 0);
	assert_int_equal(status.st_mode & 07777, 0700);
	assert_true(is_there(lab.mount_point));
	assert_int_equal(lab_destroy(&lab, &err), 0);
	assert_int_equal(lab_destroy(&lab, &err), 0);
}

static void one_that_is_alive_stays(void **state)
{
	struct error err;
	struct lab lab;

	(void)state;
	assert_int_equal(lab_create(&lab, &host, place, false, &err), 0);
	assert_int_equal(removed_by_search(), 0);
	/* The owner is alive, even without its guard. */
	kill(lab.guard, SIGKILL);
	assert_int_equal(removed_by_search(), 0);
	assert_true(is_there(lab.mount_point));
	assert_int_equal(lab_destroy(&lab, &err), 0);
}

/* Makes a lab in a process that is then killed. Sets @path to the lab's. */
static void kill_owner(bool guard_too, char *path, size_t size)
{
	struct error err;
	struct lab lab;
	int ends[2];
	pid_t pid;

	assert_int_equal(pipe(ends), 0);
	pid = fork();
	if (pid == 0) {
		if (lab_create(&lab, &host, place, false, &err) < 0)
			_exit(1);
		if (guard_too)
			kill(lab.guard, SIGKILL);
		if (write(ends[1], lab.path, strlen(lab.path) + 1) < 0)
			_exit(1);
		raise(SIGKILL);
	}
	close(ends[1]);
	assert_true(read(ends[0], path, size) > 0);
	close(ends[0]);
	assert_int_equal(waitpid(pid, NULL, 0), pid);
}

static void the_guard_removes_it(void **state)
{
	char path[256];

	(void)state;
	kill_owner(false, path, sizeof(path));
	for (int i = 0; i < PATIENCE && is_there(path); i++)
		usleep(PAUSE_US);
	assert_false(is_there(path));
	assert_int_equal(removed_by_search(), 0);
}

static void without_the_guard_the_next_run_does(void **state)
{
	char path[256];

	(void)state;
	kill_owner(true, path, sizeof(path));
	assert_true(is_there(path));
	assert_int_equal(removed_by_search(), 1);
	assert_false(is_there(path));
}

static void what_is_kept_stays(void **state)
{
	char path[256], file[300];
	int fd;

	(void)state;
	kill_owner(true, path, sizeof(path));
	snprintf(file, sizeof(file), "%s/disk", path);
	fd = open(file, O_WRONLY | O_CREAT, 0600);
	assert_true(fd >= 0);
	close(fd);
	assert_int_equal(removed_by_search(), 0);
	assert_true(is_there(file));
	unlink(file);
	assert_int_equal(removed_by_search(), 1);
}

static void nowhere_to_make_it(void **state)
{
	struct error err;
	struct lab lab;

	(void)state;
	assert_int_equal(lab_create(&lab, &host, "/nowhere", false, &err),
			 -ENOENT);
	assert_null(lab.path);
	assert_int_equal(lab.fd, -1);
	assert_non_null(
		strstr(text_of(&err), "making a lab: /nowhere: No such"));
	assert_non_null(strstr(text_of(&err), "--place"));
}

int main(void)
{
#define TEST(test)                                                             \
	cmocka_unit_test_setup_teardown(test, make_place, remove_place)
	const struct CMUnitTest tests[] = {
		TEST(made_and_destroyed),
		TEST(one_that_is_alive_stays),
		TEST(the_guard_removes_it),
		TEST(without_the_guard_the_next_run_does),
		TEST(what_is_kept_stays),
		cmocka_unit_test(nowhere_to_make_it),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
