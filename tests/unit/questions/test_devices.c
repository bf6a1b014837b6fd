// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <string.h>

#include "devices/device_figures.h"
#include "devices/device_rows.h"
#include "lib/sysroot.h"
#include "test.h"
#include "tree.h"

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

/* An answer and all of its rows. */
struct devices_answer {
	struct devices devices;
	struct rows rows;
};

/* Takes over @snapshot. */
static void answer_init(struct devices_answer *answer,
			struct snapshot *snapshot,
			const struct meminfo *meminfo)
{
	*answer = (struct devices_answer){ .devices.meminfo = *meminfo };
	assert_int_equal(devices_take(&answer->devices, snapshot), 0);
	snapshot_deinit(snapshot);
	assert_int_equal(
		device_rows_init(&answer->rows, &answer->devices, true), 0);
}

static void answer_deinit(struct devices_answer *answer)
{
	rows_deinit(&answer->rows);
	devices_deinit(&answer->devices);
}

static struct meminfo with_buffers(uint64_t kib)
{
	struct meminfo meminfo = { 0 };

	meminfo_set(&meminfo, MEMINFO_BUFFERS, kib);
	return meminfo;
}

static void expect_row(const struct devices_answer *answer, size_t row,
		       unsigned int major, unsigned int minor)
{
	assert_int_equal(device_row(&answer->rows, row)->sample.major, major);
	assert_int_equal(device_row(&answer->rows, row)->sample.minor, minor);
}

static void expect_share(const struct device *device, double expected)
{
	double percent = -1000;

	assert_true(device_share(device, &percent));
	assert_true(percent > expected - 1e-9 && percent < expected + 1e-9);
}

static int64_t pages_of_rest(const struct devices_answer *answer)
{
	return (int64_t)answer->devices.rest.sample.figures[FIGURE_PAGES];
}

static void the_article_adds_up(void **state __attribute__((unused)))
{
	struct snapshot snapshot = { .page_size = 4096, .source = "module" };
	struct meminfo meminfo = with_buffers(149932);
	struct devices_answer answer;

	add(&snapshot, 253, 0, 11844);
	add(&snapshot, 252, 1, 25639);
	answer_init(&answer, &snapshot, &meminfo);
	assert_string_equal(answer.devices.source, "module");
	assert_int_equal(answer.devices.page_size, 4096);
	assert_true(devices_have_rest(&answer.devices));
	assert_int_equal(answer.devices.attributed_pages, 37483);
	assert_int_equal(answer.devices.buffers_pages, 37483);
	assert_int_equal(pages_of_rest(&answer), 0);
	assert_int_equal(answer.devices.count, 2);
	assert_int_equal(answer.devices.with_pages, 2);
	assert_int_equal(answer.devices.refused, 0);
	expect_row(&answer, 0, 252, 1);
	expect_share(device_row(&answer.rows, 0), 100.0 * 25639 / 37483);
	expect_share(&answer.devices.rest, 0);
	answer_deinit(&answer);
}

static void order_is_pages_then_number(void **state __attribute__((unused)))
{
	static const unsigned int expected[][2] = {
		{ 9, 0 },  { 7, 3 }, { 8, 1 }, { 8, 2 },
		{ 8, 10 }, { 1, 1 }, { 1, 0 }, { 259, 0 },
	};
	struct snapshot snapshot = { .page_size = 4096 };
	struct meminfo meminfo = with_buffers(0);
	struct devices_answer answer;

	add(&snapshot, 259, 0, absent);
	add(&snapshot, 1, 1, 0);
	add(&snapshot, 8, 10, 5);
	add(&snapshot, 1, 0, absent);
	add(&snapshot, 8, 2, 5);
	add(&snapshot, 9, 0, UINT32_MAX);
	add(&snapshot, 7, 3, 5);
	add(&snapshot, 8, 1, 5);
	answer_init(&answer, &snapshot, &meminfo);
	assert_int_equal(answer.devices.count, COUNT_OF(expected));
	for (size_t i = 0; i < COUNT_OF(expected); i++)
		expect_row(&answer, i, expected[i][0], expected[i][1]);
	assert_int_equal(answer.devices.with_pages, 5);
	answer_deinit(&answer);
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
	struct devices_answer answer;

	for (size_t i = 0; i < COUNT_OF(cases); i++) {
		struct meminfo meminfo = with_buffers(cases[i].buffers_kib);
		struct snapshot snapshot = { .page_size = 4096 };

		add(&snapshot, 8, 1, 1000);
		add(&snapshot, 8, 2, 24);
		answer_init(&answer, &snapshot, &meminfo);
		assert_true(devices_have_rest(&answer.devices));
		assert_true(pages_of_rest(&answer) == cases[i].rest);
		expect_share(&answer.devices.rest, cases[i].share);
		answer_deinit(&answer);
	}
}

