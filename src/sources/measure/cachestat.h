/* SPDX-License-Identifier: GPL-2.0-or-later */
/* cachestat(2), Linux 6.5, as a C function. */
#ifndef BUFSTAT_CACHESTAT_H
#define BUFSTAT_CACHESTAT_H

#include <stdint.h>

/* In pages. Laid out like the kernel's struct cachestat. */
struct cachestat_counts {
	uint64_t cached;
	uint64_t dirty;
	uint64_t writeback;
	uint64_t evicted;
	uint64_t recently_evicted;
};

/*
 * Counts what is cached of the file or block device @fd, in the @length bytes
 * from @offset (0: to the end). Returns 0 or a negative errno; -ENOSYS before
 * 6.5.
 */
int cachestat_read(int fd, uint64_t offset, uint64_t length,
		   struct cachestat_counts *counts);

#endif
