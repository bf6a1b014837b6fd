/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What commands have brought into caches since the last report, in memory of
 * fixed size. Processes of the same name and cgroup are one row.
 */
#ifndef BUFSTAT_FILLED_H
#define BUFSTAT_FILLED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "trace/trace.h"

struct cgroup_paths;
struct store_fill;

enum {
	FILLED_ROOM = 1024, /* rows */
	/* In a report; what others did is a row of each cache, and then one. */
	FILLED_REPORTED = 48,
	FILLED_REPORT = 2 * FILLED_REPORTED + 1, /* all of its rows */
};

/* How pages in or out of a row are spread over the windows of a sample. */
struct filled_spread {
	uint64_t before; /* pages in all windows but this one */
	uint64_t most; /* in a window */
	double squares; /* the sum, of the pages in each window */
	double crossed; /* likewise, of the pages times the window's length */
};

/* All zero bytes is empty. */
struct filled {
	struct filled_row {
		/* Its process is 0 if there were several. */
		struct trace_fill fill;
		bool is_others; /* of all commands that have no row */
		bool is_reported;
		struct filled_spread in, out;
	} rows[FILLED_ROOM];
	size_t count;
	uint16_t places[2 * FILLED_ROOM]; /* of rows, plus 1; 0: none */
	uint64_t events; /* that were counted */
	uint64_t lost_events; /* for which there was no room */
	/* Windows of a sample, their lengths in ms, and the sum of squares. */
	unsigned int windows; /* 0: all was traced */
	double sampled_ms;
	double squares;
};

void filled_clear(struct filled *filled);

/* What was added since the last call came in a window of @ms. */
void filled_end_window(struct filled *filled, double ms);

/*
 * Makes what was counted in windows an estimate for @over_ms, with its error.
 */
void filled_estimate(struct filled *filled, double over_ms);

/* Adds what a process has done. Allocates nothing. */
void filled_add(struct filled *filled, const struct trace_fill *since);

/*
 * Makes at most FILLED_REPORT rows of a report: those that did most, then the
 * others. Returns how many. To be called once, then filled_clear().
 */
size_t filled_report(struct filled *filled, const struct cgroup_paths *paths,
		     struct store_fill *fills);

#endif
