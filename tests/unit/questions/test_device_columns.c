// SPDX-License-Identifier: GPL-2.0-or-later
#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "devices/device_columns.h"
#include "devices/device_rows.h"
#include "devices/device_tree.h"
#include "lib/cleanup.h"
#include "lib/error.h"
#include "lib/sysroot.h"
#include "made_devices.h"
#include "test.h"

/* @expected: the headings of the choice, separated by commas. */
static void expect_choice(const struct column_choice *choice,
			  const char *expected)
{
	char text[1024] = "";

	for (size_t i = 0; i < choice->count; i++) {
		strcat(text, i ? "," : "");
		strcat(text, choice->columns[i]->heading);
	}
	assert_string_equal(text, expected);
}

static void headings_and_keys_are_unique(void **state __attribute__((unused)))
{
	const struct column *columns = device_columns.columns;
	size_t count = device_columns.count;

	assert_true(count > 0);
	for (size_t i = 0; i < count; i++) {
		assert_true(*columns[i].help != '\0');
		for (const char *c = columns[i].key; *c; c++)
			assert_false(isupper((unsigned char)*c));
		for (size_t j = 0; j < i; j++) {
			assert_string_not_equal(columns[i].heading,
						columns[j].heading);
			assert_string_not_equal(columns[i].key, columns[j].key);
		}
	}
}

static void usual_columns(void **state __attribute__((unused)))
{
	struct column_choice choice;
	size_t count = 0;

	column_choice_default(&choice, &device_columns);
	for (size_t i = 0; i < device_columns.count; i++) {
		const struct column *column = &device_columns.columns[i];

		if (column->use == COLUMN_USUAL)
			assert_ptr_equal(choice.columns[count++], column);
	}
	assert_int_equal(choice.count, count);
	assert_string_equal(choice.columns[0]->heading, "NAME");
}

static void all_columns(void **state __attribute__((unused)))
{
	struct column_choice choice;
	size_t count = device_columns.count;

	column_choice_all(&choice, &device_columns);
	assert_int_equal(choice.count, count);
	for (size_t i = 0; i < count; i++)
		assert_ptr_equal(choice.columns[i], &device_columns.columns[i]);
}

static void lists_keep_their_order(void **state __attribute__((unused)))
{
	struct column_choice choice;
	struct error err;

	column_choice_all(&choice, &device_columns);
	assert_int_equal(
		column_choice_parse(&choice, &device_columns, "SIZE", &err), 0);
	expect_choice(&choice, "SIZE");
	assert_int_equal(column_choice_parse(&choice, &device_columns,
					     "pages,Cached%,maj:min", &err),
			 0);
	expect_choice(&choice, "PAGES,CACHED%,MAJ:MIN");
}

static void plus_adds_to_the_usual(void **state __attribute__((unused)))
{
	struct column_choice choice, usual;
	struct error err;

	column_choice_default(&usual, &device_columns);
	assert_int_equal(column_choice_parse(&choice, &device_columns,
					     "+OPENERS,source", &err),
			 0);
	assert_int_equal(choice.count, usual.count + 2);
	for (size_t i = 0; i < usual.count; i++)
		assert_ptr_equal(choice.columns[i], usual.columns[i]);
	assert_string_equal(choice.columns[usual.count]->heading, "OPENERS");
	assert_string_equal(choice.columns[usual.count + 1]->heading, "SOURCE");
}

