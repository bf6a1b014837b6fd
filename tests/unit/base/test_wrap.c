// SPDX-License-Identifier: GPL-2.0-or-later
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/wrap.h"
#include "test.h"

static void expect_wrapped(const char *text, struct wrap wrap,
			   const char *expected)
{
	char *printed;
	size_t size;
	FILE *out = open_memstream(&printed, &size);

	assert_non_null(out);
	wrap_print(out, text, strlen(text), &wrap);
	assert_int_equal(fclose(out), 0);
	assert_string_equal(printed, expected);
	free(printed);
}

static void fills(void **state __attribute__((unused)))
{
	struct wrap ten = { .width = 10 };

	expect_wrapped("one two three four", ten, "one two\nthree four\n");
	expect_wrapped("0123456789 x", ten, "0123456789\nx\n");
	expect_wrapped("01234 6789 x", ten, "01234 6789\nx\n");
	expect_wrapped("01234 67890", ten, "01234\n67890\n");
	expect_wrapped("  a \n\n b  ", ten, "a b\n");
}

static void prints_nothing_for_nothing(void **state __attribute__((unused)))
{
	struct wrap wrap = { .width = 10, .indent = 2 };

	expect_wrapped("", wrap, "");
	expect_wrapped(" \n ", wrap, "");
}

static void indents(void **state __attribute__((unused)))
{
	struct wrap wrap = { .width = 10, .indent = 2, .hanging = 4 };

	expect_wrapped("one two three", wrap, "  one two\n    three\n");
	expect_wrapped("one two. three four", wrap,
		       "  one two.\n    three\n    four\n");
}

static void long_words_stick_out(void **state __attribute__((unused)))
{
	struct wrap wrap = { .width = 4, .indent = 1, .hanging = 1 };

	expect_wrapped("a abcdefgh b", wrap, " a\n abcdefgh\n b\n");
	wrap.width = 0;
	expect_wrapped("a b", wrap, " a\n b\n");
}

static void reads_no_further_than_told(void **state __attribute__((unused)))
{
	const struct wrap wrap = { .width = 10 };
	char *printed;
	size_t size;
	FILE *out = open_memstream(&printed, &size);

	wrap_print(out, "one two three", 5, &wrap);
	assert_int_equal(fclose(out), 0);
	assert_string_equal(printed, "one t\n");
	free(printed);
}

static void counts_columns_not_bytes(void **state __attribute__((unused)))
{
	struct wrap ten = { .width = 10 };

	expect_wrapped("ééééé éééé x", ten, "ééééé éééé\nx\n");
	expect_wrapped("日本語 日本 x", ten, "日本語\n日本 x\n");
}

static void keeps_names_together(void **state __attribute__((unused)))
{
	struct wrap ten = { .width = 10 };

	expect_wrapped("at /a\037\037b\037c d", ten, "at /a  b c\nd\n");
	expect_wrapped("seen at /a\037b\037c", ten, "seen at\n/a b c\n");
}

static void expect_lines(const char *text, size_t width, const char *expected)
{
	char *lines = wrap_lines(text, width);

	assert_non_null(lines);
	assert_string_equal(lines, expected);
	free(lines);
}

static void lines_are_no_wider(void **state __attribute__((unused)))
{
	expect_lines("", 5, "");
	expect_lines("one two three", 13, "one two three");
	expect_lines("one two three", 12, "one two\nthree");
	expect_lines("one two three", 3, "one\ntwo\nthr\nee");
	expect_lines("a  b", 1, "a\nb");
	expect_lines("a 0123456789", 4, "a\n0123\n4567\n89");
	/* Characters of two columns, even where there is only one. */
	expect_lines("\u65e5\u672c\u8a9e", 5, "\u65e5\u672c\n\u8a9e");
	expect_lines("\u65e5\u672c", 1, "\u65e5\n\u672c");
	expect_lines("\xff\xfe", 1, "\xff\n\xfe");
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(fills),
		cmocka_unit_test(prints_nothing_for_nothing),
		cmocka_unit_test(indents),
		cmocka_unit_test(long_words_stick_out),
		cmocka_unit_test(reads_no_further_than_told),
		cmocka_unit_test(counts_columns_not_bytes),
		cmocka_unit_test(keeps_names_together),
		cmocka_unit_test(lines_are_no_wider),
	};

	setlocale(LC_ALL, "C.UTF-8");
	return cmocka_run_group_tests(tests, NULL, NULL);
}
