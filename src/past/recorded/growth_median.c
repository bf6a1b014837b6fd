// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "recorded/growth_median.h"

#define DAY_MS INT64_C(86400000)
/* Between two readings that are further apart, nobody knows what there was. */
#define APART_MS INT64_C(300000)

/* Where the clock was set back, that time was not recorded either. */
static bool is_of_a_day(const struct growth_series *series,
			const struct growth_span *span)
{
	const struct growth_point *points = series->points;
	int64_t recorded_ms = 0;

	if (!series->count || span->to_ms - span->from_ms < DAY_MS ||
	    points[0].real_ms - span->from_ms > APART_MS ||
	    span->to_ms - points[series->count - 1].real_ms > APART_MS)
		return false;
	for (size_t i = 1; i < series->count; i++) {
		const int64_t ms = points[i].real_ms - points[i - 1].real_ms;

		if (ms > 0 && ms <= APART_MS)
			recorded_ms += ms;
	}
	return recorded_ms >= (span->to_ms - span->from_ms) / 4 * 3;
}

static int compare(const void *a, const void *b)
{
	const struct growth_point *one = a, *other = b;

	return (one->bytes > other->bytes) - (one->bytes < other->bytes);
}

int growth_median(struct growth_median *median,
		  const struct growth_series *series,
		  const struct growth_span *span)
{
	struct growth_point *points;

	*median = (struct growth_median){ 0 };
	if (!is_of_a_day(series, span))
		return 0;
	points = malloc(series->count * sizeof(*points));
	if (!points)
		return -ENOMEM;
	memcpy(points, series->points, series->count * sizeof(*points));
	qsort(points, series->count, sizeof(*points), compare);
	*median = (struct growth_median){
		.is_known = true,
		/* Of an even number, the lower one of the middle. */
		.bytes = points[(series->count - 1) / 2].bytes,
		.since_ms = series->points[0].real_ms,
	};
	free(points);
	return 0;
}
