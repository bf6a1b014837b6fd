/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * MemAvailable, recomputed term by term from a reading, and procps' two ideas
 * of used.
 */
#ifndef BUFSTAT_AVAILABLE_H
#define BUFSTAT_AVAILABLE_H

#include <stdbool.h>
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

/* Whether that was done: MemAvailable takes off no more than these. */
bool available_reserve_is_low(const struct memory_reading *reading);

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
