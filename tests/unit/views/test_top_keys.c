// SPDX-License-Identifier: GPL-2.0-or-later
/* The table of requests, the keys, and what they change of the model. */
#include <errno.h>
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/cleanup.h"
#include "lib/text_stream.h"
#include "memory/slab_caches.h"
#include "test.h"
#include "top/feed.h"
#include "top/keys.h"
#include "top/model.h"
#include "top/request.h"
#include "top/sheet.h"
#include "top/tab.h"
#include "who/who_rows.h"

/* Shows slab caches called a, b, c... with these sizes, in pages. */
static void show(struct model *model, const int64_t *pages, size_t count,
		 int64_t taken_ns)
{
	struct slab_row caches[16] = { 0 };
	const struct tab_rows rows = {
		.table = TABLE_ROWS(caches, count),
	};
	struct sheet sheet;
	struct error err;
	char *data;
	size_t size;

	for (size_t i = 0; i < count; i++) {
		caches[i].cache.name[0] = (char)('a' + i);
		caches[i].cache.pages = pages[i];
		caches[i].page_size = 4096;
	}
	assert_int_equal(
		sheet_pack(questions[QUESTION_SLAB], &rows, &data, &size), 0);
	assert_int_equal(sheet_unpack(&sheet, questions[QUESTION_SLAB], data,
				      size, &err),
			 0);
	sheet.taken_ns = taken_ns;
	assert_int_equal(view_take(&model->views[QUESTION_SLAB], &sheet), 0);
}

static void begin(struct model *model)
{
	static const int64_t pages[] = { 50, 40, 30, 20, 10 };

	model_init(model);
	model->is_live = true;
	model->tab = QUESTION_SLAB;
	show(model, pages, COUNT_OF(pages), 1000000000);
}

static enum action press(struct model *model, const char *keys)
{
	enum action action = ACTION_NONE;

	for (; *keys; keys++)
		action = model_key(model, (unsigned char)*keys);
	return action;
}

static const char *selected(struct model *model)
{
	const struct view *view = model_view(model);

	return view_row_name(view, view_selected(view));
}

static void expect_order(struct model *model, const char *expected)
{
	const struct view *view = model_view(model);
	char names[64] = "";

	for (size_t i = 0; i < view->count; i++)
		strcat(names, view_row_name(view, &view->rows[i]));
	assert_string_equal(names, expected);
}

static void each_request_has_a_key(void **state __attribute__((unused)))
{
	const struct request_row *row;

	for (size_t i = 0; (row = request_at(i)); i++) {
		/* Those without names are said with the row before. */
		assert_true(row->names ? *row->help && *row->names : i);
		assert_true(row->keys[0] || row->request == REQUEST_TAB);
		for (size_t j = 0; j < 4 && row->keys[j]; j++)
			assert_int_equal(
				request_of(row->keys[j],
					   request_is_of_replay(row->request)),
				row->request);
	}
	assert_int_equal(request_of('1', false), REQUEST_TAB);
	assert_int_equal(request_of('0' + QUESTION_TABS, false), REQUEST_TAB);
	assert_int_equal(request_of('0' + QUESTION_TABS + 1, false),
			 REQUEST_NONE);
	assert_int_equal(request_of('x', false), REQUEST_NONE);
}

/* The manual has an item for each request, in the same words. */
static void manual_has_the_keys(void **state __attribute__((unused)))
{
	FILE *file = fopen(FIXTURES "/../../src/man/bufstat-top.8", "r");
	_cleanup_(freep) char *manual = NULL;
	const struct request_row *row;
	size_t size = 0;

	assert_non_null(file);
	assert_true(getdelim(&manual, &size, '\0', file) > 0);
	fclose(file);
	for (size_t i = 0; (row = request_at(i)); i++) {
		char item[256] = ".It ";

		if (!row->names)
			continue;
		for (const char *c = row->names; *c; c++) {
			if (c[0] == ',' && c[1] == ' ')
				strcat(item, " ");
			strncat(item, c, 1);
		}
		sprintf(item + strlen(item), "\n%s\n", row->help);
		if (!strstr(manual, item))
			fail_msg("not in the manual: %s", item);
	}
}

static void moving(void **state __attribute__((unused)))
{
	struct model model;

	begin(&model);
	assert_string_equal(selected(&model), "a");
	press(&model, "k");
	assert_string_equal(selected(&model), "a");
	press(&model, "jj");
	assert_string_equal(selected(&model), "c");
	press(&model, "G");
	assert_string_equal(selected(&model), "e");
	press(&model, "j");
	assert_string_equal(selected(&model), "e");
	press(&model, "g");
	assert_string_equal(selected(&model), "a");
	model_deinit(&model);
}

