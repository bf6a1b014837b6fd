// SPDX-License-Identifier: GPL-2.0-or-later
#include "lib/number.h"
#include "test.h"

static void parses_digits(void **state __attribute__((unused)))
{
	static const struct {
		const char *text;
		uint64_t number;
	} cases[] = {
		{ "0", 0 },
		{ "7", 7 },
		{ "0012", 12 },
		{ "4294967296", 4294967296 },
		{ "18446744073709551615", UINT64_MAX },
		{ "000000000000000000000000018446744073709551615", UINT64_MAX },
	};

	for (size_t i = 0; i < COUNT_OF(cases); i++) {
		uint64_t number = 99;

		assert_true(number_parse(cases[i].text, UINT64_MAX, &number));
		assert_true(number == cases[i].number);
	}
}

static void refuses_everything_else(void **state __attribute__((unused)))
{
	static const char *const texts[] = {
		"",
		" ",
		"-1",
		"+1",
		" 1",
		"1 ",
		"\t1",
		"1\n",
		"0x",
		"0x1",
		"1,",
		"1.0",
		"1e3",
		"a",
		"1a",
		"--1",
		"-",
		"\xd9\xa1",
		"1_000",
		/* 2^64, ten times UINT64_MAX, and far past any carry */
		"18446744073709551616",
		"184467440737095516150",
		"99999999999999999999999999999999999999999999",
	};

	for (size_t i = 0; i < COUNT_OF(texts); i++) {
		uint64_t number = 99;

		if (number_parse(texts[i], UINT64_MAX, &number))
			fail_msg("took '%s'", texts[i]);
		assert_int_equal(number, 99);
	}
}

static void limit_is_the_last_number(void **state __attribute__((unused)))
{
	uint64_t number;

	assert_true(number_parse("255", 255, &number));
	assert_false(number_parse("256", 255, &number));
	assert_true(number_parse("0", 0, &number));
	assert_false(number_parse("1", 0, &number));
	assert_true(number_parse("9223372036854775807", INT64_MAX, &number));
	assert_false(number_parse("9223372036854775808", INT64_MAX, &number));
}

static void scan_stops_behind_the_digits(void **state __attribute__((unused)))
{
	const char *text = "252:16 rest";
	uint64_t number;

	assert_true(number_scan(&text, UINT32_MAX, &number));
	assert_int_equal(number, 252);
	assert_string_equal(text, ":16 rest");
}

static void failed_scan_moves_nothing(void **state __attribute__((unused)))
{
	const char *words = "words";
	const char *large = "4294967296:0";
	const char *text = words;
	uint64_t number = 99;

	assert_false(number_scan(&text, UINT32_MAX, &number));
	assert_ptr_equal(text, words);
	text = large;
	assert_false(number_scan(&text, UINT32_MAX, &number));
	assert_ptr_equal(text, large);
	assert_int_equal(number, 99);
}

static void sizes(void **state __attribute__((unused)))
{
	static const struct {
		const char *text;
		uint64_t bytes; /* 0: not a size */
	} sizes[] = {
		{ "1", 1 },
		{ "4096", 4096 },
		{ "3K", 3 << 10 },
		{ "10M", 10 << 20 },
		{ "2GiB", UINT64_C(2) << 30 },
		{ "1T", UINT64_C(1) << 40 },
		{ "1024T", UINT64_C(1) << 50 },
		{ "1025T", 0 },
		{ "1125899906842625", 0 },
		{ "1125899906842624T", 0 },
		{ "0", 0 },
		{ "0M", 0 },
		{ "", 0 },
		{ "M", 0 },
		{ "1m", 0 },
		{ "1MB", 0 },
		{ "1M ", 0 },
		{ " 1M", 0 },
		{ "-1", 0 },
		{ "1.5G", 0 },
		{ "1iB", 0 },
	};
	uint64_t bytes;

	for (size_t i = 0; i < sizeof(sizes) / sizeof(*sizes); i++) {
		bool good = size_parse(sizes[i].text, &bytes);

		assert_int_equal(good, sizes[i].bytes != 0);
		if (good)
			assert_int_equal(bytes, sizes[i].bytes);
	}
}

static void lines_by_their_keys(void **state __attribute__((unused)))
{
	static const char text[] = "pos:\t0\nmax_ino:\t7\nino:\t 12\n"
				   "large:\t256\nless:\t-1\nnone:\nends:\t3";
	uint64_t number = 99;

	/* Not the end of another key, nor what is not at the beginning. */
	assert_true(number_of_line(text, "ino:", 255, &number));
	assert_int_equal(number, 12);
	assert_true(number_of_line(text, "pos:", 255, &number));
	assert_int_equal(number, 0);
	assert_true(number_of_line(text, "ends:", 255, &number));
	assert_int_equal(number, 3);
	number = 99;
	assert_false(number_of_line(text, "large:", 255, &number));
	assert_false(number_of_line(text, "less:", 255, &number));
	assert_false(number_of_line(text, "none:", 255, &number));
	assert_false(number_of_line("", "none:", 255, &number));
	assert_false(number_of_line(text, "mnt_id:", 255, &number));
	assert_int_equal(number, 99);
	assert_null(value_of_line(text, "os:"));
	assert_string_equal(value_of_line(text, "ends:"), "3");
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(sizes),
		cmocka_unit_test(parses_digits),
		cmocka_unit_test(refuses_everything_else),
		cmocka_unit_test(limit_is_the_last_number),
		cmocka_unit_test(scan_stops_behind_the_digits),
		cmocka_unit_test(failed_scan_moves_nothing),
		cmocka_unit_test(lines_by_their_keys),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
