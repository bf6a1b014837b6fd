// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cgroups/cgroup_rows.h"
#include "cgroups/cgroups.h"
#include "filesystems/selection.h"
#include "lib/lack.h"
#include "test.h"
#include "tree.h"
#include "worker/patience.h"

static void expect(const struct cgroup_figures *figures,
		   enum cgroup_figure figure, uint64_t value)
{
	assert_true(cgroup_has(figures, figure));
	assert_int_equal(figures->values[figure], value);
}

static void the_lines_of_stat(void **state __attribute__((unused)))
{
	static const char text[] = "anon 4096\n"
				   "file 8192\n"
				   "kernel_stack 16384\n"
				   "file_mapped nothing\n"
				   "shmem -1\n"
				   "file_dirty 99999999999999999999\n"
				   "slab_reclaimable 5\n"
				   "slab 7\n"
				   "inactive_file 12";
	struct cgroup_figures figures = { 0 };

	cgroup_parse_stat(&figures, CGROUP_V2, text);
	expect(&figures, CGROUP_ANON, 4096);
	expect(&figures, CGROUP_FILE, 8192);
	expect(&figures, CGROUP_KERNEL_STACK, 16384);
	expect(&figures, CGROUP_SLAB, 7);
	expect(&figures, CGROUP_SLAB_RECLAIMABLE, 5);
	expect(&figures, CGROUP_INACTIVE_FILE, 12);
	/* No line is "kernel" alone, and what is no number is absent. */
	assert_false(cgroup_has(&figures, CGROUP_KERNEL));
	assert_false(cgroup_has(&figures, CGROUP_MAPPED));
	assert_false(cgroup_has(&figures, CGROUP_SHMEM));
	assert_false(cgroup_has(&figures, CGROUP_DIRTY));

	figures = (struct cgroup_figures){ 0 };
	cgroup_parse_stat(&figures, CGROUP_V1,
			  "cache 1\ntotal_cache 2\n"
			  "hierarchical_memory_limit 70000\n"
			  "hierarchical_memsw_limit 9223372036854771712\n");
	expect(&figures, CGROUP_FILE, 2);
	expect(&figures, CGROUP_MAX_ABOVE, 70000);
	assert_false(cgroup_has(&figures, CGROUP_MEMSW_MAX_ABOVE));
}

static void events(void **state __attribute__((unused)))
{
	struct cgroup_figures figures = { 0 };

	cgroup_parse_events(&figures, "low 1\nhigh 2\nmax 3\noom 4\n"
				      "oom_kill 5\noom_group_kill 6\n");
	expect(&figures, CGROUP_LOW_EVENTS, 1);
	expect(&figures, CGROUP_HIGH_EVENTS, 2);
	expect(&figures, CGROUP_MAX_EVENTS, 3);
	expect(&figures, CGROUP_OOM_EVENTS, 4);
	expect(&figures, CGROUP_OOM_KILLS, 5);
}

static void pressure(void **state __attribute__((unused)))
{
	static const char *const bad[] = {
		"",
		"some",
		"some avg10=",
		"some avg10=x",
		"some avg10=1",
		"some avg10=101.00",
		"full avg10=1.x",
	};
	struct cgroup_figures figures = { 0 };

	cgroup_parse_pressure(
		&figures, "some avg10=1.05 avg60=2.00 avg300=3.00 total=4\n"
			  "full avg10=0.50 avg60=0.00 avg300=0.00 total=0\n");
	expect(&figures, CGROUP_SOME, 105);
	expect(&figures, CGROUP_FULL, 50);
	for (size_t i = 0; i < COUNT_OF(bad); i++) {
		figures = (struct cgroup_figures){ 0 };
		cgroup_parse_pressure(&figures, bad[i]);
		assert_int_equal(figures.present, 0);
	}
}

static void nodes(void **state __attribute__((unused)))
{
	static const struct {
		const char *text;
		uint64_t nodes; /* 0: absent */
	} cases[] = {
		{ "0\n", 1 },
		{ "0-1,3\n", 0xb },
		{ "63", UINT64_C(1) << 63 },
		{ "0-63\n", UINT64_MAX },
		{ "\n", 0 },
		{ "64\n", 0 },
		{ "0-64\n", 0 },
		{ "1-\n", 0 },
		{ "x\n", 0 },
		{ "1x\n", 0 },
	};

	for (size_t i = 0; i < COUNT_OF(cases); i++) {
		struct cgroup_figures figures = { 0 };

		cgroup_parse_nodes(&figures, cases[i].text);
		assert_int_equal(figures.values[CGROUP_NODES], cases[i].nodes);
		assert_int_equal(cgroup_has(&figures, CGROUP_NODES),
				 cases[i].nodes != 0);
	}
}

