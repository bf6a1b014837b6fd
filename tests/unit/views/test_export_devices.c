// SPDX-License-Identifier: GPL-2.0-or-later
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "devices/device_rows.h"
#include "export/export_devices.h"
#include "export/metrics.h"
#include "lib/sysroot.h"
#include "test.h"

#define DIRTY_UNKNOWN UINT64_MAX

struct given {
	unsigned int minor;
	uint64_t pages;
	uint64_t dirty;
};

struct fixture {
	struct devices all;
	struct export_devices devices;
};

/* All devices have major 8. The host of the names has none of them. */
static void make(struct fixture *fixture, const struct given *devices,
		 size_t count, size_t limit)
{
	struct snapshot snapshot = { .page_size = 4096 };
	struct sysroot root;

	*fixture = (struct fixture){ 0 };
	for (size_t i = 0; i < count; i++) {
		struct sample *sample =
			snapshot_add(&snapshot, 8, devices[i].minor);

		assert_non_null(sample);
		sample_set(sample, FIGURE_PAGES, devices[i].pages);
		if (devices[i].dirty != DIRTY_UNKNOWN)
			sample_set(sample, FIGURE_DIRTY, devices[i].dirty);
	}
	assert_int_equal(devices_take(&fixture->all, &snapshot), 0);
	snapshot_deinit(&snapshot);
	assert_int_equal(sysroot_init(&root, FIXTURE("container"), NULL), 0);
	assert_int_equal(export_devices_init(&fixture->devices, &fixture->all,
					     &root, limit),
			 0);
	sysroot_deinit(&root);
}

static void destroy(struct fixture *fixture)
{
	export_devices_deinit(&fixture->devices);
	devices_deinit(&fixture->all);
}

static void expect(const struct sample *sample, uint64_t pages, uint64_t dirty)
{
	assert_int_equal(sample->figures[FIGURE_PAGES], pages);
	assert_int_equal(sample_has(sample, FIGURE_DIRTY),
			 dirty != DIRTY_UNKNOWN);
	if (dirty != DIRTY_UNKNOWN)
		assert_int_equal(sample->figures[FIGURE_DIRTY], dirty);
}

static void most_pages_first(void **state __attribute__((unused)))
{
	static const struct given devices[] = {
		{ 0, 5, 1 }, { 1, 9, 0 }, { 2, 0, 0 }, { 3, 7, 0 }
	};
	struct fixture fixture;

	make(&fixture, devices, COUNT_OF(devices), 20);
	assert_int_equal(fixture.devices.count, 3);
	assert_int_equal(fixture.devices.in_other, 0);
	expect(rows_at(&fixture.devices.rows, 0), 9, 0);
	expect(rows_at(&fixture.devices.rows, 1), 7, 0);
	expect(rows_at(&fixture.devices.rows, 2), 5, 1);
	destroy(&fixture);
}

static void others_are_summed(void **state __attribute__((unused)))
{
	static const struct given devices[] = {
		{ 0, 5, 1 }, { 1, 9, 0 }, { 2, 3, 2 }, { 3, 7, 0 }
	};
	struct fixture fixture;

	make(&fixture, devices, COUNT_OF(devices), 2);
	assert_int_equal(fixture.devices.count, 2);
	assert_int_equal(fixture.devices.in_other, 2);
	expect(&fixture.devices.other, 8, 3);
	destroy(&fixture);

	make(&fixture, devices, COUNT_OF(devices), 0);
	assert_int_equal(fixture.devices.count, 0);
	expect(&fixture.devices.other, 24, 3);
	destroy(&fixture);
}

static void unknown_makes_the_sum_unknown(void **state __attribute__((unused)))
{
	static const struct given devices[] = { { 0, 5, 1 },
						{ 1, 9, 0 },
						{ 2, 3, DIRTY_UNKNOWN } };
	struct fixture fixture;

	make(&fixture, devices, COUNT_OF(devices), 1);
	expect(&fixture.devices.other, 8, DIRTY_UNKNOWN);
	destroy(&fixture);
}

/* Prometheus would refuse all metrics if two had the same labels. */
static void one_number_is_one_row(void **state __attribute__((unused)))
{
	static const struct given devices[] = { { 1, 5, 1 },
						{ 0, 9, 0 },
						{ 1, 8, 2 } };
	struct fixture fixture;

	make(&fixture, devices, COUNT_OF(devices), 20);
	assert_int_equal(fixture.devices.count, 2);
	expect(rows_at(&fixture.devices.rows, 0), 13, 3);
	expect(rows_at(&fixture.devices.rows, 1), 9, 0);
	destroy(&fixture);
}

/* As OpenMetrics: 10 pages are a device's, and Buffers has 12. */
static char *metrics_text(bool unsettled)
{
	struct snapshot snapshot = { .page_size = 4096,
				     .unsettled = unsettled };
	struct devices devices = { 0 };
	struct metrics_input input;
	struct sysroot root;
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	assert_non_null(out);
	sample_set(snapshot_add(&snapshot, 8, 0), FIGURE_PAGES, 10);
	meminfo_set(&devices.meminfo, MEMINFO_BUFFERS, 48);
	assert_int_equal(devices_take(&devices, &snapshot), 0);
	snapshot_deinit(&snapshot);
	assert_int_equal(sysroot_init(&root, FIXTURE("container"), NULL), 0);
	assert_int_equal(metrics_init(&input, &devices, NULL, &root, 20), 0);
	metrics_print(out, EXPOSITION_OPENMETRICS, false, &input);
	fclose(out);
	metrics_deinit(&input);
	sysroot_deinit(&root);
	devices_deinit(&devices);
	return text;
}

/* The rest of figures that contradict each other is nobody's. */
static void an_unsettled_rest_is_not_exported(void **state
					      __attribute__((unused)))
{
	char *text = metrics_text(false);

	assert_non_null(strstr(text, "\nbufstat_buffers_bytes 49152\n"));
	assert_non_null(strstr(text, "\nbufstat_unattributed_bytes 8192\n"));
	free(text);
	text = metrics_text(true);
	assert_non_null(strstr(text, "\nbufstat_buffers_bytes 49152\n"));
	assert_null(strstr(text, "bufstat_unattributed_bytes"));
	free(text);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(most_pages_first),
		cmocka_unit_test(others_are_summed),
		cmocka_unit_test(unknown_makes_the_sum_unknown),
		cmocka_unit_test(one_number_is_one_row),
		cmocka_unit_test(an_unsettled_rest_is_not_exported),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
