// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cachestat.h"
#include "cleanup.h"
#include "resident.h"

/* Mapping it brings nothing in. */
static int count_with_mincore(int fd, struct resident *resident)
{
	size_t page_size = (size_t)sysconf(_SC_PAGESIZE), pages;
	_cleanup_(freep) unsigned char *cached = NULL;
	struct stat status;
	void *map;
	int ret;

	*resident = (struct resident){ 0 };
	if (fstat(fd, &status) < 0)
		return -errno;
	if (!status.st_size)
		return 0;
	pages = ((size_t)status.st_size + page_size - 1) / page_size;
	cached = malloc(pages);
	if (!cached)
		return -ENOMEM;
	map = mmap(NULL, (size_t)status.st_size, PROT_READ, MAP_SHARED, fd, 0);
	if (map == MAP_FAILED)
		return -errno;
	ret = mincore(map, (size_t)status.st_size, cached) < 0 ? -errno : 0;
	munmap(map, (size_t)status.st_size);
	for (size_t i = 0; !ret && i < pages; i++)
		resident->pages += cached[i] & 1;
	return ret;
}

int resident_of_file(int fd, struct resident *resident)
{
	struct cachestat_counts counts;
	int ret = cachestat_read(fd, 0, 0, &counts);

	if (ret < 0)
		return count_with_mincore(fd, resident);
	*resident = (struct resident){
		.pages = counts.cached,
		.dirty_pages = counts.dirty + counts.writeback,
		.has_dirty = true,
	};
	return 0;
}
