// SPDX-License-Identifier: GPL-2.0-or-later
#include <stdlib.h>
#include <string.h>

#include "filesystems/all_mounts.h"
#include "filesystems/fs_rows.h"
#include "filesystems/measured_filesystems.h"
#include "measure/history.h"
#include "test.h"

enum { PAGE = 4096 };

/* ext4, the kernel's own tmpfs, one that did not answer, one without pages. */
struct host {
	struct filesystems all;
};

static struct filesystem *add(struct host *host)
{
	static char *places[] = { (char *)"/", (char *)"/srv" };
	const struct mounted mounted = {
		.major = 8,
		.minor = (unsigned int)host->all.count,
		.type = (char *)"ext4",
		.source = (char *)"/dev/sda",
		.mountpoints = { places, 2 },
	};
	struct filesystem *filesystem =
		mounted.minor == 1 ?
			filesystems_add(&host->all, 8, 1) :
			filesystems_add_mounted(&host->all, &mounted);

	assert_non_null(filesystem);
	return filesystem;
}

static void make_host(struct host *host)
{
	struct filesystem *filesystem;
	struct sample *sample;

	*host = (struct host){ .all = { .source = "module" } };
	host->all.page_size = PAGE;
	filesystem = add(host);
	filesystem->inodes = 77;
	sample = &filesystem->sample;
	sample_set(sample, FIGURE_PAGES, 600);
	sample_set(sample, FIGURE_DIRTY, 50);
	sample_set(sample, FIGURE_WRITEBACK, 10);
	filesystem = add(host);
	filesystem->is_shmem = true;
	filesystem->keeps_pages = true;
	sample = &filesystem->sample;
	sample_set(sample, FIGURE_PAGES, 300);
	sample_set(sample, FIGURE_DIRTY, 0);
	sample_set(sample, FIGURE_WRITEBACK, 0);
	assert_int_equal(filesystem_refuse(add(host), "did not answer", true),
			 0);
	sample_set(&add(host)->sample, FIGURE_PAGES, 0);
	assert_int_equal(filesystems_check(&host->all), 0);
	assert_int_equal(host->all.silent, 1);
	assert_int_equal(host->all.attributed_pages, 900);
	host->all.lists_all_pages = true;
	host->all.meminfo.kib[MEMINFO_CACHED] = 1000 * PAGE / 1024;
	host->all.meminfo.present = 1U << MEMINFO_CACHED;
}

static void drop_host(struct host *host)
{
	filesystems_deinit(&host->all);
}

static struct column_value value_of(const char *heading,
				    const struct fs_row *row)
{
	const struct column *column =
		column_find(&fs_columns, heading, strlen(heading), NULL);

	assert_non_null(column);
	return column_get(column, row);
}

static void expect_number(const struct fs_row *row, const char *heading,
			  int64_t expected)
{
	struct column_value value = value_of(heading, row);

	assert_true(value.known);
	assert_int_equal(value.number, expected);
}

static void expect_unknown(const struct fs_row *row, const char *heading)
{
	assert_false(value_of(heading, row).known);
}

static void make_rows(struct rows *rows, const struct host *host, bool all)
{
	struct fs_answer answer = { .filesystems = &host->all };

	assert_int_equal(fs_rows_init(&answer, all), 0);
	*rows = answer.head.rows;
}

static void figures(void **state __attribute__((unused)))
{
	struct rows rows;
	struct host host;

	make_host(&host);
	make_rows(&rows, &host, false);
	assert_int_equal(rows_of_table(&rows).count, 4);
	assert_string_equal(value_of("SOURCE", rows_at(&rows, 0)).text,
			    "/dev/sda");
	expect_number(rows_at(&rows, 0), "PAGES", 600);
	expect_number(rows_at(&rows, 0), "CACHED", 600 * PAGE);
	expect_number(rows_at(&rows, 0), "DIRTY", 50 * PAGE);
	expect_number(rows_at(&rows, 0), "RECLAIMABLE", 540 * PAGE);
	expect_number(rows_at(&rows, 0), "INODES", 77);
	assert_true(value_of("SHARE", rows_at(&rows, 0)).percent > 59.9);
	assert_true(value_of("SHARE", rows_at(&rows, 0)).percent < 60.1);
	expect_unknown(rows_at(&rows, 0), "CHANGE");
	expect_unknown(rows_at(&rows, 0), "SINCE");
	rows_deinit(&rows);
	drop_host(&host);
}

static void shared_memory_is_not_reclaimable(void **state
					     __attribute__((unused)))
{
	struct rows rows;
	struct host host;

	make_host(&host);
	make_rows(&rows, &host, false);
	assert_string_equal(value_of("SOURCE", rows_at(&rows, 1)).text,
			    "[shared memory]");
	assert_int_equal(value_of("MOUNTPOINTS", rows_at(&rows, 1)).list->count,
			 0);
	expect_number(rows_at(&rows, 1), "RECLAIMABLE", 0);
	rows_deinit(&rows);
	drop_host(&host);
}

