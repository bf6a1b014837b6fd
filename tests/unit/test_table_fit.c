// SPDX-License-Identifier: GPL-2.0-or-later
#include <locale.h>
#include <stdbool.h>
#include <string.h>

#include "device_columns.h"
#include "table_fit.h"
#include "terminal.h"
#include "test.h"

/* Every column ten wide; returns the headings that are kept. */
static const char *kept(size_t width, size_t *left)
{
	static char headings[512];
	size_t widths[COLUMN_CHOICE_ROOM];
	struct column_choice choice;
	size_t used = 0;

	column_choice_default(&choice, &device_columns);
	for (size_t i = 0; i < choice.count; i++)
		widths[i] = 10;
	*left = table_fit(&choice, widths, width);
	for (size_t i = 0; i < choice.count; i++) {
		used += (size_t)snprintf(headings + used,
					 sizeof(headings) - used, "%s%s",
					 i ? " " : "",
					 choice.columns[i]->heading);
		assert_int_equal(widths[i], 10);
	}
	return headings;
}

static void leaves_out_what_can_be_missed(void **state __attribute__((unused)))
{
	size_t left;

	assert_string_equal(kept(21, &left), "NAME BUFFERS");
	assert_int_equal(left, 0);
	assert_string_equal(kept(31, &left), "NAME BUFFERS");
	assert_int_equal(left, 10);
	assert_string_equal(kept(32, &left), "NAME BUFFERS SHARE");
	assert_string_equal(kept(43, &left), "NAME BUFFERS SHARE MOUNTPOINTS");
	assert_string_equal(kept(65, &left),
			    "NAME MAJ:MIN BUFFERS SHARE FSTYPE MOUNTPOINTS");
}

static void never_leaves_out_all(void **state __attribute__((unused)))
{
	size_t left;

	assert_string_equal(kept(0, &left), "NAME BUFFERS");
	assert_int_equal(left, 0);
	kept(SIZE_MAX, &left);
	assert_true(left > 1000000);
}

static const char *bar(double percent, size_t width, bool utf8)
{
	static char text[256];

	table_bar(text, percent, width, utf8);
	return text;
}

static void bars_are_as_long_as_the_share(void **state __attribute__((unused)))
{
	assert_string_equal(bar(0, 10, false), "");
	assert_string_equal(bar(-3, 10, false), "");
	assert_string_equal(bar(0.001, 10, false), ".");
	assert_string_equal(bar(4, 10, false), ".");
	assert_string_equal(bar(5, 10, false), "#");
	assert_string_equal(bar(50, 10, false), "#####");
	assert_string_equal(bar(100, 10, false), "##########");
	assert_string_equal(bar(1e300, 10, false), "##########");

	assert_string_equal(bar(0, 10, true), "");
	assert_string_equal(bar(0.001, 10, true), "\u258f");
	assert_string_equal(bar(5, 10, true), "\u258c");
	assert_string_equal(bar(25, 10, true), "\u2588\u2588\u258c");
	assert_string_equal(bar(100, 2, true), "\u2588\u2588");
}

static void widths_are_of_the_screen(void **state __attribute__((unused)))
{
	static const struct {
		const char *text;
		size_t width;
	} texts[] = {
		{ "", 0 },	  { "abc", 3 },	      { "Gr\u00f6\u00dfe", 5 },
		{ "\u65e5", 2 },  { "a\x1b[31m", 9 }, { "\xff\xfe", 8 },
		{ "e\u0301", 1 }, { "\xe6\x97", 8 },
	};

	for (size_t i = 0; i < COUNT_OF(texts); i++)
		assert_int_equal(text_width(texts[i].text,
					    strlen(texts[i].text)),
				 texts[i].width);
}

static void text_is_cut_between_characters(void **state __attribute__((unused)))
{
	assert_int_equal(text_fit("abc", 0), 0);
	assert_int_equal(text_fit("abc", 2), 2);
	assert_int_equal(text_fit("abc", 9), 3);
	assert_int_equal(text_fit("", 9), 0);
	assert_int_equal(text_fit("a\u65e5b", 2), 1);
	assert_int_equal(text_fit("a\u65e5b", 3), 4);
	assert_int_equal(text_fit("a\x1b[", 4), 1);
	assert_int_equal(text_fit("a\x1b[", 5), 2);
	/* An accent belongs to the letter before it. */
	assert_int_equal(text_fit("e\u0301x", 1), 3);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(leaves_out_what_can_be_missed),
		cmocka_unit_test(never_leaves_out_all),
		cmocka_unit_test(bars_are_as_long_as_the_share),
		cmocka_unit_test(widths_are_of_the_screen),
		cmocka_unit_test(text_is_cut_between_characters),
	};

	setlocale(LC_ALL, "C.UTF-8");
	return cmocka_run_group_tests(tests, NULL, NULL);
}