/* It stays on its row when the rows move. */
static void selection_follows(void **state __attribute__((unused)))
{
	static const int64_t fewer[] = { 50, 40 };
	struct model model;

	begin(&model);
	press(&model, "j");
	press(&model, ">>>r");
	expect_order(&model, "edcba");
	assert_string_equal(selected(&model), "b");
	/* Those that are gone are shown for a while, after the others. */
	show(&model, fewer, COUNT_OF(fewer), 2000000000);
	assert_int_equal(model_view(&model)->count, 5);
	assert_string_equal(selected(&model), "b");
	for (int i = 0; i <= TREND_GONE_SHOWN; i++)
		show(&model, fewer, COUNT_OF(fewer), (3 + i) * 1000000000L);
	expect_order(&model, "ba");
	model_deinit(&model);
}

static void sorting(void **state __attribute__((unused)))
{
	struct model model;

	begin(&model);
	press(&model, ">");
	assert_string_equal(model_view(&model)->sorted_by->heading, "NAME");
	expect_order(&model, "abcde");
	press(&model, "r");
	expect_order(&model, "edcba");
	press(&model, ">");
	expect_order(&model, "abcde");
	press(&model, "<<");
	assert_string_equal(model_view(&model)->sorted_by->heading, "CHANGE/S");
	press(&model, "7>");
	assert_non_null(strstr(model.message, "only one order"));
	model_deinit(&model);
}

static void searching(void **state __attribute__((unused)))
{
	struct model model;

	begin(&model);
	press(&model, "/d\n");
	assert_string_equal(selected(&model), "d");
	press(&model, "/E");
	assert_string_equal(selected(&model), "d");
	press(&model, "\n");
	assert_string_equal(model.message, "no row has \"E\"");
	press(&model, "/a\177b\nn");
	assert_string_equal(selected(&model), "b");
	press(&model, "/z\033n");
	assert_string_equal(model.search, "b");
	model_deinit(&model);
}

static void rates(void **state __attribute__((unused)))
{
	static const int64_t more[] = { 50, 44, 30, 20, 10 };
	struct model model;
	struct column_value rate;

	begin(&model);
	rate = view_value(&model.views[QUESTION_SLAB],
			  model.views[QUESTION_SLAB].rows, &view_rate_column);
	assert_false(rate.known);
	show(&model, more, COUNT_OF(more), 3000000000);
	rate = view_value(&model.views[QUESTION_SLAB],
			  &model.views[QUESTION_SLAB].rows[1],
			  &view_rate_column);
	assert_true(rate.known);
	assert_int_equal(rate.number, 4 * 4096 / 2);
	model_deinit(&model);
}

/* The name has to be typed, and a captured host has nothing to drop. */
static void dropping(void **state __attribute__((unused)))
{
	struct model model;
	const struct cgroup_name {
		const char *typed;
		enum action action;
		enum mode mode;
	} cases[] = {
		{ "sdb\n", ACTION_NONE, MODE_TABLE },
		{ "\n", ACTION_NONE, MODE_TABLE },
		{ "sda\033", ACTION_NONE, MODE_TABLE },
		{ "sda\n", ACTION_DROP, MODE_TEXT },
	};

	begin(&model);
	assert_int_equal(press(&model, "D"), ACTION_NONE);
	assert_true(*model.message);
	for (size_t i = 0; i < COUNT_OF(cases); i++) {
		model.mode = MODE_DROP;
		*model.prompt = '\0';
		strcpy(model.target, "sda");
		assert_int_equal(press(&model, cases[i].typed),
				 cases[i].action);
		assert_int_equal(model.mode, cases[i].mode);
	}
	model.mode = MODE_TABLE;
	model.is_live = false;
	assert_int_equal(press(&model, "D"), ACTION_NONE);
	assert_non_null(strstr(model.message, "captured"));
	model_deinit(&model);
}

static void intervals(void **state __attribute__((unused)))
{
	struct model model;

	begin(&model);
	assert_int_equal(press(&model, "s2.5\n"), ACTION_INTERVAL);
	assert_true(model.seconds == 2.5);
	for (const char *const *bad =
		     (const char *const[]){ "s0\n", "s-1\n", "snan\n", "sx\n",
					    "s1x\n", NULL };
	     *bad; bad++) {
		assert_int_equal(press(&model, *bad), ACTION_NONE);
		assert_true(model.seconds == 2.5 && *model.message);
	}
	assert_int_equal(press(&model, "p"), ACTION_NONE);
	assert_true(model.paused);
	assert_int_equal(press(&model, "p"), ACTION_MEASURE);
	assert_int_equal(press(&model, "q"), ACTION_QUIT);
	model_deinit(&model);
}

