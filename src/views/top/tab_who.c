// SPDX-License-Identifier: GPL-2.0-or-later
#include <stdio.h>
#include <string.h>

#include "cli/table_options.h"
#include "filesystems/selection.h"
#include "lib/cleanup.h"
#include "lib/error.h"
#include "lib/monotonic.h"
#include "lib/sysroot.h"
#include "recorded/who_report.h"
#include "top/tab.h"
#include "who/tracing.h"
#include "who/watch.h"
#include "worker/patience.h"

/* Says when that was traced, after what is missing. Returns 0 or -ENOMEM. */
static int note_time(struct tab_rows *rows, const char *engine,
		     const char *first, const char *last)
{
	char text[128];

	snprintf(text, sizeof(text), "traced %s %s%s%s, by %s",
		 last ? "from" : "since", first, last ? " to " : "", last ?: "",
		 engine);
	return string_list_add(&rows->notes, text);
}

static void set_rows(struct tab_rows *rows, struct who_rows *who)
{
	static const struct column_order as_it_is = { 0 };

	who_rows_arrange(who, &as_it_is, 0);
	rows->table = TABLE_OF(who->rows, who->shown);
}

/* ---- live ---------------------------------------------------------------- */

static int report_now(struct tracing *tracing, const char *since,
		      tab_report_fn *report, void *data, struct error *err)
{
	_cleanup_(traced_deinit) struct traced traced = { 0 };
	struct tab_rows rows = { 0 };
	int ret = tracing_take(tracing, &traced, err);

	if (ret < 0)
		return ret;
	set_rows(&rows, &traced.rows);
	traced_missing(&traced, tab_note_error, &rows);
	ret = note_time(&rows, TRACE_ENGINE, since, NULL);
	if (rows.lacks_notes)
		ret = -ENOMEM;
	ret = ret ?: report(data, &rows);
	string_list_deinit(&rows.notes);
	return ret < 0 ? error_errno(err, -ret, "measuring", "who") : 0;
}

static int report_all(struct tracing *tracing, struct watch *watch,
		      double seconds, tab_report_fn *report, void *data,
		      struct error *err)
{
	const int64_t step_ns = watch_step_ns(seconds);
	int64_t due_ns = monotonic_ns() + step_ns;
	char since[MOMENT_TEXT_SIZE];
	enum watch_end end;
	sigset_t blocked;
	int ret = 0;

	clock_text(since);
	while (!ret && (end = watch_wait(watch, due_ns)) != WATCH_OVER) {
		if (end == WATCH_TICK) {
			tracing_tick(tracing);
			continue;
		}
		/* Whoever gets the report may take long. */
		sigprocmask(SIG_SETMASK, &watch->before, &blocked);
		ret = report_now(tracing, since, report, data, err);
		sigprocmask(SIG_SETMASK, &blocked, NULL);
		due_ns += step_ns;
	}
	return ret;
}

static int trace(const struct tab_question *question, double seconds,
		 tab_report_fn *report, void *data, struct error *err)
{
	_cleanup_(selection_deinit) struct selection all;
	_cleanup_(watch_deinit) struct watch watch = { .signals = -1 };
	_cleanup_(tracing_deinit) struct tracing tracing;
	int ret;

	/* It takes as long as the user looks. */
	patience_end(question->root->patience);
	ret = selection_init(&all, SELECTS_FILESYSTEMS, question->root, NULL, 0,
			     err);
	tracing_init(&tracing, question->root, question->source, &all);
	if (!ret)
		ret = watch_init(&watch, err);
	if (!ret)
		ret = tracing_open(&tracing, err);
	if (!ret)
		ret = tracing_begin(&tracing, err);
	return ret ?: report_all(&tracing, &watch, seconds, report, data, err);
}

static int follow(const struct tab_question *question, double seconds,
		  tab_report_fn *report, void *data, struct error *err)
{
	if (!sysroot_is_live(question->root))
		return error_set(err, ERROR_UNUSABLE,
				 "a captured host has no processes to trace");
	return trace(question, seconds, report, data, err);
}

/* ---- as it was recorded -------------------------------------------------- */

struct who_answer {
	struct answer head; /* its rows are those of the report */
	struct who_report report;
};

/* The local time of day of a moment. */
static const char *clock_at(int64_t real_ms, char text[MOMENT_TEXT_SIZE])
{
	return moment_text(real_ms, text) + strlen("2026-11-23 ");
}

static int take_past(const struct tab_question *question, struct tab_rows *rows,
		     struct error *err)
{
	/* Whole seconds, as --at has them. */
	const int64_t from_ms = question->at_ms / 1000 * 1000;
	const struct growth_span span = { .from_ms = from_ms,
					  .to_ms = from_ms + 1 };
	_cleanup_(selection_deinit) struct selection all;
	struct who_report *report = &((struct who_answer *)rows->data)->report;
	char first[MOMENT_TEXT_SIZE], last[MOMENT_TEXT_SIZE];
	int ret = selection_init(&all, SELECTS_RECORDED, question->root, NULL,
				 0, err);

	if (!ret)
		ret = who_report_read(report, question->recording, &span, &all,
				      question->root->patience, err);
	if (ret < 0)
		return ret;
	set_rows(rows, &report->who.rows);
	who_report_missing(report, tab_note_error, rows);
	ret = note_time(rows, report->growth.fills.engine,
			clock_at(report->who.from_ms, first),
			clock_at(report->who.to_ms, last));
	return ret < 0 ? error_errno(err, -ret, "measuring", "who") : 0;
}

static void who_answer_release(void *data)
{
	who_report_deinit(&((struct who_answer *)data)->report);
}

/*
 * A process, in a cache of one kind, of one device or filesystem. A recording
 * has commands of cgroups in place of processes.
 */
static const char *who_key(const struct table_rows *rows, size_t i, char *text,
			   size_t size)
{
	const struct who_row *row = table_row(rows, i);
	const struct trace_fill *fill = row->fill;

	snprintf(text, size, "%u %s %s %s %s",
		 fill && !row->foreign_pid ? fill->process : 0,
		 row->cache->number, row->cache->is_bdev ? "device" : "files",
		 fill ? fill->command : "", row->cgroup ?: "");
	return text;
}

static const struct question who_question = {
	.name = "who",
	.things = "who",
	.columns = &who_columns,
	.size = sizeof(struct who_answer),
	.release = who_answer_release,
	.figure = "in_bytes",
	.key = who_key,
};

const struct tab tab_who = {
	.question = &who_question,
	.is_flow = true,
	.shown = "NAME,CACHE,COMMAND,PID,CGROUP,IN,OUT,HOW",
	.take_past = take_past,
	.follow = follow,
};