static void unknown_columns_are_named(void **state __attribute__((unused)))
{
	static const char *const lists[][3] = {
		{ "", "", "" },
		{ "+", "", "" },
		{ "NAMES", "NAMES", "did you mean NAME? " },
		{ "NAM", "NAM", "did you mean NAME? " },
		{ "NAME,", "", "" },
		{ ",NAME", "", "" },
		{ "NAME,,PAGES", "", "" },
		{ "NAME,PAGES,none", "none", "did you mean NAME? " },
		{ "NAME ", "NAME ", "did you mean NAME? " },
		{ "+NAME,+PAGES", "+PAGES", "did you mean PAGES? " },
	};
	struct column_choice choice;
	struct error err;
	char message[128];

	for (size_t i = 0; i < COUNT_OF(lists); i++) {
		assert_int_equal(column_choice_parse(&choice, &device_columns,
						     lists[i][0], &err),
				 -EINVAL);
		snprintf(message, sizeof(message),
			 "choosing columns: %s%sno such column "
			 "(%sbufstat devices --help lists them)",
			 lists[i][1], *lists[i][1] ? ": " : "", lists[i][2]);
		assert_string_equal(text_of(&err), message);
	}
}

static void a_choice_has_an_end(void **state __attribute__((unused)))
{
	struct column_choice choice;
	char list[(COLUMN_CHOICE_ROOM + 1) * sizeof(",NAME")] = "";
	struct error err;

	for (int i = 0; i < COLUMN_CHOICE_ROOM; i++)
		strcat(list, i ? ",NAME" : "NAME");
	assert_int_equal(
		column_choice_parse(&choice, &device_columns, list, &err), 0);
	assert_int_equal(choice.count, COLUMN_CHOICE_ROOM);
	strcat(list, ",NAME");
	assert_int_equal(column_choice_parse(&choice, &device_columns, list,
					     &err),
			 -EINVAL);
}

/* A device of a host whose Buffers is 12 pages. */
static struct device made(void)
{
	return (struct device){
		.source = "module",
		.page_size = 4096,
		.buffers_pages = 12,
	};
}

static struct column_value value_of(const char *heading,
				    const struct device *row)
{
	const struct column *column =
		column_find(&device_columns, heading, strlen(heading), NULL);

	assert_non_null(column);
	return column_get(column, row);
}

static void values_of_a_device(void **state __attribute__((unused)))
{
	struct device row = made();

	row.names = (struct device_names){ .name = (char *)"sda1",
					   .kname = (char *)"sda1",
					   .size_bytes = 81920,
					   .has_size = true };
	strcpy(row.number, "8:1");
	sample_set(&row.sample, FIGURE_PAGES, 10);
	sample_set(&row.sample, FIGURE_DIRTY, 0);
	assert_string_equal(value_of("NAME", &row).text, "sda1");
	assert_string_equal(value_of("MAJ:MIN", &row).text, "8:1");
	assert_int_equal(value_of("PAGES", &row).number, 10);
	assert_int_equal(value_of("BUFFERS", &row).number, 40960);
	assert_true(value_of("DIRTY", &row).known);
	assert_int_equal(value_of("DIRTY", &row).number, 0);
	assert_int_equal(value_of("SIZE", &row).number, 81920);
	assert_true(value_of("CACHED%", &row).percent == 50.0);
	assert_true(value_of("SHARE", &row).percent == 100.0 * 10 / 12);
	assert_string_equal(value_of("SOURCE", &row).text, "module");

	/* Absent is not zero. */
	assert_false(value_of("WRITEBACK", &row).known);
	assert_false(value_of("OPENERS", &row).known);
	assert_false(value_of("WRITE-ERROR", &row).known);
	assert_false(value_of("FSTYPE", &row).known);
	assert_false(value_of("LABEL", &row).known);
	assert_false(value_of("CONFIDENT", &row).known);
	assert_false(value_of("MOUNTPOINTS", &row).known);
	row.names.has_mounts = true;
	assert_int_equal(value_of("MOUNTPOINTS", &row).list->count, 0);
}

/* A table says that a type is only likely; JSON has that in another key. */
static void types_are_likely_or_proven(void **state __attribute__((unused)))
{
	struct device row = { .names = { .fstype = (char *)"ext4" } };

	assert_string_equal(value_of("FSTYPE", &row).text, "ext4");
	assert_string_equal(value_of("FSTYPE", &row).json, "ext4");
	assert_true(value_of("CONFIDENT", &row).known);
	assert_int_equal(value_of("CONFIDENT", &row).number, 1);
	row.names.looks_like = (char *)"looks like ext4";
	assert_string_equal(value_of("FSTYPE", &row).text, "looks like ext4");
	assert_string_equal(value_of("FSTYPE", &row).json, "ext4");
	assert_int_equal(value_of("CONFIDENT", &row).number, 0);
}