static int set_up(void **state)
{
	static struct tree_fixture fixture;

	tree_create(&fixture.tree);
	tree_add_text(&fixture.tree, "proc/self/mountinfo",
		      "20 1 0:20 / /cg rw - cgroup2 none rw\n");
	tree_add_text(&fixture.tree, "cg/cgroup.controllers", "cpu memory\n");
	assert_int_equal(sysroot_init(&fixture.root, fixture.tree.path, NULL),
			 0);
	*state = &fixture;
	return 0;
}

static void add(struct tree_fixture *fixture, const char *path,
		const char *current)
{
	char file[128];

	snprintf(file, sizeof(file), "cg%s/memory.current", path);
	tree_add_text(&fixture->tree, file, current);
}

static void the_order_of_a_tree(void **state)
{
	static const char *const expected[] = {
		"/",	  "/big",   "/big/x", "/big/x/y",
		"/big/z", "/big/a", "/small", "/small/.dot",
	};
	static const size_t parents[] = { CGROUP_NONE, 0, 1, 2, 1, 1, 0, 6 };
	struct tree_fixture *fixture = *state;
	struct cgroups cgroups;

	add(fixture, "/small", "10\n");
	add(fixture, "/small/.dot", "1\n");
	add(fixture, "/big", "100\n");
	/* The parts of a busy cgroup may exceed the whole. */
	add(fixture, "/big/a", "20\n");
	add(fixture, "/big/z", "30\n");
	add(fixture, "/big/x", "51\n");
	add(fixture, "/big/x/y", "50\n");
	assert_int_equal(cgroups_read(&cgroups, &fixture->root, NULL), 0);
	assert_int_equal(cgroups.count, COUNT_OF(expected));
	for (size_t i = 0; i < COUNT_OF(expected); i++) {
		assert_string_equal(cgroups.cgroups[i].path, expected[i]);
		assert_int_equal(cgroups.cgroups[i].parent, parents[i]);
	}
	assert_false(cgroups.cgroups[0].has_own);
	assert_false(cgroups.cgroups[1].has_own);
	assert_true(cgroups.cgroups[2].has_own);
	assert_int_equal(cgroups.cgroups[2].own_bytes, 1);
	assert_int_equal(cgroups.cgroups[3].own_bytes, 50);
	assert_true(cgroups.cgroups[6].has_children);
	assert_false(cgroups.cgroups[7].has_children);
	assert_true(cgroups_is_below(&cgroups, 3, 1));
	assert_true(cgroups_is_below(&cgroups, 3, 3));
	assert_false(cgroups_is_below(&cgroups, 6, 1));
	assert_true(cgroups_are_whole(&cgroups));
	cgroups_deinit(&cgroups);
}

/* A link leads nowhere, and a file that cannot be read makes it incomplete. */
static void what_cannot_be_read(void **state)
{
	struct tree_fixture *fixture = *state;
	struct cgroups cgroups;

	add(fixture, "/good", "1\n");
	tree_add_text(&fixture->tree, "cg/good/memory.max", "max\n");
	tree_add_text(&fixture->tree, "cg/good/memory.high", "5\n");
	tree_add_link(&fixture->tree, "cg/bad/memory.current",
		      "../good/memory.current");
	tree_add_text(&fixture->tree, "cg/bad/below/memory.current", "1\n");
	assert_int_equal(cgroups_read(&cgroups, &fixture->root, NULL), 0);
	assert_int_equal(cgroups.count, 3);
	assert_int_equal(cgroups.unread, 1);
	assert_int_equal(cgroups.error, ELOOP);
	assert_false(cgroups_are_whole(&cgroups));
	assert_string_equal(cgroups.cgroups[1].path, "/good");
	assert_false(cgroup_has(&cgroups.cgroups[1].figures, CGROUP_MAX));
	expect(&cgroups.cgroups[1].figures, CGROUP_HIGH, 5);
	assert_false(cgroup_has(&cgroups.cgroups[2].figures, CGROUP_CURRENT));
	cgroups_deinit(&cgroups);
}

