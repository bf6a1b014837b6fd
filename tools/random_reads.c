// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * random_reads FILE COUNT: reads COUNT pieces of 4 KiB, at places that are the
 * same in each run.
 */
#include <err.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#define PIECE 4096

int main(int argc, char **argv)
{
	char piece[PIECE];
	struct stat status;
	long count;
	int fd;

	if (argc != 3)
		errx(1, "usage: random_reads FILE COUNT");
	fd = open(argv[1], O_RDONLY);
	if (fd < 0 || fstat(fd, &status) < 0)
		err(1, "%s", argv[1]);
	count = strtol(argv[2], NULL, 10);
	srandom(1);
	while (count-- > 0) {
		off_t place = random() % (status.st_size / PIECE);

		if (pread(fd, piece, PIECE, place * PIECE) != PIECE)
			err(1, "%s", argv[1]);
	}
	return 0;
}
