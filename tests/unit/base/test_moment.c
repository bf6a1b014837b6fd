// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <stdlib.h>

#include "cli/moment.h"
#include "test.h"

/* 2026-10-26 10:30:00 in Berlin, the day after summer time ended. */
#define NOW 1793007000

static int in_berlin(void **state __attribute__((unused)))
{
	/* No file of time zones is needed for this one. */
	setenv("TZ", "CET-1CEST,M3.5.0,M10.5.0/3", 1);
	tzset();
	return 0;
}

static void expect(const char *text, int64_t first, int64_t second)
{
	struct moment moment;

	if (moment_parse(&moment, text, NOW) < 0)
		fail_msg("'%s' was refused", text);
	if (moment.ms[0] != first * 1000)
		fail_msg("'%s' is %ld, expected %ld", text,
			 (long)(moment.ms[0] / 1000), (long)first);
	assert_int_equal(moment.count, second ? 2 : 1);
	if (second)
		assert_int_equal(moment.ms[1], second * 1000);
}

static void reads_what_people_write(void **state __attribute__((unused)))
{
	expect("now", NOW, 0);
	expect("@17", 17, 0);
	expect("-30m", NOW - 1800, 0);
	expect("-1d", NOW - 86400, 0);
	expect("-45s", NOW - 45, 0);
	expect("-2h", NOW - 7200, 0);
	expect("10:30", NOW, 0);
	expect("10:29", NOW - 60, 0);
	expect("10:29:59", NOW - 1, 0);
	expect("2026-10-26 10:30", NOW, 0);
	expect("2026-10-26T10:30:01", NOW + 1, 0);
	expect("today", NOW - 37800, 0);
	expect("2026-10-26", NOW - 37800, 0);
	expect("10am", NOW - 1800, 0);
	expect("10:29 AM", NOW - 60, 0);
	expect("9:30:01 am", NOW - 3599, 0);
	expect("12am", NOW - 37800, 0);
	expect("12 pm", NOW - 37800 - 12 * 3600, 0);
	expect("today 10:00", NOW - 1800, 0);
	expect("today 11am", NOW + 1800, 0);
	expect("yesterday 22:30", NOW - 12 * 3600, 0);
	expect("yesterday 10pm", NOW - 45000, 0);
	expect("2026-10-26 9am", NOW - 5400, 0);
	expect("-10 min", NOW - 600, 0);
	expect("10 min ago", NOW - 600, 0);
	expect("10m ago", NOW - 600, 0);
	expect("1 minute ago", NOW - 60, 0);
	expect("30 secs ago", NOW - 30, 0);
	expect("2 hours ago", NOW - 7200, 0);
	expect("3 days ago", NOW - 3 * 86400, 0);
}

/* What bufstat itself prints, and what date(1) and journalctl(1) do. */
static void reads_what_programs_write(void **state __attribute__((unused)))
{
	expect("2026-10-26T09:30:00Z", NOW, 0);
	expect("2026-10-26T09:30:00.123456Z", NOW, 0);
	expect("2026-10-26 09:30:00.5", NOW - 3600, 0);
	expect("2026-10-26T10:30:00+01:00", NOW, 0);
	expect("2026-10-26 10:30:00,250+01:00", NOW, 0);
	expect("2026-10-26T04:30:00-0500", NOW, 0);
	expect("@1793007000.25", NOW, 0);
	/* The hour that was twice is told apart. */
	expect("2026-10-25T00:30:00Z", 1792888200, 0);
	expect("2026-10-25T02:30:00+01:00", 1792891800, 0);
}

static void a_time_of_day_is_marked(void **state __attribute__((unused)))
{
	static const char *const others[] = { "yesterday 2am", "10 min ago",
					      "@5", "now",
					      "2026-10-26T02:00:00Z" };
	struct moment moment;

	assert_int_equal(moment_parse(&moment, "2am", NOW), 0);
	assert_true(moment.is_clock);
	for (size_t i = 0; i < COUNT_OF(others); i++) {
		assert_int_equal(moment_parse(&moment, others[i], NOW), 0);
		assert_false(moment.is_clock);
	}
}

/* A clock time is in the past, so it may be that of yesterday. */
static void a_clock_time_has_been(void **state __attribute__((unused)))
{
	expect("10:31", NOW - 86400 + 60, 0);
	expect("23:59:59", NOW - 37800 - 1, 0);
	/* Yesterday had 25 hours. */
	expect("yesterday", NOW - 37800 - 25 * 3600, 0);
}

static void an_hour_was_twice(void **state __attribute__((unused)))
{
	/* 00:30 and 01:30 in UTC */
	expect("2026-10-25 02:30", 1792888200, 1792891800);
	expect("2026-10-25 02:00:00", 1792886400, 1792890000);
	expect("2026-10-25 03:00", 1792893600, 0);
	expect("2026-10-25 01:59:59", 1792886399, 0);
}

static void an_hour_was_left_out(void **state __attribute__((unused)))
{
	struct moment moment;

	assert_int_equal(moment_parse(&moment, "2026-03-29 02:30", NOW), 0);
	assert_int_equal(moment.count, 1);
	/* 01:00 UTC, when the clocks went from 2 to 3, give or take the half. */
	assert_in_range(moment.ms[0] / 1000, 1774744200, 1774751400);
}

static void refuses_the_rest(void **state __attribute__((unused)))
{
	static const char *const texts[] = {
		"",
		" ",
		"24:00",
		"2:60",
		"02",
		"02:00:60",
		"02:00x",
		"02:0 ",
		"-",
		"-30",
		"-30w",
		"-m",
		"--1m",
		"@",
		"@1x",
		"@-1",
		"Now",
		"tomorrow",
		"30m",
		"2026-13-01",
		"2026-1-32",
		"2026",
		"2026-11-",
		"-5mm",
		"2026-11-23 ",
		"2026-11-23 2",
		"13pm",
		"0am",
		"2 o'clock",
		"10 min",
		"10 ago",
		"10 ms ago",
		"ten minutes ago",
		"yesterdays",
		"yesterday 25:00",
		"2026-11-23T02:00:00X",
		"2026-11-23T02:00:00Zx",
		"02:00Z",
		"@1.2.3",
		"1969-12-31",
		"@99999999999999",
	};
	struct moment moment;

	for (size_t i = 0; i < COUNT_OF(texts); i++) {
		if (moment_parse(&moment, texts[i], NOW) != -EINVAL)
			fail_msg("'%s' was taken", texts[i]);
	}
}

static void writes_local_time(void **state __attribute__((unused)))
{
	char text[MOMENT_TEXT_SIZE];

	assert_string_equal(moment_text(NOW * INT64_C(1000) + 999, text),
			    "2026-10-26 10:30:00");
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(reads_what_people_write),
		cmocka_unit_test(reads_what_programs_write),
		cmocka_unit_test(a_time_of_day_is_marked),
		cmocka_unit_test(a_clock_time_has_been),
		cmocka_unit_test(an_hour_was_twice),
		cmocka_unit_test(an_hour_was_left_out),
		cmocka_unit_test(refuses_the_rest),
		cmocka_unit_test(writes_local_time),
	};

	return cmocka_run_group_tests(tests, in_berlin, NULL);
}
