/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef BUFSTAT_RESIDENT_H
#define BUFSTAT_RESIDENT_H

#include <stdbool.h>
#include <stdint.h>

struct resident {
	uint64_t pages;
	uint64_t dirty_pages; /* or being written */
	bool has_dirty;
};

/*
 * How many pages of a regular file of ours are cached: cachestat(2), or before
 * Linux 6.5 mincore(2), which knows nothing of dirty pages. (Of a device
 * mincore is wrong where pages are up to date in part; files read whole have
 * none.) Returns 0 or a negative errno.
 */
int resident_of_file(int fd, struct resident *resident);

#endif