static void values_of_the_rest(void **state __attribute__((unused)))
{
	struct device row = made();

	row.is_rest = true;
	sample_set(&row.sample, FIGURE_PAGES, 2);
	assert_int_equal(value_of("PAGES", &row).number, 2);
	assert_int_equal(value_of("BUFFERS", &row).number, 8192);
	assert_true(value_of("SHARE", &row).percent == 100.0 * 2 / 12);
	assert_false(value_of("DIRTY", &row).known);
	assert_false(value_of("OPENERS", &row).known);
	assert_false(value_of("SIZE", &row).known);
	assert_false(value_of("CACHED%", &row).known);
	assert_false(value_of("SOURCE", &row).known);

	row.sample.present = 0;
	assert_false(value_of("PAGES", &row).known);
	assert_false(value_of("BUFFERS", &row).known);
	assert_false(value_of("SHARE", &row).known);
}

/* The share is unknown if the size is, or is 0, as for an empty loop device. */
static void part_of_no_size_is_unknown(void **state __attribute__((unused)))
{
	struct device row = made();

	sample_set(&row.sample, FIGURE_PAGES, 10);
	assert_false(value_of("CACHED%", &row).known);
	row.names.has_size = true;
	assert_true(value_of("SIZE", &row).known);
	assert_false(value_of("CACHED%", &row).known);
}

/* Sorts five rows by @heading; @expected has their minors in order. */
static void expect_sorted(const char *heading, bool descends,
			  const unsigned int expected[5])
{
	static const uint64_t pages[] = { 7, 0, UINT64_MAX, 900, 10 };
	static const char *const names[] = { "b", "B", "a", NULL, "aa" };
	struct device rows[5];
	const struct column_order order = {
		column_find(&device_columns, heading, strlen(heading), NULL),
		descends,
	};

	for (unsigned int i = 0; i < 5; i++) {
		rows[i] = made();
		rows[i].sample.minor = i;
		if (pages[i] != UINT64_MAX)
			sample_set(&rows[i].sample, FIGURE_PAGES, pages[i]);
		rows[i].names.name = (char *)names[i];
		if (names[i])
			string_list_add(&rows[i].names.holders, names[i]);
	}
	column_sort(rows, 5, sizeof(*rows), &order);
	for (unsigned int i = 0; i < 5; i++)
		assert_int_equal(rows[i].sample.minor, expected[i]);
	for (unsigned int i = 0; i < 5; i++)
		string_list_deinit(&rows[i].names.holders);
}

static void sorting_puts_unknown_first(void **state __attribute__((unused)))
{
	static const unsigned int by_pages[] = { 2, 1, 0, 4, 3 };
	static const unsigned int by_name[] = { 3, 1, 2, 4, 0 };

	expect_sorted("PAGES", false, by_pages);
	expect_sorted("BUFFERS", false, by_pages);
	expect_sorted("SHARE", false, by_pages);
	expect_sorted("NAME", false, by_name);
	expect_sorted("HOLDERS", false, by_name);
}

static void sorting_down_puts_unknown_last(void **state __attribute__((unused)))
{
	static const unsigned int by_pages[] = { 3, 4, 0, 1, 2 };
	static const unsigned int by_name[] = { 0, 4, 2, 1, 3 };

	expect_sorted("PAGES", true, by_pages);
	expect_sorted("NAME", true, by_name);
}

