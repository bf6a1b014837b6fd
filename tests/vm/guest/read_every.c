// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * read_every PAGES FILE: reads one page of each PAGES pages of the file, the
 * last of them, without readahead.
 */
#include <err.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	long page = sysconf(_SC_PAGESIZE), step;
	off_t end, at;
	char byte;
	int fd;

	if (argc != 3)
		errx(1, "usage: read_every PAGES FILE");
	step = atol(argv[1]) * page;
	fd = open(argv[2], O_RDONLY);
	if (fd < 0 || step <= 0)
		err(1, "%s", argv[2]);
	end = lseek(fd, 0, SEEK_END);
	if (posix_fadvise(fd, 0, 0, POSIX_FADV_RANDOM))
		errx(1, "%s: posix_fadvise", argv[2]);
	for (at = step - page; at < end; at += step)
		if (pread(fd, &byte, 1, at) != 1)
			err(1, "%s: reading", argv[2]);
}
