// SPDX-License-Identifier: GPL-2.0-or-later
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cgroups/charges.h"
#include "filesystems/selection.h"
#include "lib/sysroot.h"
#include "made_devices.h"
#include "test.h"
#include "who/caches.h"
#include "who/cgroup_ids.h"
#include "who/who_fold.h"
#include "who/who_now.h"
#include "who/who_rows.h"

/* ---- totals -------------------------------------------------------------- */

static void since_is_what_came_after(void **state __attribute__((unused)))
{
	struct trace_fill old[] = {
		{ .major = 8, .process = 1, .in = { 10 }, .out = 2 },
		{ .major = 8, .process = 2, .in = { 5 } },
	};
	struct trace_fill new[] = {
		{ .major = 8, .process = 1, .in = { 13, 4 }, .out = 2 },
		{ .major = 8, .process = 2, .in = { 5 } },
		{ .major = 8, .process = 3, .out = 7 },
		{ .major = 8, .is_bdev = true, .process = 1, .in = { 1 } },
		{ .major = 8, .is_bdev = true, .process = 2, .asked = 1 },
	};
	struct trace_eviction taken[] = {
		{ .cgroup = 1, .pages = 5 },
		{ .cgroup = 7, .by = 3, .pages = 30 },
	};
	struct trace_eviction later[] = {
		{ .cgroup = 1, .pages = 5 },
		{ .cgroup = 2, .pages = 4 },
		{ .cgroup = 7, .by = 3, .pages = 31 },
		{ .cgroup = 7, .by = 3, .need = FILL_NEED_LIMIT, .pages = 8 },
	};
	const struct trace_totals before = {
		.fills = old,
		.count = 2,
		.evictions = taken,
		.eviction_count = 2,
		.lost_events = 3,
	};
	const struct trace_totals now = {
		.fills = new,
		.count = 5,
		.evictions = later,
		.eviction_count = 4,
		.lost_events = 8,
	};
	struct trace_totals since;

	assert_int_equal(trace_totals_since(&since, &now, &before), 0);
	assert_int_equal(since.count, 4);
	assert_int_equal(since.lost_events, 5);
	assert_int_equal(since.fills[0].process, 1);
	assert_int_equal(since.fills[0].in[0], 3);
	assert_int_equal(since.fills[0].in[1], 4);
	assert_int_equal(since.fills[0].out, 0);
	assert_int_equal(trace_fill_in(&since.fills[0]), 7);
	assert_int_equal(since.fills[1].process, 3);
	assert_int_equal(since.fills[1].out, 7);
	assert_true(since.fills[2].is_bdev);
	assert_int_equal(since.fills[3].asked, 1);
	assert_int_equal(since.eviction_count, 3);
	assert_int_equal(since.evictions[0].cgroup, 2);
	assert_int_equal(since.evictions[0].pages, 4);
	assert_int_equal(since.evictions[1].pages, 1);
	assert_int_equal(since.evictions[2].pages, 8);
	trace_totals_deinit(&since);
}

/* ---- rows ---------------------------------------------------------------- */

#define PAGE 4096

/* Two devices: 8:0 has 100 pages and 8:16 has 50. */
struct fixture {
	struct caches_before before;
	struct caches now;
	struct cgroup_ids cgroups;
	struct sysroot root;
	struct selection selection;
	struct who_rows rows;
};

static void set_pages(struct devices *devices, unsigned int minor,
		      uint64_t pages)
{
	sample_set(made_device(devices, 8, minor), FIGURE_PAGES, pages);
}

static int set_up(void **state)
{
	static struct fixture fixture;
	struct caches first = {
		.has_devices = true,
		.devices = { .page_size = PAGE,
			     .source = "module",
			     .lists_all_pages = true },
	};
	struct error err;

	fixture = (struct fixture){ .cgroups.mount = -1 };
	assert_int_equal(sysroot_init_empty(&fixture.root, "empty", &err), 0);
	set_pages(&first.devices, 0, 100);
	set_pages(&first.devices, 16, 50);
	assert_int_equal(caches_keep(&fixture.before, &first), 0);
	caches_deinit(&first);
	fixture.now.has_devices = true;
	fixture.now.devices = (struct devices){ .page_size = PAGE,
						.source = "module",
						.lists_all_pages = true };
	*state = &fixture;
	return 0;
}

