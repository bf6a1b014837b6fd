// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "measure/cachestat.h"

/* The same number on every architecture but alpha; older glibc lacks it. */
#ifndef SYS_cachestat
#define SYS_cachestat 451
#endif

int cachestat_read(int fd, uint64_t offset, uint64_t length,
		   struct cachestat_counts *counts)
{
	/* The kernel's struct cachestat_range. */
	struct {
		uint64_t offset;
		uint64_t length;
	} range = { offset, length };

	return syscall(SYS_cachestat, fd, &range, counts, 0) < 0 ? -errno : 0;
}
