// SPDX-License-Identifier: GPL-2.0-or-later
#include <string.h>

#include "devices/device_rows.h"
#include "test.h"

static const uint64_t absent = UINT64_MAX;

static struct sample *add(struct snapshot *snapshot, unsigned int major,
			  unsigned int minor, uint64_t pages)
{
	struct sample *sample = snapshot_add(snapshot, major, minor);

	assert_non_null(sample);
	if (pages != absent)
		sample_set(sample, FIGURE_PAGES, pages);
	return sample;
}

static struct meminfo with_buffers(uint64_t kib)
{
	struct meminfo meminfo = { 0 };

	meminfo.kib[MEMINFO_BUFFERS] = kib;
	meminfo.present = 1U << MEMINFO_BUFFERS;
	return meminfo;
}

static void expect_row(const struct report *report, size_t row,
		       unsigned int major, unsigned int minor)
{
	assert_int_equal(report->rows[row]->major, major);
	assert_int_equal(report->rows[row]->minor, minor);
}

static void expect_share(const struct report *report,
			 const struct sample *sample, double expected)
{
	double percent = -1000;

	assert_true(report_share(report, sample, &percent));
	assert_true(percent > expected - 1e-9 && percent < expected + 1e-9);
}

static void the_article_adds_up(void **state __attribute__((unused)))
{
	struct snapshot snapshot = { .page_size = 4096, .source = "module" };
	struct meminfo meminfo = with_buffers(149932);
	struct report report;

	add(&snapshot, 253, 0, 11844);
	add(&snapshot, 252, 1, 25639);
	assert_int_equal(report_init(&report, &snapshot, &meminfo), 0);
	assert_string_equal(report.source, "module");
	assert_int_equal(report.page_size, 4096);
	assert_true(report.has_attributed && report.has_buffers);
	assert_int_equal(report.attributed_pages, 37483);
	assert_int_equal(report.buffers_pages, 37483);
	assert_int_equal(report.unattributed_pages, 0);
	assert_int_equal(report.count, 2);
	assert_int_equal(report.with_pages, 2);
	assert_int_equal(report.refused, 0);
	expect_row(&report, 0, 252, 1);
	expect_share(&report, report.rows[0], 100.0 * 25639 / 37483);
	expect_share(&report, NULL, 0);
	report_deinit(&report);
	snapshot_deinit(&snapshot);
}

static void order_is_pages_then_number(void **state __attribute__((unused)))
{
	static const unsigned int expected[][2] = {
		{ 9, 0 },  { 7, 3 }, { 8, 1 }, { 8, 2 },
		{ 8, 10 }, { 1, 1 }, { 1, 0 }, { 259, 0 },
	};
	struct snapshot snapshot = { .page_size = 4096 };
	struct meminfo meminfo = with_buffers(0);
	struct report report;

	add(&snapshot, 259, 0, absent);
	add(&snapshot, 1, 1, 0);
	add(&snapshot, 8, 10, 5);
	add(&snapshot, 1, 0, absent);
	add(&snapshot, 8, 2, 5);
	add(&snapshot, 9, 0, UINT32_MAX);
	add(&snapshot, 7, 3, 5);
	add(&snapshot, 8, 1, 5);
	assert_int_equal(report_init(&report, &snapshot, &meminfo), 0);
	assert_int_equal(report.count, COUNT_OF(expected));
	for (size_t i = 0; i < COUNT_OF(expected); i++)
		expect_row(&report, i, expected[i][0], expected[i][1]);
	assert_int_equal(report.with_pages, 5);
	report_deinit(&report);
	snapshot_deinit(&snapshot);
}

static void rest_is_shown_with_its_sign(void **state __attribute__((unused)))
{
	static const struct {
		uint64_t buffers_kib;
		int64_t rest;
		double share;
	} cases[] = {
		{ 4096, 0, 0 },
		{ 5296, 300, 100.0 * 300 / 1324 },
		{ 4000, -24, -2.4 },
		{ 4, -1023, -102300 },
	};
	struct snapshot snapshot = { .page_size = 4096 };
	struct report report;

	add(&snapshot, 8, 1, 1000);
	add(&snapshot, 8, 2, 24);
	for (size_t i = 0; i < COUNT_OF(cases); i++) {
		struct meminfo meminfo = with_buffers(cases[i].buffers_kib);

		assert_int_equal(report_init(&report, &snapshot, &meminfo), 0);
		assert_true(report.has_attributed && report.has_buffers);
		assert_true(report.unattributed_pages == cases[i].rest);
		expect_share(&report, NULL, cases[i].share);
		report_deinit(&report);
	}
	snapshot_deinit(&snapshot);
}

static void without_buffers_no_rest(void **state __attribute__((unused)))
{
	/* The number is set, but its presence bit is not. */
	struct meminfo meminfo = { .kib = { [MEMINFO_BUFFERS] = 4096 } };
	struct snapshot snapshot = { .page_size = 4096 };
	struct report report;
	double percent;

	add(&snapshot, 8, 1, 1000);
	assert_int_equal(report_init(&report, &snapshot, &meminfo), 0);
	assert_true(report.has_attributed);
	assert_false(report.has_buffers);
	assert_int_equal(report.attributed_pages, 1000);
	assert_false(report_share(&report, NULL, &percent));
	assert_false(report_share(&report, report.rows[0], &percent));
	report_deinit(&report);
	snapshot_deinit(&snapshot);
}

