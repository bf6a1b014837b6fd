// SPDX-License-Identifier: GPL-2.0-or-later
/* Options that free lacks; tests/cli/free-differential compares the rest. */
#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <string.h>

#include "free/free_options.h"
#include "lib/error.h"
#include "test.h"

static int parse(struct free_options *options, bool as_free, const char *first,
		 const char *second)
{
	char *argv[] = { (char *)"bufstat", (char *)first, (char *)second,
			 NULL };
	int argc = !first ? 1 : !second ? 2 : 3;
	struct error err;

	return free_options_parse(options, argc, argv, as_free, &err);
}

static void defaults(void **state __attribute__((unused)))
{
	struct free_options options;

	assert_int_equal(parse(&options, false, NULL, NULL), 0);
	assert_int_equal(options.action, FREE_PRINT);
	assert_int_equal(options.unit, FREE_UNIT_DEFAULT);
	assert_int_equal(options.flags, 0);
	assert_false(options.repeat.interval.repeats);
	assert_null(options.common.source);
	assert_null(options.common.sysroot);
}

static void own_options_are_taken(void **state __attribute__((unused)))
{
	struct free_options options;

	assert_int_equal(parse(&options, false, "--source", "module"), 0);
	assert_string_equal(options.common.source, "module");
	assert_int_equal(parse(&options, false, "--sysroot=/x", NULL), 0);
	assert_string_equal(options.common.sysroot, "/x");
	assert_int_equal(parse(&options, false, "--only-free", NULL), 0);
	assert_int_equal(options.flags, FREE_ONLY);
}

static void under_the_name_free_they_are_not(void **state
					     __attribute__((unused)))
{
	static const char *const own[] = { "--only-free", "--source=module",
					   "--sysroot=/x", "--o", "--so" };
	struct free_options options;

	for (size_t i = 0; i < COUNT_OF(own); i++) {
		assert_int_equal(parse(&options, true, own[i], NULL), 0);
		assert_int_equal(options.action, FREE_USAGE);
		assert_null(options.operand);
	}
	assert_int_equal(parse(&options, true, NULL, NULL), 0);
	assert_int_equal(options.flags, FREE_ONLY);
}

/* Every abbreviation that free accepts has the same meaning in bufstat. */
static void no_abbreviation_gets_lost(void **state __attribute__((unused)))
{
	static const char *const names[] = {
		"--bytes", "--kilo",	"--mega",  "--giga", "--tera",
		"--peta",  "--kibi",	"--mebi",  "--gibi", "--tebi",
		"--pebi",  "--human",	"--si",	   "--lohi", "--line",
		"--total", "--seconds", "--count", "--wide", "--committed",
		"--help",  "--version",
	};
	unsigned int accepted = 0;

	for (size_t i = 0; i < COUNT_OF(names); i++) {
		for (size_t length = 3; length <= strlen(names[i]); length++) {
			struct free_options theirs, ours;
			char name[32];

			snprintf(name, sizeof(name), "%.*s", (int)length,
				 names[i]);
			assert_int_equal(parse(&theirs, true, name, "1"),
					 parse(&ours, false, name, "1"));
			assert_int_equal(theirs.action, ours.action);
			assert_int_equal(theirs.unit, ours.unit);
			assert_int_equal(theirs.flags, ours.flags | FREE_ONLY);
			/* The operand "1" is usage too: the option is taken. */
			accepted += ours.action != FREE_USAGE || ours.operand;
		}
	}
	assert_int_equal(accepted, 70);
}

static void seconds_have_a_point_or_a_comma(void **state
					    __attribute__((unused)))
{
	static const struct {
		const char *text;
		double seconds;
	} cases[] = {
		{ "2", 2 },	  { "0.5", 0.5 },     { "0,5", 0.5 },
		{ ".25", 0.25 },  { ",25", 0.25 },    { " +3.", 3 },
		{ "007.5", 7.5 }, { "86400", 86400 },
	};

	for (size_t i = 0; i < COUNT_OF(cases); i++) {
		struct free_options options;

		assert_int_equal(parse(&options, false, "-s", cases[i].text),
				 0);
		assert_true(options.repeat.interval.seconds ==
			    cases[i].seconds);
		assert_true(options.repeat.interval.repeats);
		assert_int_equal(options.repeat.interval.count, 0);
	}
}

static void an_operand_is_reported(void **state __attribute__((unused)))
{
	struct free_options options;

	assert_int_equal(parse(&options, false, "-m", "foo"), 0);
	assert_int_equal(options.action, FREE_USAGE);
	assert_string_equal(options.operand, "foo");
}

static void the_nearest_option_is_known(void **state __attribute__((unused)))
{
	struct free_options options;

	assert_int_equal(parse(&options, false, "-m", "--mebby"), 0);
	assert_string_equal(options.refused, "--mebby");
	assert_string_equal(free_option_nearest("--mebby"), "mebi");
	assert_string_equal(free_option_nearest("--gibbi=3"), "gibi");
	assert_string_equal(free_option_nearest("--sysrot"), "sysroot");
	assert_null(free_option_nearest("--something-else"));
	assert_null(free_option_nearest("--seconds"));
	assert_int_equal(parse(&options, false, "-z", NULL), 0);
	assert_null(options.refused);
}

static void the_first_of_help_and_error_counts(void **state
					       __attribute__((unused)))
{
	struct free_options options;

	assert_int_equal(parse(&options, false, "--help", "-c0"), 0);
	assert_int_equal(options.action, FREE_HELP);
	assert_int_equal(parse(&options, false, "-c0", "--help"), -ERANGE);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(defaults),
		cmocka_unit_test(own_options_are_taken),
		cmocka_unit_test(under_the_name_free_they_are_not),
		cmocka_unit_test(no_abbreviation_gets_lost),
		cmocka_unit_test(seconds_have_a_point_or_a_comma),
		cmocka_unit_test(an_operand_is_reported),
		cmocka_unit_test(the_nearest_option_is_known),
		cmocka_unit_test(the_first_of_help_and_error_counts),
	};

	opterr = 0; /* keeps getopt_long() from printing errors */
	return cmocka_run_group_tests(tests, NULL, NULL);
}