/* Three readings at 10 s, a gap, two more, and the clock set back. */
static void begin_replay(struct model *model)
{
	static const int64_t seconds[] = { 0, 10, 20, 5000, 5010, 5020, 4000 };

	model_init(model);
	model->is_replay = true;
	model->steps.steps =
		calloc(COUNT_OF(seconds), sizeof(struct past_step));
	for (size_t i = 0; i < COUNT_OF(seconds); i++) {
		struct past_step *step = &model->steps.steps[i];

		step->real_ms = INT64_C(1790000000000) + seconds[i] * 1000;
		step->until_ms = step->real_ms + 60000;
	}
	model->steps.count = COUNT_OF(seconds);
}

static void stepping(void **state __attribute__((unused)))
{
	static const struct {
		const char *name;
		int key;
		enum action action;
		size_t step;
		const char *message;
	} cases[] = {
		{ "before the first", KEY_LEFT, ACTION_NONE, 0, "begins" },
		{ "next", KEY_RIGHT, ACTION_STEP, 1, "" },
		{ "an hour, to the end of the gap", '}', ACTION_STEP, 2, "" },
		{ "an hour in which nothing is", '}', ACTION_STEP, 3, "" },
		{ "an hour before", '{', ACTION_STEP, 2, "" },
		{ "another tab", '\t', ACTION_MEASURE, 2, "" },
		{ "pause", 'p', ACTION_NONE, 2, "by itself" },
		{ "interval", 's', ACTION_NONE, 2, "by itself" },
		{ "tree", 't', ACTION_NONE, 2, "no tree" },
		{ "drop", 'D', ACTION_NONE, 2, "in a recording" },
	};
	struct model model;

	begin_replay(&model);
	for (size_t i = 0; i < COUNT_OF(cases); i++) {
		enum action action = model_key(&model, cases[i].key);

		if (action != cases[i].action || model.step != cases[i].step ||
		    !strstr(model.message, cases[i].message))
			fail_msg("%s: action %d, step %zu, \"%s\"",
				 cases[i].name, action, model.step,
				 model.message);
	}
	model.step = 6;
	assert_int_equal(model_key(&model, KEY_RIGHT), ACTION_NONE);
	assert_non_null(strstr(model.message, "ends"));
	model_deinit(&model);
}

/* Of a time that the clock showed twice, the last one counts. */
static void going_to_a_time(void **state __attribute__((unused)))
{
	struct model model;

	begin_replay(&model);
	press(&model, "@@1790000015\n");
	assert_int_equal(model.step, 1);
	assert_string_equal(model.message, "");
	press(&model, "@@1790004500\n");
	assert_int_equal(model.step, 6);
	assert_non_null(strstr(model.message, "last earlier reading"));
	press(&model, "@@1\n");
	assert_int_equal(model.step, 0);
	assert_non_null(strstr(model.message, "first reading"));
	assert_int_equal(press(&model, "@25:00\n"), ACTION_NONE);
	assert_non_null(strstr(model.message, "not a time"));
	model_deinit(&model);
}

static void gaps_show(void **state __attribute__((unused)))
{
	static const int64_t missing_s[] = { 0, 0, 0, 4980, 0, 0, -1020 };
	struct model model;

	begin_replay(&model);
	for (size_t i = 0; i < COUNT_OF(missing_s); i++) {
		model.step = i;
		assert_int_equal(model_missing_ms(&model), missing_s[i] * 1000);
	}
	model_deinit(&model);
}

/* No cut or changed byte does harm; a cut one is noticed. */
static void sheets_that_are_cut(void **state __attribute__((unused)))
{
	const struct slab_row caches[] = { { .cache.name = "a" },
					   { .cache.name = "b" } };
	const size_t parents[] = { TABLE_NO_PARENT, 0 };
	struct tab_rows rows = {
		.table = { .rows = caches,
			   .count = COUNT_OF(caches),
			   .size = sizeof(*caches),
			   .parents = parents },
	};
	_cleanup_(freep) char *data = NULL;
	struct sheet sheet;
	struct error err;
	size_t size;

	string_list_add(&rows.notes, "a note");
	assert_int_equal(
		sheet_pack(questions[QUESTION_SLAB], &rows, &data, &size), 0);
	for (size_t i = 0; i < size; i++) {
		assert_int_equal(sheet_unpack(&sheet, questions[QUESTION_SLAB],
					      memcpy(malloc(i ?: 1), data, i),
					      i, &err),
				 -EBADMSG);
		sheet_deinit(&sheet);
	}
	for (size_t i = 0; i < 8 * size; i++) {
		char *copy = memcpy(malloc(size), data, size);

		copy[i / 8] = (char)(copy[i / 8] ^ 1 << i % 8);
		sheet_unpack(&sheet, questions[QUESTION_SLAB], copy, size,
			     &err);
		/* A tree has no end if a row can be below itself. */
		for (size_t j = 0; j < sheet.count; j++)
			assert_true(sheet.rows[j].parent == TABLE_NO_PARENT ||
				    sheet.rows[j].parent < j);
		sheet_deinit(&sheet);
	}
	string_list_deinit(&rows.notes);
}

