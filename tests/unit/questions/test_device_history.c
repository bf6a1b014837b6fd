// SPDX-License-Identifier: GPL-2.0-or-later
#include <stdbool.h>
#include <string.h>

#include "lib/sysroot.h"
#include "made_devices.h"
#include "measure/history.h"
#include "test.h"

static void add(struct devices *devices, unsigned int minor, uint64_t pages)
{
	struct sample *sample = made_device(devices, 7, minor);

	sample->kname = strdup("loop");
	sample_set(sample, FIGURE_PAGES, pages);
}

static const uint64_t absent = UINT64_MAX;

static void take(struct history *history, struct devices *devices,
		 uint64_t buffers_kib)
{
	devices->meminfo.present = 0;
	if (buffers_kib != absent)
		meminfo_set(&devices->meminfo, MEMINFO_BUFFERS, buffers_kib);
	assert_int_equal(devices_check(devices), 0);
	assert_int_equal(history_take(history, devices_samples(devices)), 0);
}

static const struct sample *compare(const struct history *history,
				    struct devices *devices, size_t index)
{
	assert_int_equal(devices_add_vanished(devices, history), 0);
	assert_int_equal(devices_compare(devices, history), 0);
	return &devices->devices[index].sample;
}

/* What the sample has gained; it is known. */
static int64_t gained(const struct sample *sample, enum figure figure)
{
	assert_true(sample_has(sample, figure));
	return (int64_t)sample->figures[figure];
}

static void changes_are_against_first_and_last(void **state
					       __attribute__((unused)))
{
	struct devices answers[4] = { 0 };
	struct history history = { 0 };
	const struct sample *sample;

	for (size_t i = 0; i < COUNT_OF(answers); i++) {
		answers[i].lists_all_pages = true;
		answers[i].page_size = 4096;
	}
	add(&answers[0], 1, 100);
	add(&answers[1], 1, 70);
	add(&answers[2], 2, 5);
	add(&answers[2], 1, 90);
	add(&answers[3], 1, 70);
	assert_false(history_is_there(&history));
	sample = compare(&history, &answers[2], 0);
	assert_false(sample_has(sample, FIGURE_CHANGE));
	assert_int_equal(sample->state, SAMPLE_ALONE);
	assert_false(answers[2].is_compared);
	take(&history, &answers[0], absent);
	take(&history, &answers[1], absent);
	assert_true(history_is_there(&history));

	/* In the order of their numbers. */
	sample = compare(&history, &answers[2], 0);
	assert_true(answers[2].is_compared);
	assert_int_equal(gained(sample, FIGURE_CHANGE), 20);
	assert_int_equal(gained(sample, FIGURE_SINCE), -10);
	assert_true(sample->had_pages);
	assert_int_equal(sample->state, SAMPLE_COMPARED);
	assert_false(sample_is_unchanged(sample));
	sample = compare(&history, &answers[2], 1);
	assert_int_equal(gained(sample, FIGURE_CHANGE), 5);
	assert_false(sample->had_pages);
	assert_int_equal(sample->state, SAMPLE_NEW);
	assert_true(sample_is_unchanged(compare(&history, &answers[3], 0)));

	history_deinit(&history);
	for (size_t i = 0; i < COUNT_OF(answers); i++)
		devices_deinit(&answers[i]);
}

/* If a source does not list all pages, a missing device proves nothing. */
static void what_is_not_known_is_no_change(void **state __attribute__((unused)))
{
	struct devices before = { .page_size = 4096 };
	struct devices now = { .page_size = 4096 };
	struct history history = { 0 };
	const struct sample *sample;

	add(&before, 1, 100);
	before.failed_source = strdup("module: damaged");
	take(&history, &before, absent);
	add(&now, 2, 5);
	/* It is added, and has no count now. */
	sample = compare(&history, &now, 0);
	assert_int_equal(now.count, 2);
	assert_int_equal(sample->minor, 1);
	assert_false(sample_has(sample, FIGURE_CHANGE));
	assert_int_equal(sample->state, SAMPLE_COMPARED);
	sample = &now.devices[1].sample;
	assert_int_equal(sample->minor, 2);
	assert_false(sample_has(sample, FIGURE_CHANGE));

	history_deinit(&history);
	devices_deinit(&before);
	devices_deinit(&now);
}

static void what_no_count_of_bytes_is(void **state __attribute__((unused)))
{
	struct sample sample = { .major = 7 };
	struct baseline baseline = { .page_size = 4096,
				     .lists_all_pages = true };
	int64_t pages;

	sample_set(&sample, FIGURE_PAGES, INT64_MAX / 4096);
	assert_true(baseline_change(&baseline, &sample, 4096, &pages));
	assert_int_equal(pages, INT64_MAX / 4096);
	assert_false(baseline_change(&baseline, &sample, 8192, &pages));
	sample.figures[FIGURE_PAGES]++;
	assert_false(baseline_change(&baseline, &sample, 4096, &pages));
}

