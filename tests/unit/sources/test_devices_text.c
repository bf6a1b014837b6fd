// SPDX-License-Identifier: GPL-2.0-or-later
/* The module's file in all its valid forms. */
#include <stdlib.h>
#include <string.h>

#include "lib/error.h"
#include "measure/devices_text.h"
#include "measure/snapshot.h"
#include "test.h"

#define HEAD(pages)                                                            \
	"bufstat-devices 1.0\n"                                                \
	"module_version 0.1.0\n"                                               \
	"page_size 4096\n"                                                     \
	"devices 12\n"                                                         \
	"pages " pages "\n"                                                    \
	"bufferram_pages " pages "\n"                                          \
	"file_pages 75883\n"
#define COLUMNS "columns major minor name pages dirty writeback openers\n"

/* Parses a copy in a block of its exact size, so that ASan sees overruns. */
static void parse(const char *text, struct snapshot *snapshot)
{
	char *copy = strdup(text);
	struct error err = { 0 };

	assert_non_null(copy);
	*snapshot = (struct snapshot){ 0 };
	if (devices_text_parse(copy, strlen(text), snapshot, &err) < 0)
		fail_msg("refused: %s", text_of(&err));
	free(copy);
}

static void expect_figure(const struct snapshot *snapshot, size_t device,
			  enum figure figure, uint64_t value)
{
	const struct sample *sample = &snapshot->devices[device];

	assert_true(sample_has(sample, figure));
	assert_int_equal(sample->figures[figure], value);
}

static void reads_every_column(void **state __attribute__((unused)))
{
	struct snapshot snapshot;

	parse(HEAD("37483") COLUMNS "252 1 vda1 25639 3 0 2\n"
				    "253 0 dm-0 11844 4 1 7\n"
				    "end 2\n",
	      &snapshot);
	assert_int_equal(snapshot.page_size, 4096);
	assert_int_equal(snapshot.count, 2);
	assert_int_equal(snapshot.devices[0].major, 252);
	assert_int_equal(snapshot.devices[0].minor, 1);
	assert_string_equal(snapshot.devices[0].kname, "vda1");
	expect_figure(&snapshot, 0, FIGURE_PAGES, 25639);
	expect_figure(&snapshot, 0, FIGURE_DIRTY, 3);
	expect_figure(&snapshot, 0, FIGURE_WRITEBACK, 0);
	expect_figure(&snapshot, 0, FIGURE_OPENERS, 2);
	assert_string_equal(snapshot.devices[1].kname, "dm-0");
	expect_figure(&snapshot, 1, FIGURE_WRITEBACK, 1);
	assert_null(snapshot.devices[0].refused);
	snapshot_deinit(&snapshot);
}

static void dash_is_absent_not_zero(void **state __attribute__((unused)))
{
	struct snapshot snapshot;

	parse(HEAD("5") COLUMNS "252 1 - 5 - - -\nend 1\n", &snapshot);
	assert_null(snapshot.devices[0].kname);
	expect_figure(&snapshot, 0, FIGURE_PAGES, 5);
	assert_false(sample_has(&snapshot.devices[0], FIGURE_DIRTY));
	assert_false(sample_has(&snapshot.devices[0], FIGURE_WRITEBACK));
	assert_false(sample_has(&snapshot.devices[0], FIGURE_OPENERS));
	snapshot_deinit(&snapshot);
}

static void columns_go_by_their_names(void **state __attribute__((unused)))
{
	struct snapshot snapshot;

	parse(HEAD("25639") "columns openers colour name minor pages heat "
			    "writeback major dirty\n"
			    "2 red#%$ vda1 1 25639 - 0 252 3\n"
			    "end 1\n",
	      &snapshot);
	assert_int_equal(snapshot.devices[0].major, 252);
	assert_int_equal(snapshot.devices[0].minor, 1);
	assert_string_equal(snapshot.devices[0].kname, "vda1");
	expect_figure(&snapshot, 0, FIGURE_PAGES, 25639);
	expect_figure(&snapshot, 0, FIGURE_DIRTY, 3);
	expect_figure(&snapshot, 0, FIGURE_WRITEBACK, 0);
	expect_figure(&snapshot, 0, FIGURE_OPENERS, 2);
	snapshot_deinit(&snapshot);
}

/* Since format 1.1. An errno is not a number of pages. */
static void write_errors(void **state __attribute__((unused)))
{
	struct snapshot snapshot;

	parse("bufstat-devices 1.1\npage_size 1048576\npages 3\n"
	      "columns major minor pages wb_err\n"
	      "252 1 1 5\n252 2 1 -\n252 3 1 0\n252 4 0 4095\nend 4\n",
	      &snapshot);
	expect_figure(&snapshot, 0, FIGURE_WRITE_ERROR, 5);
	assert_false(sample_has(&snapshot.devices[1], FIGURE_WRITE_ERROR));
	expect_figure(&snapshot, 2, FIGURE_WRITE_ERROR, 0);
	expect_figure(&snapshot, 3, FIGURE_WRITE_ERROR, 4095);
	snapshot_deinit(&snapshot);
}