/* A dump lacks some inodes: the pages of the others, and why not all. */
static void pages_of_a_part(void **state __attribute__((unused)))
{
	static const char why[] = "1 inode is not in the dump";
	struct rows rows;
	struct host host;

	make_host(&host);
	sample_set(&host.all.filesystems[2].sample, FIGURE_PAGES, 40);
	free(host.all.filesystems[2].sample.refused);
	host.all.filesystems[2].sample.refused = strdup(why);
	make_rows(&rows, &host, false);
	expect_number(rows_at(&rows, 2), "PAGES", 40);
	expect_number(rows_at(&rows, 2), "CACHED", 40 * PAGE);
	expect_unknown(rows_at(&rows, 2), "DIRTY");
	expect_unknown(rows_at(&rows, 2), "RECLAIMABLE");
	expect_unknown(rows_at(&rows, 2), "INODES");
	assert_string_equal(value_of("NOTE", rows_at(&rows, 2)).text, why);
	rows_deinit(&rows);
	drop_host(&host);
}

/* Absent is not zero. */
static void silence_has_no_figures(void **state __attribute__((unused)))
{
	static const char *const headings[] = { "PAGES",     "CACHED",
						"SHARE",     "DIRTY",
						"WRITEBACK", "RECLAIMABLE",
						"INODES",    "HOLD" };
	struct rows rows;
	struct host host;

	make_host(&host);
	make_rows(&rows, &host, false);
	assert_string_equal(value_of("NOTE", rows_at(&rows, 2)).text,
			    "did not answer");
	for (size_t i = 0; i < COUNT_OF(headings); i++)
		expect_unknown(rows_at(&rows, 2), headings[i]);
	assert_false(!filesystems_lack(&host.all));
	rows_deinit(&rows);
	drop_host(&host);
}

static void the_rest_is_a_row(void **state __attribute__((unused)))
{
	struct rows rows;
	struct host host;

	make_host(&host);
	make_rows(&rows, &host, true);
	assert_int_equal(rows_of_table(&rows).count, 5);
	assert_string_equal(value_of("SOURCE", rows_at(&rows, 4)).text,
			    "unattributed");
	expect_number(rows_at(&rows, 4), "PAGES", 100);
	expect_unknown(rows_at(&rows, 4), "DIRTY");
	expect_unknown(rows_at(&rows, 4), "RECLAIMABLE");
	expect_unknown(rows_at(&rows, 4), "INODES");
	/* Without Cached the rest is unknown. */
	host.all.meminfo.present = 0;
	expect_unknown(rows_at(&rows, 4), "PAGES");
	rows_deinit(&rows);
	drop_host(&host);
}

static void what_changed(void **state __attribute__((unused)))
{
	struct history history = { 0 };
	struct rows rows;
	struct host host;

	make_host(&host);
	assert_int_equal(baseline_take(&history.last,
				       filesystems_samples(&host.all)),
			 0);
	assert_int_equal(history.last.rest_pages, 100);
	history.last.has_rest = true;
	history.last.rest_pages = 130;
	host.all.filesystems[0].sample.figures[FIGURE_PAGES] = 650;
	host.all.filesystems[1].sample.figures[FIGURE_PAGES] = 0;
	history_compare(&history, filesystems_samples(&host.all));
	make_rows(&rows, &host, false);
	/* A filesystem that has lost all its pages is still shown. */
	assert_int_equal(rows_of_table(&rows).count, 4);
	expect_number(rows_at(&rows, 0), "CHANGE", 50 * PAGE);
	expect_number(rows_at(&rows, 1), "CHANGE", -300 * PAGE);
	expect_unknown(rows_at(&rows, 2), "CHANGE");
	expect_number(rows_at(&rows, 3), "CHANGE", -30 * PAGE);
	expect_unknown(rows_at(&rows, 0), "SINCE");
	rows_deinit(&rows);
	history_deinit(&history);
	drop_host(&host);
}

/* Neither dirty pages nor those of a tmpfs can be dropped. */
static void others_are_added_up(void **state __attribute__((unused)))
{
	const struct column_order none = { 0 };
	struct rows rows;
	struct host host;

	make_host(&host);
	make_rows(&rows, &host, true);
	rows_arrange(&rows, fs_question.row, &none, 4, false);
	assert_false(rows_are_part(&rows));
	rows_arrange(&rows, fs_question.row, &none, 1, false);
	assert_true(rows_are_part(&rows));
	assert_int_equal(rows_of_table(&rows).count, 3);
	assert_string_equal(value_of("SOURCE", rows_at(&rows, 1)).text,
			    "3 others");
	expect_number(rows_at(&rows, 1), "PAGES", 300);
	expect_unknown(rows_at(&rows, 1), "CHANGE");
	expect_unknown(rows_at(&rows, 1), "MAJ:MIN");
	expect_number(rows_at(&rows, 2), "PAGES", 100);
	rows_deinit(&rows);

	make_rows(&rows, &host, true);
	sample_set(&host.all.filesystems[3].sample, FIGURE_DIRTY, 0);
	sample_set(&host.all.filesystems[3].sample, FIGURE_WRITEBACK, 0);
	host.all.filesystems[3].sample.figures[FIGURE_PAGES] = 7;
	rows_arrange(&rows, fs_question.row, &none, 1, false);
	expect_number(rows_at(&rows, 1), "PAGES", 307);
	expect_number(rows_at(&rows, 1), "RECLAIMABLE", 7 * PAGE);
	rows_deinit(&rows);
	drop_host(&host);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(figures),
		cmocka_unit_test(shared_memory_is_not_reclaimable),
		cmocka_unit_test(pages_of_a_part),
		cmocka_unit_test(silence_has_no_figures),
		cmocka_unit_test(the_rest_is_a_row),
		cmocka_unit_test(what_changed),
		cmocka_unit_test(others_are_added_up),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