static int tear_down(void **state)
{
	struct fixture *fixture = *state;

	who_rows_deinit(&fixture->rows);
	caches_deinit(&fixture->now);
	caches_before_deinit(&fixture->before);
	cgroup_ids_deinit(&fixture->cgroups);
	selection_deinit(&fixture->selection);
	sysroot_deinit(&fixture->root);
	return 0;
}

static void make(struct fixture *fixture, struct trace_fill *fills,
		 size_t count)
{
	const struct who_cgroups cgroups = { &fixture->cgroups,
					     &fixture->cgroups };
	static struct trace_totals totals;
	const struct column_order none = { 0 };

	totals = (struct trace_totals){ .fills = fills,
					.count = count,
					.knows_how = true };
	assert_int_equal(who_rows_init(&fixture->rows, &totals,
				       &fixture->before, &fixture->now,
				       &cgroups, &fixture->root,
				       &fixture->selection),
			 0);
	assert_int_equal(rows_arrange(&fixture->rows.head.rows, &who_row_kind,
				      &none, 0, false),
			 0);
}

static void expect_row(const struct who_rows *rows, size_t which,
		       const char *number, int process, uint64_t in,
		       uint64_t out)
{
	const struct who_row *row = who_row_at(rows, which);

	assert_true(which < rows->head.rows.count);
	assert_string_equal(row->cache->number, number);
	assert_int_equal(row->fill ? (int)row->fill->process : -1, process);
	assert_int_equal(who_row_in(row), in);
	assert_int_equal(who_row_out(row), out);
}

static void what_was_not_traced_is_a_row(void **state)
{
	struct fixture *fixture = *state;
	struct trace_fill fills[] = {
		{ .major = 8, .is_bdev = true, .process = 1, .in = { 20 } },
		{ .major = 8, .is_bdev = true, .process = 2, .out = 5 },
		{ .major = 8,
		  .minor = 16,
		  .is_bdev = true,
		  .process = 1,
		  .in = { 0, 0, 0, 400 } },
	};

	set_pages(&fixture->now.devices, 0, 112);
	set_pages(&fixture->now.devices, 16, 450);
	make(fixture, fills, 3);
	assert_int_equal(fixture->rows.head.rows.count, 4);
	/* The busiest first; in it the largest, and the rest last. */
	expect_row(&fixture->rows, 0, "8:16", 1, 400, 0);
	expect_row(&fixture->rows, 1, "8:0", 1, 20, 0);
	expect_row(&fixture->rows, 2, "8:0", 2, 0, 5);
	expect_row(&fixture->rows, 3, "8:0", -1, 0, 3);
	assert_string_equal(who_row_at(&fixture->rows, 0)->how, "metadata");
}

/* A device that is listed no more has no pages. */
static void a_device_that_went_is_compared(void **state)
{
	struct fixture *fixture = *state;

	set_pages(&fixture->now.devices, 0, 130);
	fixture->now.devices.lists_all_pages = true;
	make(fixture,
	     (struct trace_fill[]){ { .major = 8,
				      .minor = 16,
				      .is_bdev = true,
				      .process = 3,
				      .out = 40 } },
	     1);
	assert_int_equal(fixture->rows.head.rows.count, 3);
	expect_row(&fixture->rows, 0, "8:16", 3, 0, 40);
	expect_row(&fixture->rows, 1, "8:16", -1, 0, 10);
	expect_row(&fixture->rows, 2, "8:0", -1, 30, 0);
}

static void what_was_not_measured_is_not_compared(void **state)
{
	struct fixture *fixture = *state;

	fixture->now.has_devices = false;
	make(fixture,
	     (struct trace_fill[]){ { .major = 8,
				      .is_bdev = true,
				      .process = 3,
				      .in = { 1, 1 } } },
	     1);
	assert_int_equal(fixture->rows.head.rows.count, 1);
	expect_row(&fixture->rows, 0, "8:0", 3, 2, 0);
	assert_string_equal(who_row_at(&fixture->rows, 0)->how,
			    "read 50%, write 50%");
}