static void the_rest_changes(void **state __attribute__((unused)))
{
	struct history history = {
		.last = { .page_size = 4096, .has_rest = true, .taken = true }
	};
	struct devices now = { .page_size = 4096 };
	const struct sample *rest = &now.rest.sample;

	add(&now, 1, 13);
	meminfo_set(&now.meminfo, MEMINFO_BUFFERS, 40);
	compare(&history, &now, 0);
	assert_int_equal(gained(rest, FIGURE_CHANGE), -3);
	assert_false(sample_has(rest, FIGURE_SINCE));
	history.last.rest_pages = INT64_MAX;
	compare(&history, &now, 0);
	assert_false(sample_has(rest, FIGURE_CHANGE));
	history.last = (struct baseline){ .page_size = 4096, .taken = true };
	compare(&history, &now, 0);
	assert_false(sample_has(rest, FIGURE_CHANGE));
	devices_deinit(&now);
}

/* Also with a source that lists all devices, but not all pages. */
static void what_is_new_had_no_pages(void **state __attribute__((unused)))
{
	struct devices before = { .page_size = 4096 };
	struct devices now = { .page_size = 4096 };
	struct devices again = { .page_size = 4096 };
	struct history history = { 0 };

	add(&before, 1, 10);
	add(&now, 2, 7);
	add(&again, 2, 7);
	take(&history, &before, absent);
	assert_int_equal(gained(compare(&history, &now, 1), FIGURE_CHANGE), 7);

	before.devices[0].sample.refused = strdup("opening: /dev/a: refused");
	take(&history, &before, absent);
	assert_false(sample_has(compare(&history, &again, 1), FIGURE_CHANGE));
	history_deinit(&history);
	devices_deinit(&before);
	devices_deinit(&now);
	devices_deinit(&again);
}

static void what_vanished_is_added_once(void **state __attribute__((unused)))
{
	struct devices before = { .lists_all_pages = true };
	struct devices now = { .lists_all_pages = true };
	struct history history = { 0 };
	const struct sample *sample;

	add(&before, 3, 30);
	add(&before, 1, 10);
	add(&before, 2, 0);
	add(&now, 1, 11);
	take(&history, &before, absent);
	sample = compare(&history, &now, 1);

	assert_int_equal(now.count, 2);
	assert_int_equal(sample->minor, 3);
	assert_true(sample_has(sample, FIGURE_PAGES));
	assert_int_equal(sample->figures[FIGURE_PAGES], 0);
	assert_string_equal(sample->kname, "loop");
	assert_int_equal(gained(sample, FIGURE_CHANGE), -30);
	assert_int_equal(sample->state, SAMPLE_EMPTY);

	history_deinit(&history);
	devices_deinit(&before);
	devices_deinit(&now);
}

/* One without pages now and then has not changed; nor is it in the rest. */
static void what_is_listed_besides_is_compared(void **state
					       __attribute__((unused)))
{
	struct devices before = { .page_size = 4096, .lists_all_pages = true };
	struct devices now = { .page_size = 4096, .lists_all_pages = true };
	struct history history = { 0 };
	struct sysroot root;

	assert_int_equal(sysroot_init(&root, FIXTURE("article"), NULL), 0);
	add(&before, 1, 10);
	take(&history, &before, 48);
	add(&now, 1, 9);
	meminfo_set(&now.meminfo, MEMINFO_BUFFERS, 48);
	assert_int_equal(devices_add_vanished(&now, &history), 0);
	assert_int_equal(devices_add_all(&now, &root, NULL), 0);
	assert_int_equal(devices_compare(&now, &history), 0);
	assert_int_equal(now.count, 6);
	for (size_t i = 0; i < now.count; i++)
		assert_int_equal(gained(&now.devices[i].sample, FIGURE_CHANGE),
				 i ? 0 : -1);
	assert_int_equal(gained(&now.rest.sample, FIGURE_CHANGE), 1);
	history_deinit(&history);
	devices_deinit(&before);
	devices_deinit(&now);
	sysroot_deinit(&root);
}

/* Pages of 4 KiB: 10 belong to the device, and Buffers has more. */
static void the_rest_is_kept(void **state __attribute__((unused)))
{
	struct devices snapshot = { .page_size = 4096 };
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
	devices_deinit(&snapshot);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(changes_are_against_first_and_last),
		cmocka_unit_test(what_is_not_known_is_no_change),
		cmocka_unit_test(what_no_count_of_bytes_is),
		cmocka_unit_test(the_rest_changes),
		cmocka_unit_test(what_is_new_had_no_pages),
		cmocka_unit_test(what_vanished_is_added_once),
		cmocka_unit_test(what_is_listed_besides_is_compared),
		cmocka_unit_test(the_rest_is_kept),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