/* Nor does it pass for one without a limit, or with much left of it. */
static void what_is_no_figure(void **state)
{
	static const struct {
		const char *current, *max;
		int error;
	} cases[] = {
		{ "12x34\n", "9000\n", EBADMSG },
		{ "", "9000\n", EBADMSG },
		{ "5\n", "", EBADMSG },
		{ "5\n", "maximum\n", EBADMSG },
		{ NULL, "9000\n", ENODATA },
		{ NULL, "max\n", 0 },
		{ "5\r\n", "max\r\n", 0 },
	};
	struct tree_fixture *fixture = *state;

	for (size_t i = 0; i < COUNT_OF(cases); i++) {
		struct cgroup_sample sample;

		tree_fixture_tear_down(state);
		set_up(state);
		tree_add_text(&fixture->tree, "cg/a/memory.max", cases[i].max);
		if (cases[i].current)
			add(fixture, "/a", cases[i].current);
		assert_int_equal(
			cgroup_sample_take(&sample, &fixture->root, NULL), 0);
		assert_int_equal(sample.cgroups.count, 2);
		assert_int_equal(sample.cgroups.error, cases[i].error);
		assert_int_equal(sample.cgroups.unread, cases[i].error != 0);
		assert_int_equal(sample.cgroups.cgroups[1].is_read,
				 cases[i].error == 0);
		assert_int_equal(sample.limits.cgroups[1].nearest.kind,
				 LIMIT_NONE);
		cgroup_sample_deinit(&sample);
	}
}

static void the_time_is_over(void **state)
{
	struct tree_fixture *fixture = *state;
	struct patience patience = { .seconds = 1, .began_ns = 1 };
	struct cgroups cgroups;
	struct error err;

	add(fixture, "/one", "1\n");
	fixture->root.patience = &patience;
	assert_int_equal(cgroups_read(&cgroups, &fixture->root, &err), -ETIME);
	assert_true(cgroups.is_cut_short);
	cgroups_deinit(&cgroups);
	patience = (struct patience){ .seconds = 1000 };
	patience_begin(&patience);
	assert_int_equal(cgroups_read(&cgroups, &fixture->root, &err), 0);
	assert_false(cgroups.is_cut_short);
	cgroups_deinit(&cgroups);
	fixture->root.patience = NULL;
}

static void hierarchies(void **state)
{
	struct tree_fixture *fixture = *state;
	const struct tree *tree = &fixture->tree;
	struct hierarchy found;
	struct error err;

	/* Version 2 has another controller, version 1 has memory. */
	tree_add_text(tree, "cg/cgroup.controllers", "cpu memory_not\n");
	assert_int_equal(hierarchy_find(&found, &fixture->root, &err),
			 -EOPNOTSUPP);
	assert_string_equal(
		text_of(&err),
		"looking for cgroups: /cg: the memory controller is not "
		"enabled (on the kernel's command line: "
		"cgroup_enable=memory)");
	tree_add_text(tree, "proc/self/mountinfo",
		      "20 1 0:20 / /cg rw - cgroup2 none rw\n"
		      "21 1 0:21 / /cpu rw - cgroup none rw,cpu\n"
		      "22 1 0:22 / /other rw - tmpfs none rw\n"
		      "23 1 0:23 / /a\\040b rw - cgroup none rw,memory\n");
	tree_add_text(tree, "cpu/cpu.shares", "1024\n");
	tree_add_text(tree, "other/memory.usage_in_bytes", "1\n");
	tree_add_text(tree, "a b/memory.usage_in_bytes", "1\n");
	assert_int_equal(hierarchy_find(&found, &fixture->root, &err), 0);
	assert_int_equal(found.version, CGROUP_V1);
	assert_string_equal(found.mount, "/a b");
	assert_string_equal(found.pressure, "/cg");

	tree_add_text(tree, "cg/cgroup.controllers", "cpu memory\n");
	assert_int_equal(hierarchy_find(&found, &fixture->root, &err), 0);
	assert_int_equal(found.version, CGROUP_V2);
	assert_string_equal(found.mount, "/cg");
}

