// SPDX-License-Identifier: GPL-2.0-or-later
/* Who brought in pages and who lost some, and what came of fadvise(). */
#include <stdlib.h>
#include <string.h>

#include "filesystems/selection.h"
#include "lib/sysroot.h"
#include "test.h"
#include "who/advice.h"
#include "who/caches.h"
#include "who/culprits.h"
#include "who/who_rows.h"

#define MIB 256 /* pages */

/* Ids of cgroups. */
enum { BACKUP = 11, DATABASE = 12, WEB = 13 };

struct fixture {
	struct sysroot root;
	struct cgroup_ids cgroups;
	struct victims victims;
	struct who_rows rows;
	struct losses losses;
	struct culprits culprits;
	struct advices advices;
	char *text;
};

static void name(struct cgroup_ids *ids)
{
	static const char *const names[] = { "/backup", "/database", "/web" };

	ids->ids = calloc(COUNT_OF(names), sizeof(*ids->ids));
	for (size_t i = 0; i < COUNT_OF(names); i++)
		ids->ids[ids->count++] = (struct cgroup_id){
			.id = BACKUP + i,
			.name = strdup(names[i]),
		};
}

static int set_up(void **state)
{
	static struct fixture fixture;
	struct error err;

	fixture = (struct fixture){ .cgroups.mount = -1,
				    .victims.ids.mount = -1 };
	assert_int_equal(sysroot_init_empty(&fixture.root, "empty", &err), 0);
	name(&fixture.cgroups);
	name(&fixture.victims.ids);
	*state = &fixture;
	return 0;
}

static int tear_down(void **state)
{
	struct fixture *fixture = *state;

	advices_deinit(&fixture->advices);
	culprits_deinit(&fixture->culprits);
	losses_deinit(&fixture->losses);
	who_rows_deinit(&fixture->rows);
	victims_deinit(&fixture->victims);
	cgroup_ids_deinit(&fixture->cgroups);
	sysroot_deinit(&fixture->root);
	free(fixture->text);
	return 0;
}

/* What is printed of @totals, in one string. */
static const char *text(struct fixture *fixture,
			const struct trace_totals *totals)
{
	const struct who_cgroups cgroups = { &fixture->cgroups,
					     &fixture->victims.ids };
	const struct caches_before before = { 0 };
	const struct caches now = { 0 };
	struct selection selection = { 0 };
	const struct size_unit unit = { 0 };
	size_t size;
	FILE *out = open_memstream(&fixture->text, &size);

	assert_int_equal(who_rows_init(&fixture->rows, totals, &before, &now,
				       &cgroups, &fixture->root, &selection),
			 0);
	assert_int_equal(
		losses_init(&fixture->losses, &fixture->victims, totals), 0);
	assert_int_equal(culprits_init(&fixture->culprits, &fixture->losses,
				       totals, &fixture->rows,
				       &fixture->cgroups),
			 0);
	assert_int_equal(
		advices_init(&fixture->advices, totals, &fixture->rows), 0);
	culprits_print(out, &fixture->losses, unit);
	advices_print(out, &fixture->advices, unit);
	fclose(out);
	return fixture->text;
}

/* The backup reads from 8:0 and 8:16, the database from 8:0. */
static struct trace_fill fills[] = {
	{ .major = 8,
	  .process = 1,
	  .cgroup = BACKUP,
	  .in = { 30 * MIB },
	  .command = "restic" },
	{ .major = 8, .process = 2, .cgroup = DATABASE, .in = { 2 * MIB } },
	{ .major = 8, .process = 3, .cgroup = BACKUP, .in = { 5 * MIB } },
	{ .major = 8,
	  .minor = 16,
	  .process = 1,
	  .cgroup = BACKUP,
	  .in = { 6 * MIB } },
};

static struct trace_totals make_totals(struct trace_eviction *evictions,
				       size_t count)
{
	return (struct trace_totals){
		.fills = fills,
		.count = COUNT_OF(fills),
		.evictions = evictions,
		.eviction_count = count,
		.knows_evictions = true,
		.knows_how = true,
	};
}