static void the_others_are_added_up(void **state)
{
	struct fixture *fixture = *state;
	const struct column_order none = { 0 };
	struct trace_fill fills[] = {
		{ .major = 9, .process = 1, .in = { 30 } },
		{ .major = 9, .process = 2, .in = { 20 }, .out = 1 },
		{ .major = 9, .process = 3, .in = { 10 }, .out = 2 },
	};
	const struct who_row *others;

	set_pages(&fixture->now.devices, 0, 100);
	set_pages(&fixture->now.devices, 16, 49);
	make(fixture, fills, 3);
	assert_int_equal(fixture->rows.head.rows.count, 4);
	assert_int_equal(rows_arrange(&fixture->rows.head.rows, &who_row_kind,
				      &none, 1, false),
			 0);
	assert_int_equal(fixture->rows.head.rows.count, 2);
	expect_row(&fixture->rows, 0, "9:0", 1, 30, 0);
	others = who_row_at(&fixture->rows, 1);
	assert_true(others->is_others);
	assert_string_equal(others->cache->name, "3 others");
	assert_int_equal(who_row_in(others), 30);
	assert_int_equal(who_row_out(others), 4);
}

/* Those that differ in a cache, a name or a cgroup stay apart. */
static void many_of_a_name_are_one_row(void **state)
{
	struct fixture *fixture = *state;
	struct trace_fill fills[] = {
		{ .major = 9, .process = 1, .command = "dd", .in = { 30 } },
		{ .major = 9,
		  .process = 2,
		  .command = "dd",
		  .in = { 0, 60 },
		  .out = 1 },
		{ .major = 9, .process = 3, .command = "cat", .in = { 4 } },
		{ .major = 9,
		  .process = 4,
		  .command = "dd",
		  .cgroup = 7,
		  .in = { 5 } },
		{ .major = 9, .process = 5, .command = "", .in = { 2 } },
		{ .major = 9, .process = 6, .command = "", .in = { 1 } },
		{ .major = 9,
		  .minor = 1,
		  .process = 1,
		  .command = "dd",
		  .in = { 3 } },
	};
	const struct who_row *row;

	set_pages(&fixture->now.devices, 0, 100);
	set_pages(&fixture->now.devices, 16, 50);
	make(fixture, fills, 7);
	assert_int_equal(fixture->rows.head.rows.count, 7);
	assert_false(who_rows_are_folded(&fixture->rows));
	assert_int_equal(who_rows_fold(&fixture->rows, 1), 0);
	assert_int_equal(fixture->rows.head.rows.count, 6);
	assert_true(who_rows_are_folded(&fixture->rows));
	row = who_row_at(&fixture->rows, 0);
	assert_int_equal(row->processes, 2);
	assert_int_equal(row->fill->process, 0);
	assert_int_equal(who_row_in(row), 90);
	assert_int_equal(who_row_out(row), 1);
	assert_string_equal(row->how, "write 67%, read 33%");
	assert_int_equal(who_row_at(&fixture->rows, 1)->processes, 1);
	expect_row(&fixture->rows, 1, "9:0", 4, 5, 0);
	expect_row(&fixture->rows, 2, "9:0", 3, 4, 0);
	expect_row(&fixture->rows, 5, "9:1", 1, 3, 0);
}

static void few_of_a_name_stay_apart(void **state)
{
	struct fixture *fixture = *state;
	struct trace_fill fills[] = {
		{ .major = 9, .process = 1, .command = "dd", .in = { 30 } },
		{ .major = 9, .process = 2, .command = "dd", .in = { 60 } },
	};

	set_pages(&fixture->now.devices, 0, 100);
	set_pages(&fixture->now.devices, 16, 50);
	make(fixture, fills, 2);
	assert_int_equal(who_rows_fold(&fixture->rows, 2), 0);
	assert_int_equal(fixture->rows.head.rows.count, 2);
	assert_false(who_rows_are_folded(&fixture->rows));
}

/* ---- now ----------------------------------------------------------------- */

static const char *text_in(const struct who_row *row, const char *heading)
{
	const struct column *column =
		column_find(&who_columns, heading, strlen(heading), NULL);
	struct column_value value;

	assert_non_null(column);
	value = column_get(column, row);
	return value.known ? value.text : NULL;
}

/* The value of a column of numbers, or -1 if it is not known. */
static int64_t number_in(const struct who_row *row, const char *heading)
{
	const struct column *column =
		column_find(&who_columns, heading, strlen(heading), NULL);
	struct column_value value;

	assert_non_null(column);
	value = column_get(column, row);
	return value.known ? value.number : -1;
}

