/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The last figures of each row, by its key, also of rows that are gone. */
#ifndef BUFSTAT_TREND_H
#define BUFSTAT_TREND_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "table/column.h"

/* Figures that are kept of each row: two minutes of one a second. */
#define TREND_LENGTH 120
/* The figure of a sample that did not know it. Absent is not zero. */
#define TREND_ABSENT INT64_MIN
/* A row that is gone is shown for so many samples. */
#define TREND_GONE_SHOWN 10

struct trend {
	char *key;
	char *name; /* what the row was called */
	/* Of sample n, at n modulo TREND_LENGTH, from @first to @last. */
	int64_t figures[TREND_LENGTH];
	uint64_t first, last; /* samples that had the row */
};

/* All zero: no sample yet. */
struct trends {
	struct trend **trends; /* in no order */
	size_t count;
	size_t capacity;
	size_t *index; /* a hash table: 0 is free, else a place plus one */
	size_t index_size;
	uint64_t samples; /* how many there were; the last has this number */
	int64_t taken_ns, before_ns; /* when the last two were taken */
};

/* Begins a sample. Forgets rows that have been gone for long. */
int trends_begin(struct trends *trends, int64_t taken_ns);

/*
 * Adds a row's figure, or TREND_ABSENT, to the sample that has begun. Returns
 * 0 or -ENOMEM.
 */
int trends_add(struct trends *trends, const char *key, const char *name,
	       int64_t figure);

/* The trend of a row, or NULL; valid until the next trends_begin(). */
const struct trend *trends_find(const struct trends *trends, const char *key);

void trends_deinit(struct trends *trends);

/* Whether the row came with the last sample, which was not the first. */
bool trend_is_new(const struct trends *trends, const struct trend *trend);

/* Whether the last sample had no such row. */
bool trend_is_gone(const struct trends *trends, const struct trend *trend);

/*
 * Growth per second between the last two samples, in the unit of the figures.
 * Unknown if one of them does not have the row's figure.
 */
struct column_value trend_rate(const struct trends *trends,
			       const struct trend *trend);

/*
 * Writes a sparkline of the last @width samples into @text, which has room for
 * three bytes per sample and a NUL. The lowest mark is the smallest figure that
 * is shown, the highest the largest one. What never changed is a line at the
 * bottom. With no UTF-8, marks are ASCII.
 */
void trend_line(const struct trends *trends, const struct trend *trend,
		size_t width, bool utf8, char *text);

#endif
