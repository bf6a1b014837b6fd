// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * page_cgroups FILE: which cgroups the cached pages of a file or device are
 * charged to, by /proc/kpagecgroup. Prints lines "INODE PAGES". All of the file
 * must be cached; of a device, only the first pages in a row count.
 */
#include <err.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#define MOST 64

static uint64_t word(int fd, uint64_t index)
{
	uint64_t value;

	if (pread(fd, &value, sizeof(value), (off_t)(index * sizeof(value))) !=
	    sizeof(value))
		err(1, "pread");
	return value;
}

int main(int argc, char **argv)
{
	const uint64_t page_size = (uint64_t)sysconf(_SC_PAGESIZE);
	int pagemap = open("/proc/self/pagemap", O_RDONLY);
	int cgroups = open("/proc/kpagecgroup", O_RDONLY);
	int fd = argc == 2 ? open(argv[1], O_RDONLY) : -1;
	struct {
		uint64_t inode, pages;
	} found[MOST] = { { 0, 0 } };
	unsigned char *start, *resident;
	size_t size, count = 0, i;

	if (pagemap < 0 || cgroups < 0 || fd < 0)
		err(1, "open");
	size = (size_t)lseek(fd, 0, SEEK_END);
	start = mmap(NULL, size, PROT_READ, MAP_SHARED, fd, 0);
	resident = malloc(size / page_size + 1);
	if (start == MAP_FAILED || !resident ||
	    mincore(start, size, resident) < 0)
		err(1, "%s", argv[1]);
	for (size_t at = 0; at < size && resident[at / page_size] & 1;
	     at += page_size) {
		uint64_t inode;

		*(volatile unsigned char *)(start + at);
		inode = word(cgroups,
			     word(pagemap, (uint64_t)(start + at) / page_size) &
				     ((1ULL << 55) - 1));
		for (i = 0; i < count && found[i].inode != inode; i++)
			;
		if (i == MOST)
			errx(1, "too many cgroups");
		found[i].inode = inode;
		found[i].pages++;
		count += i == count;
	}
	for (i = 0; i < count; i++)
		printf("%lu %lu\n", found[i].inode, found[i].pages);
	return 0;
}
