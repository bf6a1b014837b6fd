// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * database FILE MIB WRITES: makes FILE with MIB MiB and writes to it as a
 * database does: blocks of 8 KiB in no order, and fdatasync(2) every 64 of
 * them. Prints how many pages of the page cache it has written to.
 */
#include <err.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define BLOCK 8192

static size_t write_blocks(int fd, size_t blocks, size_t writes)
{
	static char block[BLOCK] = "a row";
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	char *written = calloc(blocks * BLOCK / page + 1, 1);
	size_t count = 0, at = 0;

	if (!written)
		err(1, "blocks");
	for (size_t i = 0; i < writes; i++) {
		at = (at * 1103515245 + 12345) % blocks;
		if (pwrite(fd, block, BLOCK, (off_t)(at * BLOCK)) != BLOCK)
			err(1, "writing");
		for (size_t p = at * BLOCK / page; p * page < (at + 1) * BLOCK;
		     p++) {
			count += !written[p];
			written[p] = 1;
		}
		if (i % 64 == 63 && fdatasync(fd) < 0)
			err(1, "syncing");
	}
	free(written);
	return count;
}

int main(int argc, char **argv)
{
	size_t size;
	int fd;

	if (argc != 4)
		errx(1, "usage: database FILE MIB WRITES");
	size = (size_t)atol(argv[2]) << 20;
	fd = open(argv[1], O_RDWR | O_CREAT | O_TRUNC, 0644);
	if (fd < 0 || posix_fallocate(fd, 0, (off_t)size) != 0)
		err(1, "%s", argv[1]);
	printf("%zu\n", write_blocks(fd, size / BLOCK, (size_t)atol(argv[3])));
	return 0;
}
