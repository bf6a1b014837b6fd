/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Counts every page frame by what /proc/kpageflags says it is: a proof of
 * MemTotal that rests on none of the kernel's own counts. Frames without a flag
 * are also counted by order, by whether programs have mapped them
 * (/proc/kpagecount), and by their struct pages (census_pages.h). Root only. 24
 * GB take some seconds.
 */
#ifndef BUFSTAT_CENSUS_H
#define BUFSTAT_CENSUS_H

#include <stdbool.h>
#include <stdint.h>

#include "memory/census_pages.h"

struct error;
struct memory_rows;
struct memory_rows_of;
struct sysroot;

enum census_kind {
	CENSUS_FREE, /* in the buddy allocator */
	CENSUS_SLAB,
	CENSUS_LRU, /* on the lists of file and anonymous pages */
	CENSUS_PAGE_TABLES,
	CENSUS_HUGE, /* of a huge page pool */
	CENSUS_OFFLINE, /* given away by a balloon, or not yet in use */
	CENSUS_BROKEN,
	CENSUS_OTHER, /* without a flag: vmalloc, stacks, buffers of drivers */
	CENSUS_RESERVED, /* of the kernel since the boot; not in MemTotal */
	CENSUS_KINDS
};

/* Not in the header: fs/proc/page.c has it for those who debug the kernel. */
#define KPF_RESERVED 32

/* Orders of compound pages: up to 2 GiB in pages of 4 KiB. */
#define CENSUS_ORDERS 20

struct memory_census {
	int64_t pages[CENSUS_KINDS];
	/* Of CENSUS_OTHER: the sum of all orders is that. */
	int64_t orders[CENSUS_ORDERS];
	bool has_mapped; /* /proc/kpagecount could be read for all of them */
	int64_t mapped; /* of CENSUS_OTHER */
	char why_not_mapped[64];
	struct census_pages other; /* CENSUS_OTHER by struct pages */
	bool complete; /* the time limit did not end it */
};

/*
 * Takes a census of the running host. Stops when @root's patience is over; then
 * it is incomplete. Returns 0, -EOPNOTSUPP for a captured tree or without root,
 * or another negative errno.
 */
int census_take(struct memory_census *census, const struct sysroot *root,
		struct error *err);

/* Makes the rows of --prove. Returns 0 or -ENOMEM. */
int census_rows(struct memory_rows *rows, const struct memory_rows_of *of);

#endif