static void fewest_columns(void **state __attribute__((unused)))
{
	struct snapshot snapshot;

	parse(HEAD("9") "columns pages minor major\n9 1 252\nend 1\n",
	      &snapshot);
	assert_null(snapshot.devices[0].kname);
	expect_figure(&snapshot, 0, FIGURE_PAGES, 9);
	assert_false(sample_has(&snapshot.devices[0], FIGURE_DIRTY));
	snapshot_deinit(&snapshot);
}

/* Additions of a later minor version are skipped in any place. */
static void unknown_keys_are_skipped(void **state __attribute__((unused)))
{
	struct snapshot snapshot;

	parse("bufstat-devices 1.4294967295\n"
	      "pages 9\n"
	      "pages_hidden -1 and more words\n"
	      "page_sizes 7\n"
	      "page_size 65536\n"
	      "ending 3\n" COLUMNS "252 1 vda1 9 0 0 0\nend 1\n",
	      &snapshot);
	assert_int_equal(snapshot.page_size, 65536);
	assert_int_equal(snapshot.count, 1);
	snapshot_deinit(&snapshot);
}

static void no_rows(void **state __attribute__((unused)))
{
	struct snapshot snapshot;

	parse(HEAD("0") COLUMNS "end 0\n", &snapshot);
	assert_int_equal(snapshot.count, 0);
	assert_int_equal(snapshot.page_size, 4096);
	snapshot_deinit(&snapshot);
}

static void names_are_unescaped(void **state __attribute__((unused)))
{
	static const char *const names[][2] = {
		{ "odd\\040name", "odd name" },
		{ "\\134\\043\\011\\012", "\\#\t\n" },
		{ "cciss/c0d0p1", "cciss/c0d0p1" },
		{ "\\377", "\xff" },
		{ "\\0011", "\x01"
			    "1" },
		{ "\xe6\x97\xa5", "\xe6\x97\xa5" },
		{ "--", "--" },
		{ "\\055", "-" },
		{ "end", "end" },
	};
	struct snapshot snapshot;
	char text[512];

	for (size_t i = 0; i < COUNT_OF(names); i++) {
		strcpy(text, HEAD("1") "columns pages name major minor\n1 ");
		strcat(text, names[i][0]);
		strcat(text, " 8 0\nend 1\n");
		parse(text, &snapshot);
		assert_string_equal(snapshot.devices[0].kname, names[i][1]);
		snapshot_deinit(&snapshot);
	}
}

static void largest_figures(void **state __attribute__((unused)))
{
	struct snapshot snapshot;

	/* The pages of 2^63 - 1 bytes; the largest major and minor. */
	parse(HEAD("2251799813685247") COLUMNS
	      "4294967295 4294967295 x 2251799813685247 0 0 0\nend 1\n",
	      &snapshot);
	expect_figure(&snapshot, 0, FIGURE_PAGES, INT64_MAX / 4096);
	assert_int_equal(snapshot.devices[0].major, UINT32_MAX);
	assert_int_equal(snapshot.devices[0].minor, UINT32_MAX);
	snapshot_deinit(&snapshot);
}

static void page_sizes_of_all_machines(void **state __attribute__((unused)))
{
	static const char *const sizes[] = { "4096",  "8192",	"16384",
					     "65536", "262144", "1048576" };
	struct snapshot snapshot;
	char text[256];

	for (size_t i = 0; i < COUNT_OF(sizes); i++) {
		strcpy(text, "bufstat-devices 1.0\npages 0\npage_size ");
		strcat(text, sizes[i]);
		strcat(text, "\n" COLUMNS "end 0\n");
		parse(text, &snapshot);
		assert_int_equal(snapshot.page_size, atoi(sizes[i]));
		snapshot_deinit(&snapshot);
	}
}

static void hundred_thousand_rows(void **state __attribute__((unused)))
{
	static const char row[] = "8 1 sda1 2 0 0 1\n";
	const char *head = HEAD("200000") COLUMNS;
	size_t size = strlen(head) + 100000 * (sizeof(row) - 1) + 16;
	struct snapshot snapshot;
	char *text = malloc(size);
	char *end = stpcpy(text, head);

	for (int i = 0; i < 100000; i++)
		end = stpcpy(end, row);
	strcpy(end, "end 100000\n");
	parse(text, &snapshot);
	assert_int_equal(snapshot.count, 100000);
	expect_figure(&snapshot, 99999, FIGURE_PAGES, 2);
	snapshot_deinit(&snapshot);
	free(text);
}

static void version_of_a_text(void **state __attribute__((unused)))
{
	unsigned int major, minor;

	assert_int_equal(devices_text_version("bufstat-devices 3.14\nmore",
					      &major, &minor),
			 0);
	assert_int_equal(major, 3);
	assert_int_equal(minor, 14);
	assert_int_equal(
		devices_text_version("bufstat-devices 2.0", &major, &minor), 0);
	assert_int_equal(major, 2);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(reads_every_column),
		cmocka_unit_test(dash_is_absent_not_zero),
		cmocka_unit_test(columns_go_by_their_names),
		cmocka_unit_test(write_errors),
		cmocka_unit_test(fewest_columns),
		cmocka_unit_test(unknown_keys_are_skipped),
		cmocka_unit_test(no_rows),
		cmocka_unit_test(names_are_unescaped),
		cmocka_unit_test(largest_figures),
		cmocka_unit_test(page_sizes_of_all_machines),
		cmocka_unit_test(hundred_thousand_rows),
		cmocka_unit_test(version_of_a_text),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
