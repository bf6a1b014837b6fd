// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * dirtier scatter DEVICE: dirties more and more pages, ever farther apart, so
 * that the tree of the device's pages grows by nodes all the time and sometimes
 * by a level.
 * dirtier refill DEVICE: dirties 600 pages, writes them and drops them, over
 * and over. Both run until they are killed.
 */
#include <err.h>
#include <fcntl.h>
#include <linux/fs.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#define PAUSE_US 2000

static void write_pages(int fd, uint64_t index, unsigned int count)
{
	size_t size = (size_t)sysconf(_SC_PAGESIZE);
	char *page = calloc(1, size);

	if (!page)
		err(1, "a page");
	while (count--)
		if (pwrite(fd, page, size, (off_t)(index++ * size)) !=
		    (ssize_t)size)
			err(1, "writing");
	free(page);
}

static void scatter(int fd)
{
	for (uint64_t i = 0; i < 1 << 14; i++) {
		uint64_t bits = i / 128 < 12 ? 6 + i / 128 : 18;

		write_pages(fd, i * i * 7919 % (1U << bits), 3);
		usleep(PAUSE_US);
	}
	pause();
}

static void refill(int fd)
{
	for (;;) {
		write_pages(fd, 100000, 600);
		usleep(PAUSE_US);
		if (ioctl(fd, BLKFLSBUF) < 0)
			err(1, "BLKFLSBUF");
	}
}

int main(int argc, char **argv)
{
	int fd;

	if (argc != 3)
		errx(1, "usage: dirtier scatter|refill DEVICE");
	fd = open(argv[2], O_RDWR | O_CLOEXEC);
	if (fd < 0)
		err(1, "%s", argv[2]);
	if (strcmp(argv[1], "scatter") == 0)
		scatter(fd);
	else
		refill(fd);
	return 0;
}
