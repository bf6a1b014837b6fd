// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <string.h>

#include "error.h"
#include "option_error.h"
#include "test.h"

/* Reads the words as a command does and returns what it would say. */
static const char *say(const char *words)
{
	static const struct option options[] = {
		{ "json", no_argument, NULL, 'J' },
		{ "output", required_argument, NULL, 'o' },
		{ "output-all", no_argument, NULL, 'O' },
		{ "sysroot", required_argument, NULL, 256 },
		{ 0 },
	};
	static char text[1024];
	char *argv[16] = { (char *)"bufstat" };
	char copy[256], *rest = copy;
	struct error err = { "" };
	int argc = 1, answer;

	strcpy(copy, words);
	while ((argv[argc] = strsep(&rest, " ")))
		argc++;
	opterr = 0;
	optind = 0;
	do
		answer = getopt_long(argc, argv, ":Jno:O", options, NULL);
	while (answer != -1 && answer != '?' && answer != ':');
	assert_int_not_equal(answer, -1);
	assert_int_equal(option_error(argv, answer, options, "bufstat --help",
				      &err),
			 -EINVAL);
	strcpy(text, err.text);
	return text;
}

#define NO_SUCH(word)                                                          \
	"reading options: " word ": no such option (see bufstat --help)"
#define MEANT(word, name)                                                      \
	"reading options: " word ": no such option (did you mean " name        \
	"? see bufstat --help)"
#define NO_VALUE(word)                                                         \
	"reading options: " word ": its value is missing (see bufstat --help)"

static void letters(void **state __attribute__((unused)))
{
	assert_string_equal(say("-Z"), NO_SUCH("-Z"));
	assert_string_equal(say("-nZ"), NO_SUCH("-Z"));
	assert_string_equal(say("-nZn"), NO_SUCH("-Z"));
	assert_string_equal(say("-J -Z -n"), NO_SUCH("-Z"));
	assert_string_equal(say("-?"), NO_SUCH("-?"));
	assert_string_equal(say("-n word -Z"), NO_SUCH("-Z"));
}

static void letters_behind_long_options(void **state __attribute__((unused)))
{
	assert_string_equal(say("--json -Z"), NO_SUCH("-Z"));
	assert_string_equal(say("--json -nZ"), NO_SUCH("-Z"));
	assert_string_equal(say("--json -nZn"), NO_SUCH("-Z"));
	assert_string_equal(say("--sysroot=/x -nZn"), NO_SUCH("-Z"));
	assert_string_equal(say("--sysroot /x -Zn"), NO_SUCH("-Z"));
}

static void long_options(void **state __attribute__((unused)))
{
	assert_string_equal(say("--none"), NO_SUCH("--none"));
	assert_string_equal(say("-n --none -n"), NO_SUCH("--none"));
	assert_string_equal(say("--none=1"), NO_SUCH("--none=1"));
	assert_string_equal(say("--out"), NO_SUCH("--out"));
	assert_string_equal(say("--jsno"), MEANT("--jsno", "--json"));
	assert_string_equal(say("-n --sysrot=/ -n"),
			    MEANT("--sysrot=/", "--sysroot"));
	assert_string_equal(say("--json=1"), MEANT("--json=1", "--json"));
	assert_string_equal(say("--json=1 -n"), MEANT("--json=1", "--json"));
}

static void missing_values(void **state __attribute__((unused)))
{
	assert_string_equal(say("-o"), NO_VALUE("-o"));
	assert_string_equal(say("-no"), NO_VALUE("-o"));
	assert_string_equal(say("--json -no"), NO_VALUE("-o"));
	assert_string_equal(say("--output"), NO_VALUE("--output"));
	assert_string_equal(say("--sysroot"), NO_VALUE("--sysroot"));
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(letters),
		cmocka_unit_test(letters_behind_long_options),
		cmocka_unit_test(long_options),
		cmocka_unit_test(missing_values),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
