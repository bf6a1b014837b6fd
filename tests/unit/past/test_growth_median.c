// SPDX-License-Identifier: GPL-2.0-or-later
#include <stdlib.h>

#include "recorded/growth_median.h"
#include "test.h"

#define MINUTE_MS INT64_C(60000)
#define BEGIN_MS INT64_C(1790000000000)

enum { DAY = 1440 };

static const struct growth_span day = {
	.from_ms = BEGIN_MS,
	.to_ms = BEGIN_MS + DAY * MINUTE_MS,
};

/* A point each minute, of as many bytes as minutes, from the first to the last.
 */
static void add(struct growth_series *series, int64_t first, int64_t last)
{
	if (!series->points)
		series->points = calloc(2 * DAY, sizeof(*series->points));
	for (int64_t i = first; i <= last; i++)
		series->points[series->count++] =
			(struct growth_point){ BEGIN_MS + i * MINUTE_MS, i };
}

static struct growth_median median_of(struct growth_series *series,
				      const struct growth_span *span)
{
	struct growth_median median = { .is_known = true };

	assert_int_equal(growth_median(&median, series, span), 0);
	free(series->points);
	*series = (struct growth_series){ 0 };
	return median;
}

static void is_the_one_in_the_middle(void **state __attribute__((unused)))
{
	struct growth_series series = { 0 };
	struct growth_median median;

	add(&series, 0, DAY);
	for (size_t i = 0; i < series.count; i += 2) {
		const struct growth_point point = series.points[i];

		series.points[i].bytes = series.points[DAY - i].bytes;
		series.points[DAY - i].bytes = point.bytes;
	}
	median = median_of(&series, &day);
	assert_true(median.is_known);
	assert_int_equal(median.bytes, DAY / 2);
	assert_int_equal(median.since_ms, BEGIN_MS);
	add(&series, 1, DAY);
	assert_int_equal(median_of(&series, &day).bytes, DAY / 2);
}

static void is_of_a_whole_day(void **state __attribute__((unused)))
{
	struct growth_span shorter = day;
	struct growth_series series = { 0 };

	assert_false(median_of(&series, &day).is_known);
	add(&series, 5, DAY - 5);
	assert_true(median_of(&series, &day).is_known);
	add(&series, 6, DAY);
	assert_false(median_of(&series, &day).is_known);
	add(&series, 0, DAY - 6);
	assert_false(median_of(&series, &day).is_known);
	shorter.from_ms += MINUTE_MS;
	add(&series, 1, DAY);
	assert_false(median_of(&series, &shorter).is_known);
}

static void a_quarter_of_it_may_lack(void **state __attribute__((unused)))
{
	struct growth_series series = { 0 };

	add(&series, 0, DAY / 2);
	add(&series, DAY / 4 * 3, DAY);
	assert_true(median_of(&series, &day).is_known);
	add(&series, 0, DAY / 2);
	add(&series, DAY / 4 * 3 + 1, DAY);
	assert_false(median_of(&series, &day).is_known);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(is_the_one_in_the_middle),
		cmocka_unit_test(is_of_a_whole_day),
		cmocka_unit_test(a_quarter_of_it_may_lack),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
