// SPDX-License-Identifier: GPL-2.0-or-later
#include "measure/snapshot.h"
#include "test.h"

static void add_pages(struct snapshot *snapshot, unsigned int minor,
		      uint64_t pages)
{
	struct sample *sample = snapshot_add(snapshot, 8, minor);

	assert_non_null(sample);
	sample_set(sample, FIGURE_PAGES, pages);
}

static void absent_is_not_zero(void **state __attribute__((unused)))
{
	struct snapshot snapshot = { .page_size = 4096 };
	struct sample *sample = snapshot_add(&snapshot, 8, 1);

	for (unsigned int i = 0; i < FIGURES; i++)
		assert_false(sample_has(sample, i));
	sample_set(sample, FIGURE_DIRTY, 0);
	assert_true(sample_has(sample, FIGURE_DIRTY));
	assert_false(sample_has(sample, FIGURE_PAGES));
	assert_false(sample_has(sample, FIGURE_WRITEBACK));
	snapshot_deinit(&snapshot);
}

static void keeps_devices_while_growing(void **state __attribute__((unused)))
{
	struct snapshot snapshot = { .page_size = 4096 };
	uint64_t pages;

	for (unsigned int i = 0; i < 5000; i++)
		add_pages(&snapshot, i, i);
	assert_int_equal(snapshot.count, 5000);
	for (unsigned int i = 0; i < 5000; i++) {
		assert_int_equal(snapshot.devices[i].minor, i);
		assert_int_equal(snapshot.devices[i].figures[FIGURE_PAGES], i);
	}
	assert_true(snapshot_sum(&snapshot, &pages));
	assert_int_equal(pages, 5000 * 4999 / 2);
	snapshot_deinit(&snapshot);
}

static void sums_what_is_there(void **state __attribute__((unused)))
{
	struct snapshot snapshot = { .page_size = 4096 };
	struct sample *sample;
	uint64_t pages = 99;

	assert_true(snapshot_sum(&snapshot, &pages));
	assert_int_equal(pages, 0);
	add_pages(&snapshot, 0, 25639);
	sample = snapshot_add(&snapshot, 8, 1);
	/* Without its presence bit the number means nothing. */
	sample->figures[FIGURE_PAGES] = 1000000;
	add_pages(&snapshot, 2, 11844);
	assert_true(snapshot_sum(&snapshot, &pages));
	assert_int_equal(pages, 37483);
	snapshot_deinit(&snapshot);
}

static void refuses_sums_past_63_bits(void **state __attribute__((unused)))
{
	struct snapshot snapshot = { .page_size = 4096 };
	uint64_t pages;

	add_pages(&snapshot, 0, INT64_MAX / 4096);
	assert_true(snapshot_sum(&snapshot, &pages));
	add_pages(&snapshot, 1, 1);
	assert_false(snapshot_sum(&snapshot, &pages));
	/* past 64 bits in bytes, then in pages */
	add_pages(&snapshot, 2, UINT64_MAX / 4096);
	assert_false(snapshot_sum(&snapshot, &pages));
	add_pages(&snapshot, 3, UINT64_MAX);
	assert_false(snapshot_sum(&snapshot, &pages));
	snapshot_deinit(&snapshot);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(absent_is_not_zero),
		cmocka_unit_test(keeps_devices_while_growing),
		cmocka_unit_test(sums_what_is_there),
		cmocka_unit_test(refuses_sums_past_63_bits),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