static void unusable_buffers_are_absent(void **state __attribute__((unused)))
{
	static const struct {
		uint64_t page_size;
		uint64_t kib;
		bool usable;
	} cases[] = {
		{ 4096, 4, true },
		{ 4096, 6, false },
		{ 4096, 1, false },
		{ 65536, 64, true },
		{ 65536, 68, false },
		{ 1024, 1, true },
		{ 512, 4, false },
		{ 4096, INT64_MAX / 1024 - 3, true },
		{ 4096, (uint64_t)INT64_MAX / 1024 + 1, false },
		{ 4096, UINT64_MAX - 3, false },
	};
	struct report report;

	for (size_t i = 0; i < COUNT_OF(cases); i++) {
		struct snapshot snapshot = { .page_size = cases[i].page_size };
		struct meminfo meminfo = with_buffers(cases[i].kib);

		assert_int_equal(report_init(&report, &snapshot, &meminfo), 0);
		if (report.has_buffers != cases[i].usable)
			fail_msg("case %zu", i);
		report_deinit(&report);
	}
}

static void pages_of_64_kib(void **state __attribute__((unused)))
{
	struct snapshot snapshot = { .page_size = 65536 };
	struct meminfo meminfo = with_buffers(64 * 1024);
	struct report report;

	add(&snapshot, 8, 1, 1000);
	assert_int_equal(report_init(&report, &snapshot, &meminfo), 0);
	assert_int_equal(report.buffers_pages, 1024);
	assert_int_equal(report.unattributed_pages, 24);
	report_deinit(&report);
	snapshot_deinit(&snapshot);
}

/* A refused device keeps its row; its pages are in the rest. */
static void refused_devices_are_counted(void **state __attribute__((unused)))
{
	struct snapshot snapshot = { .page_size = 4096 };
	struct meminfo meminfo = with_buffers(4000);
	struct report report;
	double percent;

	add(&snapshot, 8, 1, 250);
	add(&snapshot, 8, 2, absent)->refused = strdup("opening: no");
	add(&snapshot, 8, 3, absent);
	assert_int_equal(report_init(&report, &snapshot, &meminfo), 0);
	assert_int_equal(report.count, 3);
	assert_int_equal(report.refused, 1);
	assert_int_equal(report.with_pages, 1);
	assert_int_equal(report.unattributed_pages, 750);
	expect_row(&report, 1, 8, 2);
	assert_false(report_share(&report, report.rows[1], &percent));
	report_deinit(&report);
	snapshot_deinit(&snapshot);
}

static void nothing_measured(void **state __attribute__((unused)))
{
	struct snapshot snapshot = { .page_size = 4096 };
	struct meminfo meminfo = with_buffers(4000);
	struct report report;

	assert_int_equal(report_init(&report, &snapshot, &meminfo), 0);
	assert_int_equal(report.count, 0);
	assert_true(report.has_attributed);
	assert_int_equal(report.attributed_pages, 0);
	assert_int_equal(report.unattributed_pages, 1000);
	report_deinit(&report);
}

static void share_of_nothing_is_unknown(void **state __attribute__((unused)))
{
	struct snapshot snapshot = { .page_size = 4096 };
	struct meminfo meminfo = with_buffers(0);
	struct report report;
	double percent;

	add(&snapshot, 8, 1, 0);
	assert_int_equal(report_init(&report, &snapshot, &meminfo), 0);
	assert_true(report.has_buffers);
	assert_false(report_share(&report, report.rows[0], &percent));
	assert_false(report_share(&report, NULL, &percent));
	report_deinit(&report);
	snapshot_deinit(&snapshot);
}

static void impossible_sum_is_absent(void **state __attribute__((unused)))
{
	struct snapshot snapshot = { .page_size = 4096 };
	struct meminfo meminfo = with_buffers(4000);
	struct report report;
	double percent;

	add(&snapshot, 8, 1, INT64_MAX / 4096);
	add(&snapshot, 8, 2, 1);
	assert_int_equal(report_init(&report, &snapshot, &meminfo), 0);
	assert_false(report.has_attributed);
	assert_true(report.has_buffers);
	assert_false(report_share(&report, report.rows[0], &percent));
	assert_false(report_share(&report, NULL, &percent));
	report_deinit(&report);
	snapshot_deinit(&snapshot);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_article_adds_up),
		cmocka_unit_test(order_is_pages_then_number),
		cmocka_unit_test(rest_is_shown_with_its_sign),
		cmocka_unit_test(without_buffers_no_rest),
		cmocka_unit_test(unusable_buffers_are_absent),
		cmocka_unit_test(pages_of_64_kib),
		cmocka_unit_test(refused_devices_are_counted),
		cmocka_unit_test(nothing_measured),
		cmocka_unit_test(share_of_nothing_is_unknown),
		cmocka_unit_test(impossible_sum_is_absent),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
