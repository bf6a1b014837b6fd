// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * loops add FIRST COUNT FILE: makes loop devices, all backed by FILE.
 * loops remove FIRST COUNT: removes them.
 * loops churn FIRST COUNT FILE: adds them, reads a block of each and removes
 * them, over and over until SIGTERM. Prints the number of rounds. It works
 * while memory is short: it retries calls that fail with ENOMEM, and reads that
 * fail with EIO, which the driver returns when it lacks memory.
 */
#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/loop.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#define PAUSE_US 10000
/* Bytes: not every kernel has devices whose blocks are larger than a page. */
#define BLOCK 4096

static volatile sig_atomic_t stop;
static bool patient;
static int control;

static void on_signal(int signal)
{
	(void)signal;
	stop = 1;
}

/* Whether to retry the call that failed with errno. */
static bool again(void)
{
	int error = errno;

	if (!patient || error != ENOMEM)
		return false;
	usleep(PAUSE_US);
	errno = error;
	return true;
}

static int open_file(const char *path)
{
	int fd;

	do
		fd = open(path, O_RDWR | O_CLOEXEC);
	while (fd < 0 && again());
	return fd;
}

/* Returns -1 and sets errno on error, as open does. */
static int open_loop(int number)
{
	char path[32];

	snprintf(path, sizeof(path), "/dev/loop%d", number);
	return open_file(path);
}

static int call(int fd, unsigned long request, unsigned long argument)
{
	int ret;

	do
		ret = ioctl(fd, request, argument);
	while (ret < 0 && again());
	return ret;
}

static void remove_device(int number)
{
	/* The driver releases the file a moment after the last close. */
	while (call(control, LOOP_CTL_REMOVE, (unsigned long)number) < 0) {
		if (errno != EBUSY)
			err(1, "LOOP_CTL_REMOVE %d", number);
		usleep(1000);
	}
}

/* Adds the device and opens it. */
static int add_device(int number)
{
	for (;;) {
		int fd;

		/* The driver itself makes the first few devices. */
		if (call(control, LOOP_CTL_ADD, (unsigned long)number) < 0 &&
		    errno != EEXIST)
			err(1, "LOOP_CTL_ADD %d", number);
		fd = open_loop(number);
		if (fd >= 0)
			return fd;
		/* Without memory for its node, the device is still added. */
		if (!patient || errno != ENOENT)
			err(1, "opening loop%d", number);
		remove_device(number);
		usleep(PAUSE_US);
	}
}

static void add(int number, const char *file)
{
	struct loop_config config = { .block_size = BLOCK };
	int backing = open_file(file);
	int fd;

	if (backing < 0)
		err(1, "%s", file);
	config.fd = (unsigned int)backing;
	fd = add_device(number);
	if (call(fd, LOOP_CONFIGURE, (unsigned long)&config) < 0)
		err(1, "LOOP_CONFIGURE %d", number);
	close(fd);
	close(backing);
}

static void drop(int number)
{
	int fd = open_loop(number);

	if (fd < 0 || call(fd, LOOP_CLR_FD, 0) < 0)
		err(1, "LOOP_CLR_FD %d", number);
	close(fd);
	remove_device(number);
}

static void touch(int number)
{
	char block[BLOCK];
	int fd = open_loop(number);
	ssize_t got;

	if (fd < 0)
		err(1, "opening loop%d", number);
	do {
		got = pread(fd, block, sizeof(block), 0);
		if (got < 0 && patient && errno == EIO)
			errno = ENOMEM;
	} while (got < 0 && again() && !stop);
	if (got != sizeof(block) && !(got < 0 && errno == ENOMEM && stop))
		err(1, "reading loop%d", number);
	close(fd);
}

int main(int argc, char **argv)
{
	bool churn = argc == 5 && strcmp(argv[1], "churn") == 0;
	bool make = churn || (argc == 5 && strcmp(argv[1], "add") == 0);
	bool unmake = churn || (argc == 4 && strcmp(argv[1], "remove") == 0);
	unsigned long rounds = 0;
	int first, end;

	if (!make && !unmake)
		errx(1, "usage: loops add|churn FIRST COUNT FILE\n"
			"       loops remove FIRST COUNT");
	patient = churn;
	first = atoi(argv[2]);
	end = first + atoi(argv[3]);
	control = open("/dev/loop-control", O_RDWR | O_CLOEXEC);
	if (control < 0)
		err(1, "/dev/loop-control");
	signal(SIGTERM, on_signal);

	do {
		for (int i = first; make && i < end; i++)
			add(i, argv[4]);
		for (int i = first; churn && i < end; i++)
			touch(i);
		for (int i = first; unmake && i < end; i++)
			drop(i);
		rounds++;
	} while (churn && !stop);
	if (churn)
		printf("rounds %lu\n", rounds);
	return 0;
}