/* A device of 100 pages, an empty one, and a filesystem that was not read. */
static void now_has_cgroups_and_the_rest(void **state __attribute__((unused)))
{
	const struct column_order none = { 0 };
	struct cache caches[] = {
		{ .kind = CACHE_DEVICE,
		  .major = 8,
		  .name = (char *)"sda",
		  .has_pages = true,
		  .pages = 100,
		  .charged = 90 },
		{ .kind = CACHE_DEVICE,
		  .major = 8,
		  .minor = 16,
		  .name = (char *)"sdb",
		  .has_pages = true },
		{ .kind = CACHE_FILESYSTEM,
		  .minor = 40,
		  .name = (char *)"/dev/sdc",
		  .mountpoint = (char *)"/data",
		  .why = "too late" },
	};
	struct charge_owner owners[] = {
		{ .path = (char *)"/a.scope", .container = (char *)"docker:a" },
		{ .path = (char *)"/b", .is_dead = true },
	};
	struct charge list[] = {
		{ 0, 0, 60 },
		{ 0, CHARGE_NO_OWNER, 20 },
		{ 0, 1, 10 },
	};
	struct who_now now = {
		.charges = {
			.page_size = PAGE,
			.caches = caches,
			.cache_count = COUNT_OF(caches),
			.owners = owners,
			.owner_count = COUNT_OF(owners),
			.list = list,
			.count = COUNT_OF(list),
		},
	};
	struct rows *rows = &now.who.head.rows;

	assert_int_equal(who_now_make_rows(&now), 0);
	assert_int_equal(rows->count, 5);
	assert_string_equal(text_in(who_row_at(&now.who, 0), "CGROUP"),
			    "docker:a");
	assert_null(text_in(who_row_at(&now.who, 0), "STATE"));
	assert_int_equal(number_in(who_row_at(&now.who, 0), "RESIDENT"),
			 60 * PAGE);
	assert_string_equal(text_in(who_row_at(&now.who, 1), "STATE"),
			    "not charged");
	assert_string_equal(text_in(who_row_at(&now.who, 2), "STATE"), "dead");
	assert_string_equal(text_in(who_row_at(&now.who, 2), "CGROUP"), "/b");
	assert_string_equal(text_in(who_row_at(&now.who, 3), "STATE"),
			    "unattributed");
	assert_int_equal(number_in(who_row_at(&now.who, 3), "PAGES-NOW"), 10);
	/* What is not known is not 0, and nothing was traced. */
	assert_string_equal(text_in(who_row_at(&now.who, 4), "NAME"), "/data");
	assert_string_equal(text_in(who_row_at(&now.who, 4), "STATE"),
			    "unattributed");
	assert_int_equal(number_in(who_row_at(&now.who, 4), "RESIDENT"), -1);
	assert_int_equal(number_in(who_row_at(&now.who, 0), "IN"), -1);
	assert_int_equal(number_in(who_row_at(&now.who, 0), "PID"), -1);
	assert_null(text_in(who_row_at(&now.who, 0), "COMMAND"));
	assert_int_equal(rows_arrange(rows, &who_row_kind, &none, 2, false), 0);
	/* In JSON, too. */
	assert_int_equal(rows_of_records(rows).count, 3);
	assert_int_equal(rows_of_table(rows).count, 3);
	assert_string_equal(text_in(who_row_at(&now.who, 2), "NAME"),
			    "3 others");
	assert_int_equal(number_in(who_row_at(&now.who, 2), "PAGES-NOW"), 20);
	assert_int_equal(number_in(who_row_at(&now.who, 2), "IN"), -1);
	who_rows_deinit(&now.who);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(since_is_what_came_after),
		cmocka_unit_test_setup_teardown(what_was_not_traced_is_a_row,
						set_up, tear_down),
		cmocka_unit_test_setup_teardown(a_device_that_went_is_compared,
						set_up, tear_down),
		cmocka_unit_test_setup_teardown(
			what_was_not_measured_is_not_compared, set_up,
			tear_down),
		cmocka_unit_test_setup_teardown(many_of_a_name_are_one_row,
						set_up, tear_down),
		cmocka_unit_test_setup_teardown(few_of_a_name_stay_apart,
						set_up, tear_down),
		cmocka_unit_test_setup_teardown(the_others_are_added_up, set_up,
						tear_down),
		cmocka_unit_test(now_has_cgroups_and_the_rest),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
