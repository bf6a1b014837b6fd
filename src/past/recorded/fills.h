/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Who filled caches, as a recording has it (STORE_FILLED): for each report of
 * the tracer what each command brought in, and when nobody was traced.
 */
#ifndef BUFSTAT_FILLS_H
#define BUFSTAT_FILLS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/string_list.h"
#include "recorded/gaps.h"
#include "trace/trace.h"

struct store_state;

/* A series that is not known. */
#define FILL_OF_NONE SIZE_MAX

struct recorded_fill {
	int64_t from_ms; /* CLOCK_REALTIME */
	int64_t to_ms;
	/*
	 * The numbers of the caches are those of that time. Its process is 0 if
	 * there were several, its command "" if it is not known; the ids of
	 * cgroups are not set.
	 */
	struct trace_fill fill;
	bool has_cache; /* else it is the sum of several caches */
	bool is_others; /* the sum of several commands */
	const char *cgroup; /* path, or NULL: not known */
	const char *on_behalf_of; /* likewise */
	size_t series; /* the one of struct growth, or FILL_OF_NONE */
};

/* The time that a report is of; CLOCK_REALTIME. */
struct recorded_report {
	int64_t from_ms;
	int64_t to_ms;
	bool is_estimated; /* from samples: too much happened to trace all */
};

/* All zero bytes is empty. */
struct fills {
	struct recorded_fill *fills; /* in the order of the recording */
	size_t count;
	size_t room;
	struct string_list cgroups; /* that they refer to */
	struct recorded_report *reports;
	size_t report_count;
	size_t report_room;
	size_t unresolved; /* from this one on, series are not looked up yet */
	uint64_t page_size; /* bytes; 0: there is no report */
	uint64_t lost_events; /* the figures are a lower bound */
	bool lacks_how; /* of some of the pages that came in */
	char engine[16];
	/* When nobody was traced, and why. */
	struct gaps untraced;
	int64_t untraced_ms; /* since when; 0: it is traced, or not known */
	bool is_starting; /* since then the recorder has not said how it goes */
	char why[160];
};

/*
 * Takes a document of STORE_FILLED that was recorded at @to_ms. With @by_minute
 * what a command did in a minute becomes one row. Returns 0 or -ENOMEM; what is
 * damaged is left out.
 */
int fills_take(struct fills *fills, const char *text, int64_t to_ms,
	       bool by_minute);

/* Takes what was recorded then. Returns 0 or -ENOMEM. */
int fills_take_state(struct fills *fills, const struct store_state *state,
		     int64_t real_ms);

/*
 * The span ends at @to_ms. When nobody was traced is told from @from_ms on,
 * also if it began before. Returns 0 or -ENOMEM.
 */
int fills_end(struct fills *fills, int64_t from_ms, int64_t to_ms);

/* Whether it was traced from the span's start to its end, as far as is known. */
bool fills_traced_all(const struct fills *fills);
void fills_deinit(struct fills *fills);

/* Whether both are about the same cache, command and cgroups. */
bool fills_are_alike(const struct recorded_fill *a,
		     const struct recorded_fill *b);

/* Adds the pages of @from to @to, which is like it. */
void fills_add(struct recorded_fill *to, const struct recorded_fill *from);

#endif
