/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * All of memory in a few parts, added up from the heads of bufstat memory. With
 * what is unaccounted they add up to MemTotal.
 */
#ifndef BUFSTAT_BAR_H
#define BUFSTAT_BAR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct cells;
struct memory_heads;
struct memory_reading;

enum bar_part_id {
	BAR_PROGRAMS,
	BAR_SHARED,
	BAR_CLEAN, /* file cache */
	BAR_DIRTY, /* or under writeback */
	BAR_BUFFERS,
	BAR_KERNEL,
	BAR_HUGE,
	BAR_OTHER,
	BAR_FREE,
	BAR_UNACCOUNTED,
	BAR_PARTS
};

/* All zero: nothing is known yet. */
struct bar {
	struct bar_part {
		bool known;
		int64_t bytes; /* of what is unaccounted, maybe negative */
	} parts[BAR_PARTS];
	bool has_total;
	int64_t total_bytes; /* MemTotal */
	/* What is dirty is in other heads too: at least so much is clean. */
	bool is_bound;
};

/* Adds up the heads of a reading. */
void bar_init(struct bar *bar, const struct memory_heads *heads,
	      const struct memory_reading *reading);

/* Draws the bar on line @y. Each part is filled with its letter. */
void bar_draw(const struct bar *bar, struct cells *cells, size_t y);

/*
 * Draws the legend on up to @lines lines from @y on; parts without pages are
 * left out. On a low screen (@is_low) letters alone stand for them if more than
 * a line would be needed. Returns the lines that it needs. @cells may be NULL:
 * @width counts.
 */
size_t bar_draw_legend(const struct bar *bar, struct cells *cells, size_t width,
		       size_t y, size_t lines, bool is_low);

#endif
