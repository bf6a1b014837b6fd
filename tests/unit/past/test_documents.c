// SPDX-License-Identifier: GPL-2.0-or-later
/* The documents of a recording, byte by byte: version 1 promises them. */
#include <errno.h>
#include <string.h>

#include "names/recorded_names.h"
#include "store/documents.h"
#include "test.h"

static void expect(const struct fields *fields, const void *record,
		   const char *expected)
{
	struct document_writer writer = { 0 };
	const char *text;
	size_t size;

	assert_int_equal(document_writer_init(&writer, 4096), 0);
	text = document_write(&writer, fields, record, &size);
	assert_non_null(text);
	assert_int_equal(size, strlen(expected));
	assert_memory_equal(text, expected, size);
	document_writer_deinit(&writer);
}

static void states(void **state __attribute__((unused)))
{
	const struct store_state started = {
		.what = STORE_STARTED,
		.bufstat = (char *)"1.0.0",
		.pid = 7,
		.interval_ms = 10000,
	};
	const struct store_state running = {
		.what = STORE_RUNNING,
		.interval_ms = 10000,
		.has_cost = true,
		.over_ms = 60000,
		.has_resident = true,
		.resident_kib = 9,
		.has_disk = true,
		.disk_errno = ENOSPC,
		.disk_waits = true,
		.has_dead = true,
	};
	const struct store_state failed = {
		.what = STORE_FAILED,
		.reason = (char *)"a \"b\"",
	};
	const struct store_state tracing = {
		.what = STORE_TRACING,
		.engine = (char *)"bpf",
	};

	expect(&store_state_fields, &started,
	       "{\"state\":\"started\",\"bufstat\":\"1.0.0\",\"pid\":7,"
	       "\"interval_ms\":10000}");
	expect(&store_state_fields, &running,
	       "{\"state\":\"running\",\"interval_ms\":10000,\"cpu_us\":0,"
	       "\"over_ms\":60000,\"resident_kib\":9,\"disk_errno\":28,"
	       "\"disk_waits\":true,\"lost_segments\":0,\"dead_writers\":0}");
	expect(&store_state_fields, &failed,
	       "{\"state\":\"failed\",\"reason\":\"a \\\"b\\\"\"}");
	expect(&store_state_fields, &tracing,
	       "{\"state\":\"tracing\",\"engine\":\"bpf\"}");
}

/* A row of one cache, and the sum of several, which has no number. */
static void filled(void **state __attribute__((unused)))
{
	struct store_fill fills[2] = {
		{
			.has_cache = true,
			.fill = { .major = 8,
				  .minor = 16,
				  .is_bdev = true,
				  .process = 70,
				  .in = { [FILL_READ] = 5 },
				  .command = "dd",
				  .in_error = 1 },
			.has_error = true,
			.cgroup = (char *)"/a",
		},
		{ .is_others = true },
	};
	const struct store_filled report = {
		.engine = "bpf",
		.over_ms = 10000,
		.page_size = 4096,
		.fills = fills,
		.count = 2,
	};

	expect(&store_filled_fields, &report,
	       "{\"engine\":\"bpf\",\"over_ms\":10000,"
	       "\"page_size_bytes\":4096,\"knows_how\":false,"
	       "\"lost_events\":0,\"events\":0,\"cpu_us\":0,\"filled\":["
	       "{\"maj:min\":\"8:16\",\"cache\":\"device\",\"others\":false,"
	       "\"command\":\"dd\",\"cgroup\":\"/a\",\"on_behalf_of\":null,"
	       "\"pid\":70,\"read\":5,\"write\":0,\"fault\":0,\"metadata\":0,"
	       "\"kernel\":0,\"other\":0,\"pages_out\":0,\"dropped\":0,"
	       "\"in_error\":1,\"out_error\":0},"
	       "{\"maj:min\":null,\"cache\":null,\"others\":true,"
	       "\"command\":null,\"cgroup\":null,\"on_behalf_of\":null,"
	       "\"pid\":null,\"read\":0,\"write\":0,\"fault\":0,\"metadata\":0,"
	       "\"kernel\":0,\"other\":0,\"pages_out\":0,\"dropped\":0}]}");
}

static void totals_and_names(void **state __attribute__((unused)))
{
	struct store_total row = { .major = 8, .command = "dd", .bytes = 4096 };
	const struct store_totals totals = {
		.rows = &row,
		.count = 1,
		.elsewhere_bytes = 1,
		.lost_events = 2,
	};
	char *places[] = { (char *)"/mnt" };
	struct recorded_name device = { .major = 8,
					.name = (char *)"sda",
					.mountpoints = { places, 1 } };
	struct recorded_name mounted = { .minor = 30, .name = (char *)"/mnt" };
	const struct recorded_names names = { &device, 1, &mounted, 1 };

	expect(&store_totals_fields, &totals,
	       "{\"totals\":[{\"maj:min\":\"8:0\",\"cache\":\"files\","
	       "\"command\":\"dd\",\"in_bytes\":4096}],"
	       "\"elsewhere_bytes\":1,\"lost_events\":2}");
	expect(&recorded_names_fields, &names,
	       "{\"names\":[{\"maj:min\":\"8:0\",\"name\":\"sda\","
	       "\"fstype\":null,\"mountpoints\":[\"/mnt\"]}],"
	       "\"filesystems\":[{\"maj:min\":\"0:30\",\"name\":\"/mnt\"}]}");
}

/* And the next one is written all the same. */
static void too_large_is_told(void **state __attribute__((unused)))
{
	const struct store_state failed = {
		.what = STORE_FAILED,
		.reason = (char *)"0123456789012345678901234567890123456789",
	};
	const struct store_state stopped = { .what = STORE_STOPPED };
	struct document_writer writer = { 0 };
	size_t size;

	assert_int_equal(document_writer_init(&writer, 32), 0);
	assert_null(
		document_write(&writer, &store_state_fields, &failed, &size));
	assert_non_null(
		document_write(&writer, &store_state_fields, &stopped, &size));
	assert_int_equal(size, strlen("{\"state\":\"stopped\"}"));
	document_writer_deinit(&writer);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(states),
		cmocka_unit_test(filled),
		cmocka_unit_test(totals_and_names),
		cmocka_unit_test(too_large_is_told),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