/* What a process sends in place of an answer is known by its kind and size. */
static void errors_are_sent(void **state __attribute__((unused)))
{
	struct error sent = { 0 }, got = { 0 };
	const char *bytes = (const char *)&sent;

	error_remedy(&sent,
		     error_doing(&sent, ERROR_UNUSABLE, "reading", "a file",
				 "not there"),
		     "make one");
	assert_false(feed_is_error(FEED_ANSWER, bytes, sizeof(sent), &got));
	assert_false(feed_is_error(FEED_ERROR, bytes, sizeof(sent) - 1, &got));
	assert_true(feed_is_error(FEED_ERROR, bytes, sizeof(sent), &got));
	assert_string_equal(text_of(&got),
			    "reading: a file: not there (make one)");
}

/*
 * A row of a tab that follows has a key that begins with its process. It ends
 * with as much of the cgroup as there is room for.
 */
static void keys_of_who(void **state __attribute__((unused)))
{
	const struct who_cache disk = { .number = "4294967295:4294967295",
					.is_bdev = true };
	const struct who_cache files = { .number = "8:1" };
	struct trace_fill fill = { .process = 4294967295,
				   .command = "fifteen-letters" };
	const struct who_row list[] = {
		{ .cache = &files, .fill = &fill, .cgroup = "/a" },
		{ .cache = &disk, .fill = &fill, .cgroup = "/a/long/cgroup" },
		{ .cache = &files, .fill = &fill, .foreign_pid = true },
		{ .cache = &disk },
	};
	static const char *const keys[] = {
		"4294967295 8:1 files fifteen-letters /a",
		"4294967295 4294967295:4294967295 device fifteen-letters /a/long",
		"0 8:1 files fifteen-letters ",
		"0 4294967295:4294967295 device  ",
	};
	const struct table_rows rows = TABLE_ROWS(list, 4);
	char text[TAB_KEY_SIZE];

	for (size_t i = 0; i < COUNT_OF(keys); i++)
		assert_string_equal(questions[QUESTION_WHO]->key(&rows, i, text,
								 sizeof(text)),
				    keys[i]);
}

static void sparklines(void **state __attribute__((unused)))
{
	static const int64_t figures[] = { 0, 7, TREND_ABSENT, 14 };
	static const int64_t others[] = { -7, 0, 7, 95300, 95344 };
	struct trends trends = { 0 };
	char text[64];

	for (size_t i = 0; i < COUNT_OF(figures); i++) {
		assert_int_equal(trends_begin(&trends, (int64_t)i), 0);
		assert_int_equal(trends_add(&trends, "k", "name", figures[i]),
				 0);
	}
	trend_line(&trends, trends_find(&trends, "k"), 10, true, text);
	assert_string_equal(text, "▁▅ █");
	trend_line(&trends, trends_find(&trends, "k"), 2, true, text);
	assert_string_equal(text, " █");
	trend_line(&trends, trends_find(&trends, "k"), 10, false, text);
	assert_string_equal(text, "_- '");
	/* From 0: growth by little is no bar. */
	for (size_t i = 0; i < COUNT_OF(others); i++) {
		assert_int_equal(trends_begin(&trends, (int64_t)i), 0);
		assert_int_equal(trends_add(&trends, "o", "name", others[i]),
				 0);
	}
	trend_line(&trends, trends_find(&trends, "o"), 2, true, text);
	assert_string_equal(text, "██");
	trend_line(&trends, trends_find(&trends, "o"), 5, true, text);
	assert_string_equal(text, "▁▁▁██");
	assert_null(trends_find(&trends, "other"));
	trends_deinit(&trends);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_request_has_a_key),
		cmocka_unit_test(manual_has_the_keys),
		cmocka_unit_test(moving),
		cmocka_unit_test(selection_follows),
		cmocka_unit_test(sorting),
		cmocka_unit_test(searching),
		cmocka_unit_test(rates),
		cmocka_unit_test(dropping),
		cmocka_unit_test(intervals),
		cmocka_unit_test(stepping),
		cmocka_unit_test(going_to_a_time),
		cmocka_unit_test(gaps_show),
		cmocka_unit_test(sheets_that_are_cut),
		cmocka_unit_test(errors_are_sent),
		cmocka_unit_test(keys_of_who),
		cmocka_unit_test(sparklines),
	};

	setlocale(LC_ALL, "C.UTF-8");
	return cmocka_run_group_tests(tests, NULL, NULL);
}
