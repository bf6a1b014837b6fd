/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * MemAvailable, recomputed term by term from a reading, and procps' two ideas
 * of used.
 */
#ifndef BUFSTAT_AVAILABLE_H
#define BUFSTAT_AVAILABLE_H

#include <stddef.h>
#include <stdint.h>

struct available;
struct memory_reading;
struct memory_rows;
struct memory_rows_of;

/* Every term is from /proc/vmstat but the watermarks. */
void memory_available(struct available *available,
		      const struct memory_reading *reading);

/* Makes the low watermarks the reserve of @reading: available_takes_low(). */
void available_find_reserve(struct memory_reading *reading);

/* Why the kernel keeps back more than is usual. */
enum reserve_cause {
	RESERVE_USUAL,
	RESERVE_MIN_FREE, /* vm.min_free_kbytes was raised */
	RESERVE_EXTRA_FREE, /* vm.extra_free_kbytes is set */
	RESERVE_WATERMARK_SCALE, /* so was vm.watermark_scale_factor */
	RESERVE_CAUSES
};

struct reserve {
	enum reserve_cause cause;
	int64_t pages; /* all that is kept back */
	int64_t setting; /* the cause: pages, or 1/10,000 of memory */
	int64_t usual; /* the highest that a kernel chooses by itself here */
};

/* Looks at the settings in @reading. */
void reserve_find(struct reserve *reserve,
		  const struct memory_reading *reading);

/* Writes the cause as a sentence without a full stop; "" if it is usual. */
void reserve_text(const struct reserve *reserve,
		  const struct memory_reading *reading, char *text,
		  size_t size);

/* Why MemAvailable is not what its terms add up to. */
enum available_difference {
	AVAILABLE_SAME,
	AVAILABLE_OF_OTHER_MEMORY,
	AVAILABLE_MOVED, /* no more than may move between two reads */
	AVAILABLE_UNEXPLAINED,
	AVAILABLE_DIFFERENCES
};

enum available_difference
available_difference(const struct memory_reading *reading,
		     const struct available *is);
/* In words, or NULL. */
const char *available_difference_text(enum available_difference difference);

/* Makes the rows of --available. Returns 0 or -ENOMEM. */
int available_rows(struct memory_rows *rows, const struct memory_rows_of *of);

#endif
