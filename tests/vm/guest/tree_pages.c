// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * tree_pages cachestat|mincore DIRECTORY: counts the cached pages of all files
 * below it by opening one after the other, as fincore and vmtouch do. Prints
 * the number of files and pages. Exit status 77: this kernel does not have
 * cachestat(2).
 */
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#define CACHESTAT 451

static bool use_mincore;
static unsigned long files, pages;

static void count_resident(int fd, size_t size)
{
	static unsigned char resident[1 << 20];
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	void *memory = mmap(NULL, size, PROT_READ, MAP_SHARED, fd, 0);

	if (memory == MAP_FAILED)
		return;
	if (size / page < sizeof(resident) &&
	    mincore(memory, size, resident) == 0) {
		for (size_t i = 0; i < (size + page - 1) / page; i++)
			pages += resident[i] & 1;
	}
	munmap(memory, size);
}

static int count_cached(int fd)
{
	uint64_t all[2] = { 0, 0 };
	uint64_t figures[5];

	if (syscall(CACHESTAT, fd, all, figures, 0) < 0)
		return errno == ENOSYS ? 77 : 0;
	pages += figures[0];
	return 0;
}

static int visit(const char *path, const struct stat *status, int type,
		 struct FTW *place)
{
	int fd, ret = 0;

	(void)place;
	if (type != FTW_F || !S_ISREG(status->st_mode))
		return 0;
	fd = open(path, O_RDONLY | O_NOATIME);
	if (fd < 0)
		return 0;
	files++;
	if (!use_mincore)
		ret = count_cached(fd);
	else if (status->st_size)
		count_resident(fd, (size_t)status->st_size);
	close(fd);
	return ret;
}

int main(int argc, char **argv)
{
	int ret;

	if (argc != 3)
		return 2;
	use_mincore = strcmp(argv[1], "mincore") == 0;
	ret = nftw(argv[2], visit, 20, FTW_PHYS | FTW_MOUNT);
	if (!ret)
		printf("%lu %lu\n", files, pages);
	return ret;
}