/* A host on which each reason holds, and the same without what makes it hold. */
static void why_there_is_none(void **state)
{
	static const struct {
		const char *mounts, *controllers; /* of /cg */
		bool is_v1; /* /v1 has the files of version 1 */
		enum lack lack;
	} hosts[] = {
		{ "", NULL, false, LACK_CGROUPS },
		{ "20 1 0:20 / /cg rw - tmpfs none rw\n", "memory\n", false,
		  LACK_CGROUPS },
		{ "20 1 0:20 / /no rw - cgroup2 none rw\n", NULL, false,
		  LACK_CGROUPS_IN_TREE },
		{ "20 1 0:20 / /no rw - cgroup none rw\n", NULL, false,
		  LACK_CGROUPS_IN_TREE },
		{ "20 1 0:20 / /cg rw - cgroup2 none rw\n", "cpu\n", false,
		  LACK_MEMORY_CONTROLLER },
		{ "20 1 0:20 / /v1 rw - cgroup none rw\n", NULL, true,
		  LACKS_NOTHING },
		{ "20 1 0:20 / /cg rw - cgroup2 none rw\n", "memory\n", false,
		  LACKS_NOTHING },
	};
	struct tree_fixture *fixture = *state;
	const struct tree *tree = &fixture->tree;

	for (size_t i = 0; i < COUNT_OF(hosts); i++) {
		struct hierarchy found;
		struct error err = { 0 };

		tree_add_text(tree, "proc/self/mountinfo", hosts[i].mounts);
		tree_add_text(tree, "cg/cgroup.controllers",
			      hosts[i].controllers ?: "cpu\n");
		if (hosts[i].is_v1)
			tree_add_text(tree, "v1/memory.usage_in_bytes", "1\n");
		assert_int_equal(hierarchy_find(&found, &fixture->root, &err),
				 hosts[i].lack ? -EOPNOTSUPP : 0);
		assert_int_equal(err.lack, hosts[i].lack);
		/* What is in no tree is mounted by no command. */
		assert_int_equal(*err.remedy != 0,
				 err.lack == LACK_CGROUPS ||
					 err.lack == LACK_MEMORY_CONTROLLER);
	}
}

static const struct cgroup_row *row_at(const struct cgroup_answer *answer,
				       size_t i)
{
	return rows_at(&answer->head.rows, i);
}

static void rows_of_some(void **state)
{
	static char *paths[] = { (char *)"big/x/", (char *)"/cg/small",
				 (char *)"/bi" };
	struct tree_fixture *fixture = *state;
	struct selection selection;
	struct asking asking = { .root = &fixture->root,
				 .selection = &selection,
				 .is_tree = true };
	struct cgroup_answer *last, *answer;
	const size_t *parents;
	struct error err;

	add(fixture, "/small", "10\n");
	add(fixture, "/big", "100\n");
	add(fixture, "/big/x", "50\n");
	add(fixture, "/big/x/y", "50\n");
	assert_int_equal(selection_init(&selection, SELECTS_CGROUPS,
					&fixture->root, paths, 3, &err),
			 0);
	assert_int_equal(question_ask(&cgroup_question, (void **)&last, &asking,
				      &err),
			 0);
	asking.last = last;
	assert_int_equal(question_ask(&cgroup_question, (void **)&answer,
				      &asking, &err),
			 0);
	parents = answer->head.rows.parents;
	assert_int_equal(answer->head.rows.count, 3);
	assert_string_equal(row_at(answer, 0)->shown, "/big/x");
	assert_int_equal(parents[0], TABLE_NO_PARENT);
	assert_string_equal(row_at(answer, 1)->shown, "y");
	assert_int_equal(parents[1], 0);
	assert_string_equal(row_at(answer, 2)->shown, "/small");
	assert_int_equal(parents[2], TABLE_NO_PARENT);
	assert_true(row_at(answer, 2)->has_change);
	assert_int_equal(row_at(answer, 2)->change_bytes, 0);
	question_release(&cgroup_question, answer);
	question_release(&cgroup_question, last);
	assert_true(selection.list[0].met && selection.list[1].met);
	assert_false(selection.list[2].met);
	selection_deinit(&selection);
}

static struct column_value value_of(const struct cgroup_row *row,
				    const char *heading)
{
	const struct column *column =
		column_find(&cgroup_columns, heading, strlen(heading), NULL);

	assert_non_null(column);
	return column_get(column, row);
}

static void expect_column(const struct cgroup_row *row, const char *heading,
			  int64_t expected)
{
	struct column_value value = value_of(row, heading);

	assert_true(value.known);
	assert_int_equal(value.number, expected);
}