/* kswapd took them, for whoever brought in most. */
static void whoever_brought_in_most_is_named(void **state)
{
	struct fixture *fixture = *state;
	struct trace_eviction evictions[] = {
		{ .cgroup = BACKUP, .pages = 4 * MIB },
		{ .cgroup = DATABASE, .pages = 20 * MIB },
		{ .cgroup = DATABASE, .by = WEB, .pages = 2 * MIB },
	};
	const struct trace_totals totals =
		make_totals(evictions, COUNT_OF(evictions));

	assert_string_equal(text(fixture, &totals),
			    "/backup brought in 41M from 8:0; /database lost "
			    "22M.\n"
			    "/backup brought in 41M from 8:0 and lost 4M of "
			    "its own.\n");
}

/* Whoever reclaimed is named, not whoever brought in most. */
static void whoever_reclaimed_is_named(void **state)
{
	struct fixture *fixture = *state;
	struct trace_eviction evictions[] = {
		{ .cgroup = WEB, .pages = MIB / 2 },
		{ .cgroup = WEB,
		  .by = DATABASE,
		  .need = FILL_NEED_LIMIT,
		  .pages = 3 * MIB },
	};
	const struct trace_totals totals =
		make_totals(evictions, COUNT_OF(evictions));

	assert_string_equal(text(fixture, &totals),
			    "/database brought in 2M from 8:0; /web lost 3.5M "
			    "at the limit of a cgroup.\n");
	assert_int_equal(fixture->losses.losses[0].taker_count, 2);
	assert_int_equal(fixture->losses.losses[0].takers[0].cgroup, DATABASE);
	assert_int_equal(fixture->losses.losses[0].limit_pages, 3 * MIB);
}

/* Nobody read that much: a program may have grown. */
static void nobody_is_blamed_for_too_little(void **state)
{
	struct fixture *fixture = *state;
	struct trace_eviction evictions[] = {
		{ .cgroup = WEB, .pages = 83 * MIB },
		{ .cgroup = DATABASE, .by = WEB, .pages = 9 * MIB },
	};
	const struct trace_totals totals =
		make_totals(evictions, COUNT_OF(evictions));

	assert_string_equal(text(fixture, &totals),
			    "/web lost 83M, for memory that was not for "
			    "files.\n"
			    "/database lost 9M to /web, for memory that was "
			    "not for files.\n");
}

/* What the kernel has forgotten it does not count. */
static void refaults_may_be_a_lower_bound(void **state)
{
	struct fixture *fixture = *state;
	struct trace_eviction evictions[] = {
		{ .cgroup = WEB, .pages = 40 * MIB },
	};
	const struct trace_totals totals =
		make_totals(evictions, COUNT_OF(evictions));
	const struct size_unit unit = { 0 };
	struct loss *loss;
	size_t size;
	FILE *out;

	text(fixture, &totals);
	free(fixture->text);
	loss = &fixture->losses.losses[0];
	loss->has_refaults = true;
	loss->refaulted_pages = 9 * MIB;
	out = open_memstream(&fixture->text, &size);
	culprits_print(out, &fixture->losses, unit);
	loss->at_least = true;
	culprits_print(out, &fixture->losses, unit);
	fclose(out);
	assert_string_equal(fixture->text,
			    "/backup brought in 41M from 8:0; /web lost 40M; "
			    "9M refaulted since.\n"
			    "/backup brought in 41M from 8:0; /web lost 40M; "
			    "at least 9M refaulted since.\n");
}

static void refaults_need_an_earlier_look(void **state)
{
	struct fixture *fixture = *state;
	struct trace_eviction evictions[] = {
		{ .cgroup = 99, .pages = 40 * MIB },
	};
	const struct trace_totals totals =
		make_totals(evictions, COUNT_OF(evictions));

	/* It has gone, so its files cannot be read. */
	assert_int_equal(victims_learn(&fixture->victims, &totals), 0);
	assert_int_equal(fixture->victims.count, 1);
	assert_true(fixture->victims.victims[0].is_new);
	assert_int_equal(victims_learn(&fixture->victims, &totals), 0);
	assert_false(fixture->victims.victims[0].is_new);
	assert_string_equal(text(fixture, &totals),
			    "/backup brought in 41M from 8:0; a cgroup that "
			    "has gone lost 40M.\n");
	assert_false(fixture->losses.losses[0].has_refaults);
}

