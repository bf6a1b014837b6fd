// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * poison FILE OFFSET: has the kernel take a cached page of the file or device
 * for one with a memory error, as if the hardware had reported it. OFFSET is in
 * bytes.
 *
 * poison slab: prints the numbers of the pages in which the kernel keeps
 * objects, sorted, one on a line of eight digits.
 *
 * Exit status 77: this kernel cannot do that.
 */
#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define IS_SLAB (1ULL << 7)
#define IS_TAIL (1ULL << 16)

static int print_slab_pages(void)
{
	int fd = open("/proc/kpageflags", O_RDONLY | O_CLOEXEC);
	uint64_t flags[8192];
	unsigned long number = 0;
	int in_slab = 0;
	ssize_t got;

	if (fd < 0)
		err(1, "/proc/kpageflags");
	while ((got = read(fd, flags, sizeof(flags))) > 0) {
		for (size_t i = 0; i < (size_t)got / sizeof(*flags); i++) {
			if (!(flags[i] & IS_TAIL))
				in_slab = !!(flags[i] & IS_SLAB);
			if (in_slab)
				printf("%lu\n", number);
			number++;
		}
	}
	return got < 0;
}

static int poison(const char *path, off_t offset)
{
	const size_t page = (size_t)sysconf(_SC_PAGESIZE);
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	char *memory = mmap(NULL, page, PROT_READ, MAP_SHARED, fd, offset);

	if (fd < 0 || memory == MAP_FAILED)
		err(1, "%s", path);
	(void)*(volatile char *)memory;
	if (madvise(memory, page, MADV_HWPOISON) == 0)
		return 0;
	if (errno == EINVAL)
		return 77;
	err(1, "%s: madvise", path);
}

int main(int argc, char **argv)
{
	if (argc == 2 && strcmp(argv[1], "slab") == 0)
		return print_slab_pages();
	if (argc == 3)
		return poison(argv[1], atol(argv[2]));
	errx(2, "usage: poison FILE OFFSET | poison slab");
}
