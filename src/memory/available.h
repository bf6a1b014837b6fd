/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * MemAvailable, recomputed term by term from a reading, and procps' two ideas
 * of used.
 */
#ifndef BUFSTAT_AVAILABLE_H
#define BUFSTAT_AVAILABLE_H

struct available;
struct memory_reading;
struct memory_rows;
struct memory_rows_of;

/* Every term is from /proc/vmstat but the watermarks. */
void memory_available(struct available *available,
		      const struct memory_reading *reading);

/* Makes the rows of --available. Returns 0 or -ENOMEM. */
int available_rows(struct memory_rows *rows, const struct memory_rows_of *of);

#endif
