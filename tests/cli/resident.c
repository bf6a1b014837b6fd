// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Counts the pages of a block device in the page cache, without anything that
 * bufstat uses: maps the device and calls mincore(2), which is exact if every
 * page was read or written whole.
 *
 *	resident DEVICE READ WRITE
 *
 * First reads READ pages and writes WRITE pages of the device, one at a time
 * and out of order, so that nothing is read ahead. Then prints the count and
 * keeps the device open until the end of stdin, because its last close would
 * drop the pages.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static void die(const char *doing)
{
	perror(doing);
	exit(EXIT_FAILURE);
}

static long count(int fd, off_t size, long page_size)
{
	unsigned char *map, *state;
	long pages = size / page_size, resident = 0;

	map = mmap(NULL, (size_t)size, PROT_READ, MAP_SHARED, fd, 0);
	state = calloc((size_t)pages, 1);
	if (map == MAP_FAILED || !state)
		die("mmap");
	if (mincore(map, (size_t)size, state) < 0)
		die("mincore");
	for (long i = 0; i < pages; i++)
		resident += state[i] & 1;
	munmap(map, (size_t)size);
	free(state);
	return resident;
}

int main(int argc, char **argv)
{
	long page_size = sysconf(_SC_PAGESIZE);
	long to_read, to_write;
	char *page;
	off_t size, last;
	int fd;

	if (argc != 4)
		return EXIT_FAILURE;
	to_read = atol(argv[2]);
	to_write = atol(argv[3]);
	page = calloc(1, (size_t)page_size);
	fd = open(argv[1], O_RDWR | O_CLOEXEC);
	if (fd < 0 || !page)
		die("open");
	size = lseek(fd, 0, SEEK_END);
	last = size / page_size * page_size;
	posix_fadvise(fd, 0, 0, POSIX_FADV_RANDOM);

	for (long i = 0; i < to_read; i++) {
		if (pread(fd, page, (size_t)page_size, 3 * i * page_size) !=
		    page_size)
			die("pread");
	}
	for (long i = 1; i <= to_write; i++) {
		if (pwrite(fd, page, (size_t)page_size,
			   last - 3 * i * page_size) != page_size)
			die("pwrite");
	}
	printf("%ld\n", count(fd, size, page_size));
	fflush(stdout);
	while (read(STDIN_FILENO, page, 1) > 0)
		;
	return EXIT_SUCCESS;
}
