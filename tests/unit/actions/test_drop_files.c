// SPDX-License-Identifier: GPL-2.0-or-later
/* What is said of a file or filesystem before it is dropped, and after. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "drop/drop_files.h"
#include "drop/drop_files_text.h"
#include "drop/drop_text.h"
#include "test.h"

#define FILES 3

/* Pages have 4 KiB. */
struct example {
	struct drop_set set;
	struct drop_file files[FILES];
	char *users[8];
};

static struct drop_pages figures_of(uint64_t pages, uint64_t dirty)
{
	return (struct drop_pages){
		.has_pages = true,
		.pages = pages,
		.has_dirty = true,
		.dirty = dirty,
	};
}

static void make(struct example *example, bool is_mount)
{
	*example = (struct example){
		.set = { .path = is_mount ? "/mnt" : "/mnt/a",
			 .is_mount = is_mount,
			 .result = { .source = "kcore", .page_size = 4096 },
			 .count = is_mount ? FILES : 1 },
	};
	for (size_t i = 0; i < 8; i++)
		example->users[i] = (char *)"sh(1)";
	for (size_t i = 0; i < FILES; i++) {
		static const char *const paths[] = { "/mnt/a", "/mnt/b",
						     "gone" };

		example->files[i] = (struct drop_file){
			.path = (char *)paths[i],
			.ino = i + 1,
			.before = figures_of(100, 0),
			.knows_write_error = true,
			.knows_mapped = true,
		};
	}
	example->set.files = example->files;
	example->set.result.before = figures_of(is_mount ? 300 : 100, 0);
}

static void map(struct example *example, size_t which, uint64_t pages,
		size_t users)
{
	struct drop_file *file = &example->files[which];

	file->is_mapped = true;
	file->mapped.pages = pages;
	file->mapped.users = (struct string_list){ example->users, users };
}

static void expect(struct example *example, const char *expected)
{
	const struct drop_style style = { .width = 6 };
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	assert_non_null(out);
	drop_set_count_stayed(&example->set);
	assert_int_equal(drop_set_text_put(out, &example->set, &style), 0);
	assert_int_equal(fclose(out), 0);
	assert_string_equal(text, expected);
	free(text);
}

static void expect_bounds(struct example *example, uint64_t least,
			  uint64_t most)
{
	drop_set_forecast(&example->set);
	assert_int_equal(example->set.least, least);
	assert_int_equal(example->set.most, most);
}

static void all_of_a_file(void **state __attribute__((unused)))
{
	struct example example;

	make(&example, false);
	expect_bounds(&example, 100, 100);
	expect(&example, "/mnt/a  would release 400K of 400K (0 dirty)\n");
	example.set.result.before.dirty = 50;
	expect(&example, "/mnt/a  would release 400K of 400K "
			 "(200K dirty, to be written first)\n");
	example.set.result.before.has_dirty = false;
	expect(&example, "/mnt/a  would release 400K of 400K\n");

	example.set.result.done = true;
	example.set.result.after = figures_of(0, 0);
	expect(&example, "/mnt/a  before 400K  after 0  released 400K\n");
}

static void mapped_pages_stay(void **state __attribute__((unused)))
{
	struct example example;

	make(&example, false);
	map(&example, 0, 25, 2);
	expect_bounds(&example, 75, 75);
	assert_int_equal(example.files[0].stay, STAY_MAPPED);
	expect(&example, "/mnt/a  would release 300K of 400K (0 dirty)\n"
			 "        100K would stay: mapped by sh(1), sh(1)\n");

	example.files[0].mapped.mlocked_pages = 5;
	example.files[0].mapped.users.count = 8;
	example.set.result.done = true;
	example.set.result.after = figures_of(26, 0);
	example.files[0].after = example.set.result.after;
	expect(&example,
	       "/mnt/a  before 400K (0 dirty)  after 104K  released 296K\n"
	       "        104K stayed: mapped by sh(1), sh(1), sh(1), sh(1), "
	       "sh(1) and 3 more; 20K locked in memory (mlock)\n");

	/* More than there are: pages were truncated meanwhile. */
	make(&example, false);
	map(&example, 0, 1000, 1);
	expect_bounds(&example, 0, 0);
}

/* A process that nobody could look at may map all, or nothing. */
static void two_bounds(void **state __attribute__((unused)))
{
	struct example example;

	make(&example, false);
	map(&example, 0, 25, 1);
	example.files[0].mapped.is_partly_known = true;
	example.set.unknown_users = (struct string_list){ example.users, 6 };
	expect_bounds(&example, 0, 75);
	expect(&example,
	       "/mnt/a  would release 0 to 300K of 400K (0 dirty)\n"
	       "        not known: what is mapped by sh(1), sh(1), sh(1), "
	       "sh(1), sh(1) and 1 more\n"
	       "        100K would stay: mapped by sh(1)\n");

	/* The kernel says that nobody maps it. */
	example.files[0].is_mapped = false;
	example.files[0].mapped.pages = 0;
	expect_bounds(&example, 100, 100);

	example.files[0].knows_mapped = false;
	expect_bounds(&example, 0, 100);
}

static void write_errors(void **state __attribute__((unused)))
{
	struct example example;

	make(&example, true);
	example.files[1].write_error = 5;
	expect_bounds(&example, 200, 200);
	expect(&example, "/mnt    would release 800K of 1.2M (0 dirty)\n"
			 "        400K would stay: /mnt/b: a write to it has "
			 "failed (EIO); --despite-errors releases them\n");

	make(&example, true);
	example.files[1].write_error = 5;
	example.set.result.despite_errors = true;
	expect_bounds(&example, 300, 300);
}