/* The sum of rows that are not shown leaves out what was not measured. */
static void others_are_added_up(void **state __attribute__((unused)))
{
	_cleanup_(devices_deinit) struct devices devices = {
		.page_size = 4096,
	};
	const struct column_order none = { 0 };
	const struct device *others;
	struct rows rows;

	meminfo_set(&devices.meminfo, MEMINFO_BUFFERS, 4 * 395);
	for (unsigned int i = 0; i < 5; i++) {
		struct sample *sample = made_device(&devices, 8, i);

		if (i == 3) {
			sample->refused = strdup("no");
			continue;
		}
		sample_set(sample, FIGURE_PAGES, 100 - i);
		if (i != 4)
			sample_set(sample, FIGURE_DIRTY, i);
	}
	assert_int_equal(devices_check(&devices), 0);
	assert_int_equal(device_rows_init(&rows, &devices, false), 0);

	rows_arrange(&rows, &device_row_kind, &none, 5, false);
	assert_false(rows_are_part(&rows));
	rows_arrange(&rows, &device_row_kind, &none, 2, false);
	assert_true(rows_are_part(&rows));
	assert_int_equal(rows_of_table(&rows).count, 4);
	others = device_row(&rows, 2);
	assert_string_equal(value_of("NAME", others).text, "3 others");
	assert_int_equal(value_of("PAGES", others).number, 98 + 96);
	assert_false(value_of("DIRTY", others).known);
	assert_false(value_of("CHANGE", others).known);
	assert_false(value_of("MAJ:MIN", others).known);
	assert_int_equal(value_of("PAGES", device_row(&rows, 3)).number, 2);
	rows_deinit(&rows);
}

static bool is_any(void *data __attribute__((unused)),
		   const void *row __attribute__((unused)))
{
	return true;
}

/* sysfs is read piece by piece, so that two may seem to hold each other. */
static void a_tree_has_each_device_once(void **state __attribute__((unused)))
{
	static const char *const names[] = { "a", "b", "c", "d" };
	/* c is built on a, a on b, and both of them on c again. */
	static const char *const holders[][2] = {
		{ "c" }, { "a" }, { "a", "b" }, { NULL }
	};
	static const size_t parents[] = { TABLE_NO_PARENT, 0, 1,
					  TABLE_NO_PARENT, TABLE_NO_PARENT };
	static const char *const expected[] = { "b", "a", "c", "d" };
	_cleanup_(devices_deinit) struct devices devices = { 0 };
	struct rows rows;
	struct sysroot root;

	assert_int_equal(sysroot_init_empty(&root, "none", NULL), 0);
	for (unsigned int i = 0; i < 4; i++) {
		struct device_names *found;

		made_device(&devices, 8, i);
		found = &devices.devices[i].names;
		found->name = strdup(names[i]);
		for (unsigned int j = 0; j < 2 && holders[i][j]; j++)
			string_list_add(&found->holders, holders[i][j]);
	}
	assert_int_equal(devices_check(&devices), 0);
	assert_int_equal(device_rows_init(&rows, &devices, true), 0);
	assert_int_equal(
		device_rows_make_tree(&rows, &root, is_any, NULL, false), 0);
	assert_int_equal(rows.count, 4);
	for (unsigned int i = 0; i < 4; i++) {
		assert_string_equal(device_row(&rows, i)->names.name,
				    expected[i]);
		assert_int_equal(rows.parents[i], parents[i]);
	}
	rows_deinit(&rows);
	sysroot_deinit(&root);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(headings_and_keys_are_unique),
		cmocka_unit_test(usual_columns),
		cmocka_unit_test(all_columns),
		cmocka_unit_test(lists_keep_their_order),
		cmocka_unit_test(plus_adds_to_the_usual),
		cmocka_unit_test(unknown_columns_are_named),
		cmocka_unit_test(a_choice_has_an_end),
		cmocka_unit_test(values_of_a_device),
		cmocka_unit_test(types_are_likely_or_proven),
		cmocka_unit_test(values_of_the_rest),
		cmocka_unit_test(part_of_no_size_is_unknown),
		cmocka_unit_test(sorting_puts_unknown_first),
		cmocka_unit_test(sorting_down_puts_unknown_last),
		cmocka_unit_test(others_are_added_up),
		cmocka_unit_test(a_tree_has_each_device_once),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
