// SPDX-License-Identifier: GPL-2.0-or-later
#include <locale.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "devices/device_columns.h"
#include "lib/terminal.h"
#include "table/table.h"
#include "table/table_fit.h"
#include "test.h"

/* Every column is ten wide. Returns the headings that are kept. */
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

struct row {
	const char *name;
	const char *path;
	const char *why;
};

static struct column_value get_name(const void *row)
{
	return column_text(((const struct row *)row)->name);
}

static struct column_value get_path(const void *row)
{
	return column_text(((const struct row *)row)->path);
}

static struct column_value get_why(const void *row)
{
	return column_text(((const struct row *)row)->why);
}

static const struct column name = {
	"NAME", "name", "", COLUMN_TEXT, COLUMN_USUAL, .value = get_name
};
static const struct column path = {
	"PATH", "path", "", COLUMN_PATH, COLUMN_USUAL, .value = get_path
};
static const struct column why = {
	"WHY", "why", "", COLUMN_PROSE, COLUMN_USUAL, .value = get_why
};

static void expect_table(size_t width, const struct row *row,
			 const struct column_choice *choice,
			 const char *expected)
{
	const struct table_style style = { .terminal_width = width,
					   .no_headings = true };
	const struct table_rows rows = { row, 1, sizeof(*row), NULL };
	char *printed;
	size_t size;
	FILE *out = open_memstream(&printed, &size);

	assert_non_null(out);
	assert_int_equal(table_print(out, &rows, choice, &style), 0);
	assert_int_equal(fclose(out), 0);
	assert_string_equal(printed, expected);
	free(printed);
}

static void paths_keep_the_name(void **state __attribute__((unused)))
{
	const struct row row = { .path = "/var/lib/postgresql/16384.1" };
	const struct row one = { .path = "memfd-without-a-slash" };
	const struct column_choice choice = { { &path }, 1 };

	expect_table(27, &row, &choice, "/var/lib/postgresql/16384.1\n");
	expect_table(26, &row, &choice, "/var/lib/postgres\u2026/16384.1\n");
	expect_table(12, &row, &choice, "/va\u2026/16384.1\n");
	expect_table(9, &row, &choice, "\u2026/16384.1\n");
	/* It is not cut but sticks out. */
	expect_table(4, &row, &choice, "\u2026/16384.1\n");
	expect_table(4, &one, &choice, "memfd-without-a-slash\n");
}

static void prose_is_wrapped(void **state __attribute__((unused)))
{
	const struct row row = { .name = "vda1", .why = "one two\\x three" };
	const struct column_choice choice = { { &name, &why }, 2 };

	expect_table(20, &row, &choice, "vda1 one two\\x5cx\n     three\n");
	expect_table(13, &row, &choice,
		     "vda1 one\n     two\\x5cx\n     three\n");
	expect_table(0, &row, &choice, "vda1 one two\\x5cx three\n");
}

static void names_alone_are_cut(void **state __attribute__((unused)))
{
	const struct row row = { .name = "the-name-of-it",
				 .why = "not that way" };
	const struct row wide = { .name = "\u65e5\u672c\u8a9e", .why = "no" };
	const struct column_choice choice = { { &name, &why }, 2 };

	expect_table(18, &row, &choice,
		     "the-name\u2026 not that\n          way\n");
	expect_table(10, &wide, &choice, "\u65e5\u672c\u8a9e no\n");
	expect_table(9, &wide, &choice, "\u65e5\u672c\u2026 no\n");
}

/* Sorts as in the C locale, whatever the locale is, except numbers. */
static void text_sorts_by_bytes_and_numbers(void **state
					    __attribute__((unused)))
{
	static const char *const sorted[] = { "B",   "Z", "a9",
					      "a10", "b", "\u00e4" };
	static const size_t shuffled[] = { 5, 4, 2, 0, 3, 1 };
	const struct column_order order = { &name, false };
	struct row rows[COUNT_OF(sorted)];

	for (size_t i = 0; i < COUNT_OF(sorted); i++)
		rows[i] = (struct row){ .name = sorted[shuffled[i]] };
	column_sort(rows, COUNT_OF(sorted), sizeof(*rows), &order);
	for (size_t i = 0; i < COUNT_OF(sorted); i++)
		assert_string_equal(rows[i].name, sorted[i]);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(leaves_out_what_can_be_missed),
		cmocka_unit_test(never_leaves_out_all),
		cmocka_unit_test(bars_are_as_long_as_the_share),
		cmocka_unit_test(widths_are_of_the_screen),
		cmocka_unit_test(text_is_cut_between_characters),
		cmocka_unit_test(paths_keep_the_name),
		cmocka_unit_test(prose_is_wrapped),
		cmocka_unit_test(names_alone_are_cut),
		cmocka_unit_test(text_sorts_by_bytes_and_numbers),
	};

	setlocale(LC_ALL, "C.UTF-8");
	return cmocka_run_group_tests(tests, NULL, NULL);
}