static void without_buffers_no_rest(void **state __attribute__((unused)))
{
	/* The number is set, but its presence bit is not. */
	struct meminfo meminfo = { .kib = { [MEMINFO_BUFFERS] = 4096 } };
	struct snapshot snapshot = { .page_size = 4096 };
	struct devices_answer answer;
	double percent;

	add(&snapshot, 8, 1, 1000);
	answer_init(&answer, &snapshot, &meminfo);
	assert_true(answer.devices.has_attributed);
	assert_false(answer.devices.has_buffers);
	assert_int_equal(answer.devices.attributed_pages, 1000);
	assert_false(device_share(&answer.devices.rest, &percent));
	assert_false(device_share(device_row(&answer.rows, 0), &percent));
	answer_deinit(&answer);
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
	struct devices_answer answer;

	for (size_t i = 0; i < COUNT_OF(cases); i++) {
		struct snapshot snapshot = { .page_size = cases[i].page_size };
		struct meminfo meminfo = with_buffers(cases[i].kib);

		answer_init(&answer, &snapshot, &meminfo);
		if (answer.devices.has_buffers != cases[i].usable)
			fail_msg("case %zu", i);
		answer_deinit(&answer);
	}
}

static void pages_of_64_kib(void **state __attribute__((unused)))
{
	struct snapshot snapshot = { .page_size = 65536 };
	struct meminfo meminfo = with_buffers(64 * 1024);
	struct devices_answer answer;

	add(&snapshot, 8, 1, 1000);
	answer_init(&answer, &snapshot, &meminfo);
	assert_int_equal(answer.devices.buffers_pages, 1024);
	assert_int_equal(pages_of_rest(&answer), 24);
	answer_deinit(&answer);
}

/* A refused device keeps its row; its pages are in the rest. */
static void refused_devices_are_counted(void **state __attribute__((unused)))
{
	struct snapshot snapshot = { .page_size = 4096 };
	struct meminfo meminfo = with_buffers(4000);
	struct devices_answer answer;
	double percent;

	add(&snapshot, 8, 1, 250);
	add(&snapshot, 8, 2, absent)->refused = strdup("opening: no");
	add(&snapshot, 8, 3, absent);
	answer_init(&answer, &snapshot, &meminfo);
	assert_int_equal(answer.devices.count, 3);
	assert_int_equal(answer.devices.refused, 1);
	assert_int_equal(answer.devices.with_pages, 1);
	assert_int_equal(pages_of_rest(&answer), 750);
	expect_row(&answer, 1, 8, 2);
	assert_false(device_share(device_row(&answer.rows, 1), &percent));
	answer_deinit(&answer);
}

static void nothing_measured(void **state __attribute__((unused)))
{
	struct snapshot snapshot = { .page_size = 4096 };
	struct meminfo meminfo = with_buffers(4000);
	struct devices_answer answer;

	answer_init(&answer, &snapshot, &meminfo);
	assert_int_equal(answer.devices.count, 0);
	assert_true(answer.devices.has_attributed);
	assert_int_equal(answer.devices.attributed_pages, 0);
	assert_int_equal(pages_of_rest(&answer), 1000);
	answer_deinit(&answer);
}

static void share_of_nothing_is_unknown(void **state __attribute__((unused)))
{
	struct snapshot snapshot = { .page_size = 4096 };
	struct meminfo meminfo = with_buffers(0);
	struct devices_answer answer;
	double percent;

	add(&snapshot, 8, 1, 0);
	answer_init(&answer, &snapshot, &meminfo);
	assert_true(answer.devices.has_buffers);
	assert_false(device_share(device_row(&answer.rows, 0), &percent));
	assert_false(device_share(&answer.devices.rest, &percent));
	answer_deinit(&answer);
}

