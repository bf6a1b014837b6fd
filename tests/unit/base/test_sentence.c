// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/sentence.h"
#include "test.h"

static void expect_end(struct sentence *to, const char *expected)
{
	char *text;

	assert_int_equal(sentence_end(to, &text), 0);
	assert_string_equal(text, expected);
	free(text);
}

static void says(void **state __attribute__((unused)))
{
	struct sentence to;

	sentence_begin(&to);
	expect_end(&to, "");
	sentence_begin(&to);
	say(&to, "%d page%s", 1, plural(1));
	say(&to, ", %d page%s of %s", 2, plural(2), piece(&to, "%c", 'x'));
	expect_end(&to, "1 page, 2 pages of x");
}

static void says_on_a_stream(void **state __attribute__((unused)))
{
	struct sentence to;
	char *text;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	sentence_begin_on(&to, out);
	say(&to, "%s", safe_name(&to, "a\n"));
	assert_int_equal(sentence_end(&to, NULL), 0);
	assert_int_equal(fclose(out), 0);
	assert_string_equal(text, "a\\x0a");
	free(text);
}

static void expect_name(const char *name, const char *expected)
{
	struct sentence to;

	sentence_begin(&to);
	to.is_filled = true;
	say(&to, "%s", safe_name(&to, name));
	expect_end(&to, expected);
}

static void makes_names_safe(void **state __attribute__((unused)))
{
	expect_name("", "");
	expect_name("plain", "plain");
	expect_name("two  words ", "two\037\037words\037");
	expect_name("\x1b[31m\n\t\x7f\037", "\\x1b[31m\\x0a\\x09\\x7f\\x1f");
	expect_name("日本", "日本");
	expect_name("\xff x", "\\xff\037x");
	expect_name("\xc2\x9b", "\\xc2\\x9b"); /* CSI, as one character */
	expect_name("a\\x2d b", "a\\x5cx2d\037b");
}

static void keeps_words_of_commands_together(void **state
					     __attribute__((unused)))
{
	struct sentence to;

	sentence_begin(&to);
	say(&to, "%s; %s; %s", safe_name(&to, "a\\x b"),
	    safe_text(&to, "a\\x b"), safe_command(&to, "rm a\\x b"));
	expect_end(&to, "a\\x5cx b; a\\x b; rm\037a\\x\037b");
}

static void expect_names(size_t count, size_t most, const char *expected)
{
	char *const names[] = { "a", "b\n", "c", "d" };
	struct sentence to;

	sentence_begin(&to);
	say(&to, "%s", safe_names(&to, names, count, most, " and "));
	expect_end(&to, expected);
}

static void lists_names(void **state __attribute__((unused)))
{
	expect_names(0, 3, "");
	expect_names(1, 3, "a");
	expect_names(2, 3, "a and b\\x0a");
	expect_names(3, 3, "a, b\\x0a and c");
	expect_names(4, 3, "a, b\\x0a, c and 1 more");
	expect_names(4, 1, "a and 3 more");
}

static void adds_what_fits(void **state __attribute__((unused)))
{
	char text[8] = "";

	ADD_TEXT(text, "%d", 12);
	ADD_TEXT(text, ", %s", "ab");
	assert_string_equal(text, "12, ab");
	ADD_TEXT(text, "cdef");
	assert_string_equal(text, "12, abc");
	ADD_TEXT(text, "d");
	assert_string_equal(text, "12, abc");
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(says),
		cmocka_unit_test(says_on_a_stream),
		cmocka_unit_test(makes_names_safe),
		cmocka_unit_test(keeps_words_of_commands_together),
		cmocka_unit_test(lists_names),
		cmocka_unit_test(adds_what_fits),
	};

	setlocale(LC_ALL, "C.UTF-8");
	return cmocka_run_group_tests(tests, NULL, NULL);
}
