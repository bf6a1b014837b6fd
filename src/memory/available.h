/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * MemAvailable, recomputed term by term as the kernel does it
 * (si_mem_available() in mm/page_alloc.c or mm/show_mem.c, the same from Linux
 * 5.10 to 7.3), and procps' two ideas of used.
 */
#ifndef BUFSTAT_AVAILABLE_H
#define BUFSTAT_AVAILABLE_H

#include <stdbool.h>
#include <stdint.h>

struct memory_reading;
struct memory_rows;
struct memory_rows_of;

/* All in pages. */
struct available {
	bool known; /* all terms are; the others are 0 then */
	int64_t free;
	int64_t reserve; /* taken off */
	int64_t file; /* file pages on the LRU lists */
	int64_t file_kept; /* taken off: half of them, at most the watermarks */
	int64_t reclaimable; /* slab and other kernel memory */
	int64_t reclaimable_kept; /* taken off, as above */
	int64_t result;
};

void available_compute(struct available *available,
		       const struct memory_reading *reading);

/* Makes the rows of --available. Returns 0 or -ENOMEM. */
int available_rows(struct memory_rows *rows, const struct memory_rows_of *of);

#endif