/* ---- fadvise ------------------------------------------------------------- */

static void expect_advice(struct trace_fill fill, enum advice advice)
{
	assert_int_equal(advice_of(&fill), advice);
}

static void advice_is_judged_by_what_went(void **state __attribute__((unused)))
{
	expect_advice((struct trace_fill){ .in = { 100 } }, ADVICE_NONE);
	/* Nothing was cached. */
	expect_advice((struct trace_fill){ .asked = 3 }, ADVICE_NONE);
	expect_advice((struct trace_fill){ .asked = 3, .mapped = 1 },
		      ADVICE_FAILED);
	expect_advice((struct trace_fill){ .in = { 100 }, .asked = 1 },
		      ADVICE_FAILED);
	expect_advice((struct trace_fill){ .in = { 100 }, .dropped = 9 },
		      ADVICE_FAILED);
	expect_advice((struct trace_fill){ .in = { 100 }, .dropped = 10 },
		      ADVICE_IN_PART);
	expect_advice((struct trace_fill){ .in = { 100 }, .dropped = 89 },
		      ADVICE_IN_PART);
	expect_advice((struct trace_fill){ .in = { 60, 40 }, .dropped = 90 },
		      ADVICE_WORKED);
	expect_advice((struct trace_fill){ .dropped = 1 }, ADVICE_WORKED);
}

static void advice_has_figures_and_reasons(void **state)
{
	struct fixture *fixture = *state;
	struct trace_fill asked[] = {
		{ .major = 8,
		  .process = 7,
		  .command = "restic",
		  .in = { 8 * MIB },
		  .dropped = 10 * MIB,
		  .out = 10 * MIB,
		  .asked = 8 },
		{ .major = 8,
		  .process = 8,
		  .command = "tar",
		  .in = { 0, 8 * MIB },
		  .asked = 8,
		  .dirty = 8 },
		{ .major = 8,
		  .process = 9,
		  .command = "rclone",
		  .in = { 8 * MIB },
		  .dropped = 4 * MIB,
		  .out = 4 * MIB,
		  .asked = 8,
		  .dirty = 1,
		  .mapped = 2 },
		{ .major = 8,
		  .process = 10,
		  .command = "dd",
		  .in = { MIB },
		  .asked = 1,
		  .mapped = 1 },
	};
	const struct trace_totals totals = { .fills = asked,
					     .count = COUNT_OF(asked),
					     .knows_how = true };

	assert_string_equal(
		text(fixture, &totals),
		"restic (7) brought in 8M from 8:0 and dropped 10M: its "
		"fadvise(DONTNEED) worked, and 2M that was cached before went "
		"too.\n"
		"tar (8) brought in 8M from 8:0 and dropped 0: its "
		"fadvise(DONTNEED) did not work: files were dirty or being "
		"written.\n"
		"rclone (9) brought in 8M from 8:0 and dropped 4M: its "
		"fadvise(DONTNEED) worked in part: files were being written, "
		"or mapped by a process.\n"
		"Others that called fadvise(DONTNEED): 1.\n");
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(
			whoever_brought_in_most_is_named, set_up, tear_down),
		cmocka_unit_test_setup_teardown(whoever_reclaimed_is_named,
						set_up, tear_down),
		cmocka_unit_test_setup_teardown(nobody_is_blamed_for_too_little,
						set_up, tear_down),
		cmocka_unit_test_setup_teardown(refaults_may_be_a_lower_bound,
						set_up, tear_down),
		cmocka_unit_test_setup_teardown(refaults_need_an_earlier_look,
						set_up, tear_down),
		cmocka_unit_test(advice_is_judged_by_what_went),
		cmocka_unit_test_setup_teardown(advice_has_figures_and_reasons,
						set_up, tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