/* Before Linux 5.18 there is no sum of kernel memory, but its parts are. */
static void kernel_memory_without_a_sum(void **state)
{
	struct tree_fixture *fixture = *state;
	const struct asking asking = { .root = &fixture->root };
	struct cgroup_answer *answer;
	struct error err;

	add(fixture, "/a", "5000\n");
	tree_add_text(&fixture->tree, "cg/a/memory.stat",
		      "kernel_stack 100\npagetables 20\npercpu 3\nsock 7000\n"
		      "slab_reclaimable 300\nslab 700\ninactive_file 1200\n");
	add(fixture, "/b", "4000\n");
	tree_add_text(&fixture->tree, "cg/b/memory.stat",
		      "kernel 900\nkernel_stack 100\nslab 700\n"
		      "inactive_file 4100\n");
	add(fixture, "/c", "3000\n");
	assert_int_equal(question_ask(&cgroup_question, (void **)&answer,
				      &asking, &err),
			 0);
	assert_int_equal(answer->head.rows.count, 4);
	expect_column(row_at(answer, 1), "KERNEL", 823);
	expect_column(row_at(answer, 1), "SLAB", 700);
	expect_column(row_at(answer, 1), "WORKING-SET", 3800);
	/* What has no counter is not known from the counters. */
	assert_false(value_of(row_at(answer, 1), "UNACCOUNTED").known);
	expect_column(row_at(answer, 2), "KERNEL", 900);
	/* They are not of one instant. */
	expect_column(row_at(answer, 2), "WORKING-SET", 0);
	assert_false(value_of(row_at(answer, 3), "KERNEL").known);
	assert_false(value_of(row_at(answer, 3), "SLAB").known);
	assert_false(value_of(row_at(answer, 3), "WORKING-SET").known);
	question_release(&cgroup_question, answer);
}

/* usage_in_bytes of the root leaves out what kmem has. */
static void the_root_of_version_1(void **state)
{
	struct tree_fixture *fixture = *state;
	const struct tree *tree = &fixture->tree;
	struct cgroups cgroups;

	tree_add_text(tree, "proc/self/mountinfo",
		      "20 1 0:20 / /v1 rw - cgroup none rw,memory\n");
	tree_add_text(tree, "v1/memory.usage_in_bytes", "70000000\n");
	tree_add_text(tree, "v1/memory.kmem.usage_in_bytes", "40000000\n");
	tree_add_text(tree, "v1/memory.stat",
		      "total_cache 50000000\ntotal_rss 20000000\n");
	tree_add_text(tree, "v1/a/memory.usage_in_bytes", "90000000\n");
	assert_int_equal(cgroups_read(&cgroups, &fixture->root, NULL), 0);
	expect(&cgroups.cgroups[0].figures, CGROUP_CURRENT, 110000000);
	assert_true(cgroups.cgroups[0].has_own);
	assert_int_equal(cgroups.cgroups[0].own_bytes, 20000000);
	assert_int_equal(cgroups.excess_bytes, 0);
	cgroups_deinit(&cgroups);

	/* Elsewhere, kernel memory is in it. */
	tree_add_text(tree, "v1/a/memory.kmem.usage_in_bytes", "80000000\n");
	tree_add_text(tree, "v1/a/memory.stat", "total_rss 50000000\n");
	assert_int_equal(cgroups_read(&cgroups, &fixture->root, NULL), 0);
	expect(&cgroups.cgroups[1].figures, CGROUP_CURRENT, 90000000);
	cgroups_deinit(&cgroups);
}

/* What the root's memory.stat says of limits above it, by the kernel's age. */
static void expect_above(const struct tree_fixture *fixture,
			 const char *mounted, const char *dirty, bool is_kept)
{
	const struct tree *tree = &fixture->tree;
	struct cgroups cgroups;
	char text[100];

	snprintf(text, sizeof(text),
		 "20 1 0:20 %s /v1 rw - cgroup none rw,memory\n", mounted);
	tree_add_text(tree, "proc/self/mountinfo", text);
	snprintf(text, sizeof(text),
		 "total_cache 5\n%shierarchical_memory_limit 90000\n", dirty);
	tree_add_text(tree, "v1/memory.usage_in_bytes", "70000\n");
	tree_add_text(tree, "v1/memory.stat", text);
	assert_int_equal(cgroups_read(&cgroups, &fixture->root, NULL), 0);
	assert_int_equal(cgroup_has(&cgroups.cgroups[0].figures,
				    CGROUP_MAX_ABOVE),
			 is_kept);
	cgroups_deinit(&cgroups);
}

static void nothing_is_above_the_root(void **state)
{
	expect_above(*state, "/", "", false);
	/* A container, and what may be one in a namespace. */
	expect_above(*state, "/docker/1", "", true);
	expect_above(*state, "/", "total_dirty 0\n", true);
}

