// SPDX-License-Identifier: GPL-2.0-or-later
#include "lib/number.h"
#include "test.h"

#define K 1024LL
#define M (1024 * K)
#define G (1024 * M)
#define T (1024 * G)
#define P (1024 * T)
#define E (1024 * P)

struct size_case {
	int64_t bytes;
	const char *text;
};

static void expect(const struct size_case *cases, size_t count)
{
	char text[SIZE_TEXT_LENGTH];

	for (size_t i = 0; i < count; i++)
		assert_string_equal(size_text(cases[i].bytes, text),
				    cases[i].text);
}

static void units_begin_at_their_size(void **state __attribute__((unused)))
{
	static const struct size_case cases[] = {
		{ 0, "0" },
		{ 1, "1B" },
		{ 512, "512B" },
		{ 1023, "1023B" },
		{ K, "1K" },
		{ 4 * K, "4K" },
		{ 1023 * K, "1023K" },
		{ M, "1M" },
		{ 1023 * M, "1023M" },
		{ G, "1G" },
		{ T, "1T" },
		{ P, "1P" },
		{ E, "1E" },
		{ 7 * E, "7E" },
	};

	expect(cases, COUNT_OF(cases));
}

static void tenths_are_rounded_half_up(void **state __attribute__((unused)))
{
	static const struct size_case cases[] = {
		{ K + 51, "1K" }, /* .0498 */
		{ K + 52, "1.1K" }, /* .0508 */
		{ K + 512, "1.5K" },
		{ K + 153, "1.1K" }, /* .1494 */
		{ K + 154, "1.2K" }, /* .1504 */
		/* As lsblk shows a loop device of 2150 and 2151 sectors. */
		{ 2150 * 512, "1M" }, /* 1.0498 */
		{ 2151 * 512, "1.1M" }, /* 1.0503 */
		{ M + 52428, "1M" }, /* .049999 */
		{ M + 52429, "1.1M" }, /* .050000 */
		{ G + 53687091, "1G" },
		{ G + 53687092, "1.1G" },
		{ E + E / 20, "1E" }, /* the integer below .05 */
		{ E + E / 20 + 1, "1.1E" },
	};

	expect(cases, COUNT_OF(cases));
}

static void rounding_carries(void **state __attribute__((unused)))
{
	static const struct size_case cases[] = {
		{ 2 * K - 1, "2K" },   { M - 1, "1M" },
		{ M - 52, "1023.9K" }, /* .9492 */
		{ M - 51, "1M" }, /* .9502 */
		{ G - 1, "1G" },       { T - 1, "1T" },
		{ P - 1, "1P" },       { E - 1, "1E" },
	};

	expect(cases, COUNT_OF(cases));
}

static void negatives_mirror_positives(void **state __attribute__((unused)))
{
	static const struct size_case cases[] = {
		{ -1, "-1B" },		 { -1023, "-1023B" },
		{ -K, "-1K" },		 { -96 * K, "-96K" },
		{ -(K + 512), "-1.5K" }, { -(M - 1), "-1M" },
	};

	expect(cases, COUNT_OF(cases));
}

static void ends_of_the_range(void **state __attribute__((unused)))
{
	static const struct size_case cases[] = {
		{ INT64_MAX, "8E" },
		{ INT64_MIN, "-8E" },
		{ INT64_MIN + 1, "-8E" },
	};

	expect(cases, COUNT_OF(cases));
}

static void expect_time(int64_t ns, const char *expected)
{
	char text[SIZE_TEXT_LENGTH];

	assert_string_equal(duration_text(ns, text), expected);
}

static void times(void **state __attribute__((unused)))
{
	expect_time(0, "0.0ms");
	expect_time(1, "0.0us");
	expect_time(12345, "12.3us");
	expect_time(99949, "99.9us");
	expect_time(99950, "0.1ms");
	expect_time(12345678, "12.3ms");
	expect_time(999949999, "999.9ms");
	expect_time(999950000, "1.0s");
	expect_time(61250000000, "61.3s");
	expect_time(INT64_MAX, "9223372036.9s");
}

struct unit_case {
	int64_t bytes;
	struct size_unit unit;
	const char *text;
	const char *change;
};

static void a_chosen_unit_gives_whole_numbers(void **state
					      __attribute__((unused)))
{
	static const struct unit_case cases[] = {
		{ 0, { .power = 1 }, "0", "+0" },
		{ 12345, { .power = 1 }, "12345", "+12345" },
		{ -12345, { .power = 1 }, "-12345", "-12345" },
		{ 2 * K - 1, { .power = 2 }, "1", "+1" },
		{ 1999, { .power = 2, .si = true }, "1", "+1" },
		{ 3 * M, { .power = 3 }, "3", "+3" },
		{ 3 * M, { .power = 3, .si = true }, "3", "+3" },
		{ M - 1, { .power = 3 }, "0", "+0" },
		/* The sign is all that is left of it. */
		{ -4 * K, { .power = 3 }, "-0", "-0" },
		{ 5 * G, { .power = 4 }, "5", "+5" },
		{ INT64_MAX, { .power = 6 }, "8191", "+8191" },
		{ INT64_MIN, { .power = 6, .si = true }, "-9223", "-9223" },
	};
	char text[SIZE_TEXT_LENGTH];

	for (size_t i = 0; i < COUNT_OF(cases); i++) {
		assert_string_equal(size_text_in(cases[i].bytes, cases[i].unit,
						 text),
				    cases[i].text);
		assert_string_equal(size_change_text(cases[i].bytes,
						     cases[i].unit, text),
				    cases[i].change);
	}
}

static void short_units_of_1000(void **state __attribute__((unused)))
{
	static const struct unit_case cases[] = {
		{ 0, { .si = true }, "0", "0" },
		{ 999, { .si = true }, "999B", "+999B" },
		{ 1000, { .si = true }, "1kB", "+1kB" },
		{ -1049, { .si = true }, "-1kB", "-1kB" },
		{ 1050, { .si = true }, "1.1kB", "+1.1kB" },
		{ 999949, { .si = true }, "999.9kB", "+999.9kB" },
		{ 999950, { .si = true }, "1MB", "+1MB" },
		{ INT64_MAX, { .si = true }, "9.2EB", "+9.2EB" },
		/* --human wins, as in free. */
		{ 1536, { .power = 3, .human = true }, "1.5K", "+1.5K" },
	};
	char text[SIZE_TEXT_LENGTH];

	for (size_t i = 0; i < COUNT_OF(cases); i++) {
		assert_string_equal(size_text_in(cases[i].bytes, cases[i].unit,
						 text),
				    cases[i].text);
		assert_string_equal(size_change_text(cases[i].bytes,
						     cases[i].unit, text),
				    cases[i].change);
	}
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(units_begin_at_their_size),
		cmocka_unit_test(tenths_are_rounded_half_up),
		cmocka_unit_test(rounding_carries),
		cmocka_unit_test(negatives_mirror_positives),
		cmocka_unit_test(ends_of_the_range),
		cmocka_unit_test(times),
		cmocka_unit_test(a_chosen_unit_gives_whole_numbers),
		cmocka_unit_test(short_units_of_1000),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