static void impossible_sum_is_absent(void **state __attribute__((unused)))
{
	struct snapshot snapshot = { .page_size = 4096 };
	struct meminfo meminfo = with_buffers(4000);
	struct devices_answer answer;
	double percent;

	add(&snapshot, 8, 1, INT64_MAX / 4096);
	add(&snapshot, 8, 2, 1);
	answer_init(&answer, &snapshot, &meminfo);
	assert_false(answer.devices.has_attributed);
	assert_true(answer.devices.has_buffers);
	assert_false(device_share(device_row(&answer.rows, 0), &percent));
	assert_false(device_share(&answer.devices.rest, &percent));
	answer_deinit(&answer);
}

static void knows_whether_it_is_whole(void **state __attribute__((unused)))
{
	static const struct {
		const char *failed_source;
		const char *refused;
		bool unsettled, no_buffers, is_whole;
	} cases[] = {
		{ .is_whole = true },
		{ .failed_source = "module: damaged" },
		{ .refused = "opening: no" },
		{ .unsettled = true },
		{ .no_buffers = true },
	};
	struct devices_answer answer;

	for (size_t i = 0; i < COUNT_OF(cases); i++) {
		struct snapshot snapshot = { .page_size = 4096,
					     .unsettled = cases[i].unsettled };
		struct meminfo meminfo = with_buffers(4);

		if (cases[i].failed_source)
			snapshot.failed_source = strdup(cases[i].failed_source);
		if (cases[i].refused)
			add(&snapshot, 8, 2, absent)->refused =
				strdup(cases[i].refused);
		add(&snapshot, 8, 1, 1);
		if (cases[i].no_buffers)
			meminfo.present = 0;
		answer_init(&answer, &snapshot, &meminfo);
		assert_int_equal(answer.devices.is_whole, cases[i].is_whole);
		assert_int_equal(answer.devices.has_all,
				 cases[i].is_whole || cases[i].no_buffers);
		answer_deinit(&answer);
	}
}

/* The captured measurement counts, whatever else is in the tree. */
static void a_capture_has_its_source(void **state __attribute__((unused)))
{
	struct device_figures figures;
	struct devices devices = { 0 };
	struct sysroot root;
	struct error err;
	struct tree tree;

	tree_create(&tree);
	tree_add_text(&tree, "sys/kernel/debug/bufstat/devices", "");
	tree_add_text(&tree, "bufstat/reading.json",
		      "{\"reading\": {\"version\": 1, \"devices\": {"
		      "\"source\": \"cachestat\", \"page_size_bytes\": 4096,"
		      "\"settled\": true, \"lists_all_pages\": false,"
		      "\"failed_source\": \"module: line 1: cut short\","
		      "\"rows\": []}}}");
	assert_int_equal(sysroot_init(&root, tree.path, NULL), 0);
	assert_int_equal(devices_read_tree(&devices, &root, NULL, &err), 0);
	assert_int_equal(devices.collected, 0);
	assert_string_equal(devices.source, "cachestat");
	assert_string_equal(devices.failed_source, "module: line 1: cut short");
	devices_deinit(&devices);
	assert_int_equal(devices_read_tree(&devices, &root, "kcore", &err),
			 -ENODATA);
	assert_null(devices.source);
	devices_deinit(&devices);
	assert_int_equal(devices_try(&devices, &root, 2, &err), 0);
	assert_string_equal(devices.source, "cachestat");
	devices_deinit(&devices);
	assert_int_equal(devices_try(&devices, &root, 0, &err), -EBADMSG);
	devices_deinit(&devices);
	assert_int_equal(device_figures_take(&root, NULL, 0, &figures, &err),
			 0);
	assert_string_equal(figures.source, "cachestat");
	assert_false(sample_has(&figures.sample, FIGURE_PAGES));
	sysroot_deinit(&root);
	tree_destroy(&tree);
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
		cmocka_unit_test(knows_whether_it_is_whole),
		cmocka_unit_test(a_capture_has_its_source),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
