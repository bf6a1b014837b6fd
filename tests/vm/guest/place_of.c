// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * place_of FILE DEVICE: finds where the disk has the first page of the file,
 * which was written and is like no other. Prints the sector.
 */
#include <err.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define CHUNK (1 << 20)
#define BLOCK 1024 /* of a filesystem, at least */
#define SECTOR 512

static int open_or_die(const char *path, int flags)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | flags);

	if (fd < 0)
		err(1, "%s", path);
	return fd;
}

int main(int argc, char **argv)
{
	char *chunk = aligned_alloc(4096, CHUNK), wanted[BLOCK];
	int disk;

	if (argc != 3 || !chunk)
		errx(2, "usage: place_of FILE DEVICE");
	if (read(open_or_die(argv[1], 0), wanted, BLOCK) != BLOCK)
		errx(1, "%s: not as long as a block", argv[1]);
	/* What is cached of the device stays as it is. */
	disk = open_or_die(argv[2], O_DIRECT);
	for (off_t at = 0; pread(disk, chunk, CHUNK, at) == CHUNK;
	     at += CHUNK) {
		for (size_t i = 0; i < CHUNK; i += BLOCK) {
			if (memcmp(chunk + i, wanted, BLOCK) != 0)
				continue;
			printf("%lld\n", (long long)(at + (off_t)i) / SECTOR);
			return 0;
		}
	}
	errx(1, "%s: not on %s", argv[1], argv[2]);
}
