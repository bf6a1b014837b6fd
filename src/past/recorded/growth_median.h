/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What is usual: the median of what was recorded for a whole day. */
#ifndef BUFSTAT_GROWTH_MEDIAN_H
#define BUFSTAT_GROWTH_MEDIAN_H

#include <stdbool.h>
#include <stdint.h>

#include "recorded/growth.h"

/* All zero: none is known. */
struct growth_median {
	bool is_known;
	int64_t bytes;
	int64_t since_ms; /* CLOCK_REALTIME of the first reading */
};

/*
 * Sets @median to that of the points of @series, which are of @span. It is not
 * known unless that is a day, they begin and end with it, and three quarters of
 * it were recorded: what has lasted for half of a shorter time would be its own
 * median. Returns 0 or -ENOMEM.
 */
int growth_median(struct growth_median *median,
		  const struct growth_series *series,
		  const struct growth_span *span);

#endif
