// SPDX-License-Identifier: GPL-2.0-or-later
#include <string.h>

#include "measure/meminfo.h"
#include "memory/free_columns.h"
#include "test.h"

static struct free_columns columns_of(const char *text)
{
	struct free_columns columns;
	struct meminfo meminfo;

	meminfo_parse(&meminfo, text, strlen(text));
	free_columns_init(&columns, &meminfo);
	return columns;
}

static void expect_kib(const struct free_columns *columns,
		       enum free_column column, int64_t kib)
{
	assert_true(columns->known[column]);
	assert_int_equal(columns->bytes[column], kib * 1024);
}

static void a_whole_host(void **state __attribute__((unused)))
{
	struct free_columns columns = columns_of(
		"MemTotal: 1000 kB\nMemFree: 100 kB\n"
		"MemAvailable: 600 kB\nBuffers: 50 kB\n"
		"Cached: 400 kB\nSReclaimable: 30 kB\n"
		"Shmem: 7 kB\nSwapTotal: 200 kB\nSwapFree: 150 kB\n");

	expect_kib(&columns, FREE_COLUMN_TOTAL, 1000);
	expect_kib(&columns, FREE_COLUMN_USED, 400);
	expect_kib(&columns, FREE_COLUMN_USED_BEFORE, 420);
	expect_kib(&columns, FREE_COLUMN_FREE, 100);
	expect_kib(&columns, FREE_COLUMN_SHARED, 7);
	expect_kib(&columns, FREE_COLUMN_BUFFERS, 50);
	expect_kib(&columns, FREE_COLUMN_CACHE, 430);
	expect_kib(&columns, FREE_COLUMN_BUFF_CACHE, 480);
	expect_kib(&columns, FREE_COLUMN_AVAILABLE, 600);
	expect_kib(&columns, FREE_COLUMN_SWAP_TOTAL, 200);
	expect_kib(&columns, FREE_COLUMN_SWAP_USED, 50);
	expect_kib(&columns, FREE_COLUMN_SWAP_FREE, 150);
	assert_false(columns.used_without_available);
}

static void nothing_is_zero(void **state __attribute__((unused)))
{
	struct free_columns columns = columns_of("");

	for (size_t i = 0; i < FREE_COLUMNS; i++)
		assert_false(columns.known[i]);
}

static void absent_parts_leave_sums_absent(void **state __attribute__((unused)))
{
	struct free_columns columns =
		columns_of("MemTotal: 1000 kB\nMemFree: 100 kB\n"
			   "Buffers: 50 kB\nCached: 400 kB\n");

	assert_false(columns.known[FREE_COLUMN_CACHE]);
	assert_false(columns.known[FREE_COLUMN_BUFF_CACHE]);
	assert_false(columns.known[FREE_COLUMN_USED_BEFORE]);
	assert_false(columns.known[FREE_COLUMN_AVAILABLE]);
	expect_kib(&columns, FREE_COLUMN_USED, 900);
	assert_true(columns.used_without_available);
}

static void an_available_not_believed(void **state __attribute__((unused)))
{
	static const char *const texts[] = {
		"MemTotal: 1000 kB\nMemFree: 100 kB\nMemAvailable: 0 kB\n",
		"MemTotal: 1000 kB\nMemFree: 100 kB\nMemAvailable: 1001 kB\n",
	};

	for (size_t i = 0; i < COUNT_OF(texts); i++) {
		struct free_columns columns = columns_of(texts[i]);

		expect_kib(&columns, FREE_COLUMN_USED, 900);
		assert_true(columns.used_without_available);
	}
}

static void figures_that_do_not_fit(void **state __attribute__((unused)))
{
	struct free_columns columns =
		columns_of("MemTotal: 100 kB\nMemFree: 1000 kB\n"
			   "SwapTotal: 1 kB\nSwapFree: 2 kB\n");

	assert_false(columns.known[FREE_COLUMN_USED]);
	assert_false(columns.known[FREE_COLUMN_SWAP_USED]);

	columns = columns_of("MemTotal: 18014398509481983 kB\n"
			     "Cached: 9007199254740991 kB\n"
			     "SReclaimable: 9007199254740991 kB\n");
	assert_false(columns.known[FREE_COLUMN_TOTAL]);
	assert_false(columns.known[FREE_COLUMN_CACHE]);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_whole_host),
		cmocka_unit_test(nothing_is_zero),
		cmocka_unit_test(absent_parts_leave_sums_absent),
		cmocka_unit_test(an_available_not_believed),
		cmocka_unit_test(figures_that_do_not_fit),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
