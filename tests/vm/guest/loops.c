// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * loops add FIRST COUNT FILE: makes loop devices that all read FILE.
 * loops remove FIRST COUNT: undoes it.
 * loops churn FIRST COUNT FILE: adds them, reads a page of each, removes them,
 * over and over until SIGTERM; prints the rounds.
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

static volatile sig_atomic_t stop;
static int control;

static void on_signal(int signal)
{
	(void)signal;
	stop = 1;
}

static int open_loop(int number)
{
	char path[32];
	int fd;

	snprintf(path, sizeof(path), "/dev/loop%d", number);
	fd = open(path, O_RDWR | O_CLOEXEC);
	if (fd < 0)
		err(1, "%s", path);
	return fd;
}

static void add(int number, const char *file)
{
	struct loop_config config = { .block_size = 4096 };
	int backing = open(file, O_RDWR | O_CLOEXEC);
	int fd;

	if (backing < 0)
		err(1, "%s", file);
	config.fd = (unsigned int)backing;
	/* The first few come with the driver. */
	if (ioctl(control, LOOP_CTL_ADD, number) < 0 && errno != EEXIST)
		err(1, "LOOP_CTL_ADD %d", number);
	fd = open_loop(number);
	if (ioctl(fd, LOOP_CONFIGURE, &config) < 0)
		err(1, "LOOP_CONFIGURE %d", number);
	close(fd);
	close(backing);
}

static void drop(int number)
{
	int fd = open_loop(number);

	if (ioctl(fd, LOOP_CLR_FD) < 0)
		err(1, "LOOP_CLR_FD %d", number);
	close(fd);
	/* The driver lets go of the file a moment after the last close. */
	while (ioctl(control, LOOP_CTL_REMOVE, number) < 0) {
		if (errno != EBUSY)
			err(1, "LOOP_CTL_REMOVE %d", number);
		usleep(1000);
	}
}

static void touch(int number)
{
	char page[4096];
	int fd = open_loop(number);

	if (read(fd, page, sizeof(page)) != sizeof(page))
		err(1, "loop%d", number);
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