/* A clean page may be the only copy of what could not be written. */
static void nobody_knows_of_write_errors(void **state __attribute__((unused)))
{
	struct example example;

	make(&example, true);
	for (size_t i = 0; i < FILES; i++)
		example.files[i].knows_write_error = false;
	example.files[2].stay = STAY_DELETED;
	map(&example, 0, 25, 1);
	expect_bounds(&example, 0, 0);
	assert_int_equal(example.files[0].stay, STAY_UNKNOWN);
	assert_int_equal(example.files[2].stay, STAY_DELETED);
	example.set.result.done = true;
	assert_true(drop_set_is_partial(&example.set));

	make(&example, false);
	example.files[0].knows_write_error = false;
	expect_bounds(&example, 0, 0);
	expect(&example,
	       "/mnt/a  would release 0 of 400K (0 dirty)\n"
	       "        400K would stay: not known whether a write to it has "
	       "failed; kcore and the module can tell (bufstat sources), and "
	       "--despite-errors releases them\n");

	make(&example, false);
	example.files[0].knows_write_error = false;
	example.set.result.despite_errors = true;
	expect_bounds(&example, 100, 100);
}

static void what_stays_of_a_filesystem(void **state __attribute__((unused)))
{
	struct example example;

	make(&example, true);
	example.files[0].stay = STAY_HIDDEN;
	example.files[1].stay = STAY_NAMELESS;
	example.files[1].path = NULL;
	example.files[1].before.pages = 120;
	example.files[2].stay = STAY_DELETED;
	example.files[2].users = (struct string_list){ example.users, 1 };
	example.set.result.before.pages = 320;
	example.set.unlisted = 7;
	expect_bounds(&example, 0, 0);
	expect(&example,
	       "/mnt    would release 0 of 1.3M (0 dirty)\n"
	       "        480K would stay: inode 2: without a name, the "
	       "filesystem's own; unmounting it releases them\n"
	       "        400K would stay: /mnt/a: no path leads to it (renamed, "
	       "or below another mount)\n"
	       "        400K would stay: gone: deleted, and released when "
	       "sh(1) closes it\n"
	       "        the pages of 7 smaller files stay: the module does not "
	       "list them (repeat it, or use kcore)\n");
}

static void in_use_or_dirty_again(void **state __attribute__((unused)))
{
	struct example example;

	make(&example, false);
	drop_set_forecast(&example.set);
	example.set.result.done = true;
	example.set.result.after = figures_of(3, 0);
	example.files[0].after = example.set.result.after;
	expect(&example,
	       "/mnt/a  before 400K (0 dirty)  after 12K  released 388K\n"
	       "        12K stayed: in use\n");
	assert_false(drop_set_is_partial(&example.set));
	example.set.result.after = figures_of(103, 1);
	example.files[0].after = example.set.result.after;
	expect(&example,
	       "/mnt/a  before 400K (0 dirty)  after 412K  grew by 12K, read or "
	       "written meanwhile\n"
	       "        412K stayed: dirty, written to meanwhile\n");
	assert_true(drop_set_is_partial(&example.set));
	example.files[0].stay = STAY_DELETED;
	assert_false(drop_set_is_partial(&example.set));
	example.files[0].stay = STAY_NOT;
	example.files[0].after.dirty = 0;
	assert_false(drop_set_is_partial(&example.set));
	example.files[0].stay = STAY_FAILED;
	assert_true(drop_set_is_partial(&example.set));
}

static void not_measured(void **state __attribute__((unused)))
{
	struct example example;

	make(&example, false);
	example.set.result.before = (struct drop_pages){ 0 };
	example.files[0].before = example.set.result.before;
	expect_bounds(&example, 0, 0);
	expect(&example, "/mnt/a  not measured\n");
	example.set.result.done = true;
	expect(&example, "/mnt/a  done, but not measured\n");
}

/* Ranges overlap: two processes map the same, and a folio counts whole. */
static void ranges_are_added_up(void **state __attribute__((unused)))
{
	static const struct page_range ranges[] = {
		{ 100, 110, true }, { 0, 16, false },  { 8, 20, false },
		{ 105, 107, true }, { 10, 12, false }, { 106, 120, false },
	};
	struct mapped_file file = { 0 };

	file.ranges = calloc(6, sizeof(*ranges));
	assert_non_null(file.ranges);
	memcpy(file.ranges, ranges, sizeof(ranges));
	file.range_count = 6;
	mapped_file_add_up(&file);
	assert_int_equal(file.pages, 40);
	assert_int_equal(file.mlocked_pages, 10);
	assert_null(file.ranges);
	mapped_file_add_up(&file);
	assert_int_equal(file.pages, 0);
	mapped_file_deinit(&file);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(all_of_a_file),
		cmocka_unit_test(mapped_pages_stay),
		cmocka_unit_test(two_bounds),
		cmocka_unit_test(write_errors),
		cmocka_unit_test(nobody_knows_of_write_errors),
		cmocka_unit_test(what_stays_of_a_filesystem),
		cmocka_unit_test(in_use_or_dirty_again),
		cmocka_unit_test(not_measured),
		cmocka_unit_test(ranges_are_added_up),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
