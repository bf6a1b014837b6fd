// SPDX-License-Identifier: GPL-2.0-or-later
#include "test.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "error.h"
#include "lab_owner.h"
#include "sysroot.h"

#define MAX_OWNER 4096

static const struct sysroot host = { .fd = -1, .prefix = "" };

struct lab {
	char *path;
	int fd;
};

static int set_up(void **state)
{
	static struct lab lab;
	struct error err;

	*state = &lab;
	return lab_owner_create(&host, "/tmp", &lab.fd, &lab.path, &err);
}

static int tear_down(void **state)
{
	struct lab *lab = *state;

	unlinkat(lab->fd, LAB_OWNER_FILE, 0);
	rmdir(lab->path);
	close(lab->fd);
	free(lab->path);
	return 0;
}

/* Looks at it as another process would, and lets go again. */
static bool is_dead(const struct lab *lab)
{
	int fd = open(lab->path, O_RDONLY | O_DIRECTORY);
	bool dead = lab_owner_is_dead(&host, fd);

	close(fd);
	return dead;
}

/* What the kernel does when the owner dies: the lock is gone. */
static void lose_lock(struct lab *lab)
{
	close(lab->fd);
	lab->fd = open(lab->path, O_RDONLY | O_DIRECTORY);
}

static void read_owner(const struct lab *lab, char text[MAX_OWNER])
{
	int fd = openat(lab->fd, LAB_OWNER_FILE, O_RDONLY);
	ssize_t got = read(fd, text, MAX_OWNER - 1);

	assert_true(got > 0);
	text[got] = '\0';
	close(fd);
}

static void write_owner(const struct lab *lab, const char *text)
{
	int fd = openat(lab->fd, LAB_OWNER_FILE, O_WRONLY | O_TRUNC);

	assert_int_equal(write(fd, text, strlen(text)), strlen(text));
	close(fd);
}

static void says_who_it_is(void **state)
{
	char text[MAX_OWNER], expected[64];
	struct stat status;

	read_owner(*state, text);
	snprintf(expected, sizeof(expected), "pid %d\nstart ", getpid());
	assert_memory_equal(text, expected, strlen(expected));
	assert_non_null(strstr(text, "\nboot "));
	assert_int_equal(fstat(((struct lab *)*state)->fd, &status), 0);
	assert_int_equal(status.st_mode & 07777, 0700);
}

static void alive_by_its_lock(void **state)
{
	write_owner(*state, "pid 1\nstart 1\nboot x\n");
	assert_false(is_dead(*state));
	lose_lock(*state);
	assert_true(is_dead(*state));
}

static void alive_by_pid_and_start(void **state)
{
	char text[MAX_OWNER], *start;

	lose_lock(*state);
	assert_false(is_dead(*state));
	/* Another process with the pid of one that is dead. */
	read_owner(*state, text);
	start = strstr(text, "start ") + strlen("start ");
	*start = *start == '9' ? '1' : (char)(*start + 1);
	write_owner(*state, text);
	assert_true(is_dead(*state));
}

static void dead_after_a_reboot(void **state)
{
	char text[MAX_OWNER], *boot;

	lose_lock(*state);
	read_owner(*state, text);
	boot = strstr(text, "boot ") + strlen("boot ");
	*boot = *boot == 'f' ? '0' : 'f';
	write_owner(*state, text);
	assert_true(is_dead(*state));
}

static void kept(void **state)
{
	assert_int_equal(lab_owner_keep(((struct lab *)*state)->fd), 0);
	lose_lock(*state);
	assert_false(is_dead(*state));
}

/* Killed before it could write, or while it did. */
static void without_a_whole_file(void **state)
{
	static const char *const texts[] = { "", "pid", "pid 1", "pid 1\nsta" };
	struct lab *lab = *state;

	lose_lock(lab);
	for (size_t i = 0; i < COUNT_OF(texts); i++) {
		write_owner(lab, texts[i]);
		assert_true(is_dead(lab));
	}
	unlinkat(lab->fd, LAB_OWNER_FILE, 0);
	assert_true(is_dead(lab));
}

static void nowhere_to_make_it(void **state)
{
	struct error err;
	char *path;
	int fd;

	(void)state;
	assert_int_equal(lab_owner_create(&host, "/nowhere", &fd, &path, &err),
			 -ENOENT);
	assert_null(path);
	assert_int_equal(fd, -1);
	assert_non_null(strstr(err.text, "making a lab: /nowhere: No such"));
	assert_non_null(strstr(err.text, "--dir"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(says_who_it_is, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(alive_by_its_lock, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(alive_by_pid_and_start, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(dead_after_a_reboot, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(kept, set_up, tear_down),
		cmocka_unit_test_setup_teardown(without_a_whole_file, set_up,
						tear_down),
		cmocka_unit_test(nowhere_to_make_it),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
