// SPDX-License-Identifier: GPL-2.0-or-later
#include <stdbool.h>
#include <string.h>

#include "measure/history.h"
#include "measure/measure.h"
#include "measure/snapshot.h"
#include "test.h"

static void add(struct snapshot *snapshot, unsigned int minor, uint64_t pages)
{
	struct sample *sample = snapshot_add(snapshot, 7, minor);

	assert_non_null(sample);
	sample_set(sample, FIGURE_PAGES, pages);
	sample->kname = strdup("loop");
}

static int64_t change(const struct baseline *baseline,
		      const struct snapshot *snapshot, size_t index)
{
	int64_t pages;

	assert_true(baseline_change(baseline, &snapshot->devices[index],
				    snapshot->page_size, &pages));
	return pages;
}

static const uint64_t absent = UINT64_MAX;

static void take(struct history *history, const struct snapshot *snapshot,
		 uint64_t buffers_kib)
{
	struct measurement measurement = { .snapshot = *snapshot };

	if (buffers_kib != absent) {
		measurement.meminfo.kib[MEMINFO_BUFFERS] = buffers_kib;
		measurement.meminfo.present = 1U << MEMINFO_BUFFERS;
	}
	assert_int_equal(history_take(history, &measurement), 0);
}

static void changes_are_against_first_and_last(void **state
					       __attribute__((unused)))
{
	struct snapshot snapshots[3] = { { .lists_all_pages = true },
					 { .lists_all_pages = true },
					 { .lists_all_pages = true } };
	struct history history = { 0 };

	assert_false(history_is_there(NULL));
	assert_false(history_is_there(&history));
	add(&snapshots[0], 1, 100);
	add(&snapshots[1], 1, 70);
	add(&snapshots[2], 2, 5);
	add(&snapshots[2], 1, 90);
	take(&history, &snapshots[0], absent);
	take(&history, &snapshots[1], absent);
	assert_true(history_is_there(&history));

	assert_int_equal(change(&history.last, &snapshots[2], 1), 20);
	assert_int_equal(change(&history.first, &snapshots[2], 1), -10);
	assert_int_equal(change(&history.last, &snapshots[2], 0), 5);
	assert_false(
		baseline_had_pages(&history.last, &snapshots[2].devices[0]));
	assert_true(
		baseline_had_pages(&history.last, &snapshots[2].devices[1]));

	history_deinit(&history);
	for (size_t i = 0; i < COUNT_OF(snapshots); i++)
		snapshot_deinit(&snapshots[i]);
}

/* If a source does not list all pages, a missing device proves nothing. */
static void what_is_not_known_is_no_change(void **state __attribute__((unused)))
{
	struct snapshot before = { 0 }, now = { 0 };
	struct baseline baseline = { 0 };
	int64_t pages;

	add(&before, 1, 100);
	add(&now, 2, 5);
	snapshot_add(&now, 7, 1);
	assert_int_equal(baseline_take(&baseline, &before), 0);
	assert_false(baseline_change(&baseline, &now.devices[0], 0, &pages));
	assert_false(baseline_change(&baseline, &now.devices[1], 0, &pages));

	baseline_deinit(&baseline);
	snapshot_deinit(&before);
	snapshot_deinit(&now);
}

static void what_no_count_of_bytes_is(void **state __attribute__((unused)))
{
	struct snapshot now = { .page_size = 4096 };
	struct baseline baseline = { .page_size = 4096,
				     .has_rest = true,
				     .lists_all_pages = true };
	int64_t pages;

	add(&now, 1, INT64_MAX / 4096);
	assert_true(baseline_change(&baseline, &now.devices[0], 4096, &pages));
	assert_int_equal(pages, INT64_MAX / 4096);
	assert_false(baseline_change(&baseline, &now.devices[0], 8192, &pages));
	now.devices[0].figures[FIGURE_PAGES]++;
	assert_false(baseline_change(&baseline, &now.devices[0], 4096, &pages));

	assert_true(baseline_rest_change(&baseline, -3, 4096, &pages));
	assert_int_equal(pages, -3);
	baseline.rest_pages = INT64_MAX;
	assert_false(baseline_rest_change(&baseline, -3, 4096, &pages));
	baseline.has_rest = false;
	assert_false(baseline_rest_change(&baseline, 0, 4096, &pages));

	snapshot_deinit(&now);
}

/* Also with a source that lists all devices, but not all pages. */
static void what_is_new_had_no_pages(void **state __attribute__((unused)))
{
	struct snapshot before = { .page_size = 4096 };
	struct snapshot now = { .page_size = 4096 };
	struct history history = { 0 };
	int64_t pages;

	add(&before, 1, 10);
	add(&now, 2, 7);
	take(&history, &before, absent);
	assert_true(
		baseline_change(&history.last, &now.devices[0], 4096, &pages));
	assert_int_equal(pages, 7);

	before.devices[0].refused = strdup("opening: /dev/a: refused");
	take(&history, &before, absent);
	assert_false(
		baseline_change(&history.last, &now.devices[0], 4096, &pages));
	history_deinit(&history);
	snapshot_deinit(&before);
	snapshot_deinit(&now);
}

static void what_vanished_is_added_once(void **state __attribute__((unused)))
{
	struct snapshot before = { .lists_all_pages = true };
	struct snapshot now = { .lists_all_pages = true };
	struct history history = { 0 };

	add(&before, 3, 30);
	add(&before, 1, 10);
	add(&before, 2, 0);
	add(&now, 1, 11);
	take(&history, &before, absent);
	assert_int_equal(history_add_vanished(&history, &now), 0);

	assert_int_equal(now.count, 2);
	assert_int_equal(now.devices[1].minor, 3);
	assert_true(sample_has(&now.devices[1], FIGURE_PAGES));
	assert_int_equal(now.devices[1].figures[FIGURE_PAGES], 0);
	assert_string_equal(now.devices[1].kname, "loop");
	assert_int_equal(change(&history.last, &now, 1), -30);

	history_deinit(&history);
	snapshot_deinit(&before);
	snapshot_deinit(&now);
}

/* Pages of 4 KiB: 10 belong to the device, and Buffers has more. */
static void the_rest_is_kept(void **state __attribute__((unused)))
{
	struct snapshot snapshot = { .page_size = 4096 };
	struct history history = { 0 };

	add(&snapshot, 1, 10);
	take(&history, &snapshot, 48);
	take(&history, &snapshot, 36);
	assert_true(history.first.has_rest);
	assert_int_equal(history.first.rest_pages, 2);
	assert_true(history.last.has_rest);
	assert_int_equal(history.last.rest_pages, -1);
	take(&history, &snapshot, absent);
	assert_true(history.first.has_rest);
	assert_false(history.last.has_rest);
	take(&history, &snapshot, 41);
	assert_false(history.last.has_rest);

	history_deinit(&history);
	snapshot_deinit(&snapshot);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(changes_are_against_first_and_last),
		cmocka_unit_test(what_is_not_known_is_no_change),
		cmocka_unit_test(what_no_count_of_bytes_is),
		cmocka_unit_test(what_is_new_had_no_pages),
		cmocka_unit_test(what_vanished_is_added_once),
		cmocka_unit_test(the_rest_is_kept),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