static void more_below_than_in_it(void **state)
{
	struct tree_fixture *fixture = *state;
	struct cgroup_sample sample;
	struct error err;

	add(fixture, "/a", "100000000\n");
	add(fixture, "/a/b", "60000000\n");
	add(fixture, "/a/c", "45000000\n");
	assert_int_equal(cgroup_sample_take(&sample, &fixture->root, &err), 0);
	/* So much may have been charged meanwhile. */
	assert_int_equal(sample.cgroups.excess_bytes, 0);
	cgroup_sample_deinit(&sample);

	add(fixture, "/a/c", "50000000\n");
	assert_int_equal(cgroup_sample_take(&sample, &fixture->root, &err), 0);
	assert_int_equal(sample.cgroups.excess_bytes, 10000000);
	assert_string_equal(
		sample.cgroups.cgroups[sample.cgroups.exceeded].path, "/a");
	assert_false(cgroup_sample_is_whole(&sample));
	cgroup_sample_deinit(&sample);

	/* So may a part of it be more than all. */
	add(fixture, "/a/c", "1000000\n");
	tree_add_text(&fixture->tree, "cg/a/c/memory.stat",
		      "slab_reclaimable 5000000\n");
	assert_int_equal(cgroup_sample_take(&sample, &fixture->root, &err), 0);
	assert_int_equal(sample.cgroups.excess_bytes, 0);
	cgroup_sample_deinit(&sample);
	tree_add_text(&fixture->tree, "cg/a/c/memory.stat",
		      "slab_reclaimable 9000000\n");
	assert_int_equal(cgroup_sample_take(&sample, &fixture->root, &err), 0);
	assert_int_equal(sample.cgroups.excess_bytes, 8000000);
	assert_string_equal(
		sample.cgroups.cgroups[sample.cgroups.exceeded].path, "/a/c");
	cgroup_sample_deinit(&sample);

	/* In version 1, what is below may count for itself. */
	tree_add_text(&fixture->tree, "proc/self/mountinfo",
		      "20 1 0:20 / /v1 rw - cgroup none rw,memory\n");
	tree_add_text(&fixture->tree, "v1/memory.usage_in_bytes", "10\n");
	tree_add_text(&fixture->tree, "v1/a/memory.usage_in_bytes",
		      "90000000\n");
	assert_int_equal(cgroup_sample_take(&sample, &fixture->root, &err), 0);
	assert_int_equal(sample.cgroups.excess_bytes, 89999990);
	cgroup_sample_deinit(&sample);
	tree_add_text(&fixture->tree, "v1/memory.use_hierarchy", "0\n");
	assert_int_equal(cgroup_sample_take(&sample, &fixture->root, &err), 0);
	assert_int_equal(sample.cgroups.excess_bytes, 0);
	expect(&sample.cgroups.cgroups[0].figures, CGROUP_CURRENT, 10);
	assert_int_equal(sample.cgroups.cgroups[0].own_bytes, 10);
	cgroup_sample_deinit(&sample);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_lines_of_stat),
		cmocka_unit_test(events),
		cmocka_unit_test(pressure),
		cmocka_unit_test(nodes),
		cmocka_unit_test_setup_teardown(the_order_of_a_tree, set_up,
						tree_fixture_tear_down),
		cmocka_unit_test_setup_teardown(what_cannot_be_read, set_up,
						tree_fixture_tear_down),
		cmocka_unit_test_setup_teardown(what_is_no_figure, set_up,
						tree_fixture_tear_down),
		cmocka_unit_test_setup_teardown(the_time_is_over, set_up,
						tree_fixture_tear_down),
		cmocka_unit_test_setup_teardown(why_there_is_none, set_up,
						tree_fixture_tear_down),
		cmocka_unit_test_setup_teardown(hierarchies, set_up,
						tree_fixture_tear_down),
		cmocka_unit_test_setup_teardown(rows_of_some, set_up,
						tree_fixture_tear_down),
		cmocka_unit_test_setup_teardown(kernel_memory_without_a_sum,
						set_up, tree_fixture_tear_down),
		cmocka_unit_test_setup_teardown(nothing_is_above_the_root,
						set_up, tree_fixture_tear_down),
		cmocka_unit_test_setup_teardown(the_root_of_version_1, set_up,
						tree_fixture_tear_down),
		cmocka_unit_test_setup_teardown(more_below_than_in_it, set_up,
						tree_fixture_tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
