/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Where a recording has nothing, and why. */
#ifndef BUFSTAT_GAPS_H
#define BUFSTAT_GAPS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "store/recording.h"

struct store_state;

struct gap {
	int64_t from_ms; /* CLOCK_REALTIME */
	int64_t to_ms; /* before from_ms if the clock was set back */
	char cause[160];
};

struct gaps {
	struct gap *gaps; /* in the order of the recording */
	size_t count;
	size_t room;
	/* Of the last reading: */
	bool has_last;
	struct store_time last;
	uint8_t boot_id[STORE_BOOT_ID];
	int64_t interval_ms;
	size_t segment; /* of the last record */
	/* Since the last reading: */
	bool stopped; /* the recorder said that it ends */
	bool started;
	bool lost; /* records are missing */
	bool lost_segment; /* at the end of a segment */
	char failed[96]; /* why there was no reading; "" if that is not known */
};

/*
 * Takes the next record of a recording, whatever time it is of: what is missing
 * is known from the readings before and after it. @state is NULL unless it is
 * one. Returns 0 or -ENOMEM.
 */
int gaps_take(struct gaps *gaps, const struct recording_cursor *cursor,
	      const struct store_state *state);

/* Adds what is missing until @now_ms. Returns 0 or -ENOMEM. */
int gaps_end(struct gaps *gaps, int64_t now_ms);

/* Leaves out what is before @from_ms or after @to_ms. */
void gaps_clip(struct gaps *gaps, int64_t from_ms, int64_t to_ms);

/* Adds a gap with @cause. Returns 0 or -ENOMEM. */
int gaps_add(struct gaps *gaps, int64_t from_ms, int64_t to_ms,
	     const char *cause);
void gaps_deinit(struct gaps *gaps);

#endif
