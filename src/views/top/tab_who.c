// SPDX-License-Identifier: GPL-2.0-or-later
#include <stdio.h>
#include <stdlib.h>
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

/* ---- live ---------------------------------------------------------------- */

static int report_now(struct tracing *tracing, const char *since,
		      tab_report_fn *report, void *data, struct error *err)
{
	_cleanup_(traced_deinit) struct traced traced = { 0 };
	struct tab_rows rows = { 0 };
	int ret = tracing_take(tracing, &traced, err);

	if (ret < 0)
		return ret;
	rows.table = rows_of_table(&traced.rows.head.rows);
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

static int trace(const struct tab_asking *question, double seconds,
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

static int follow(const struct tab_asking *question, double seconds,
		  tab_report_fn *report, void *data, struct error *err)
{
	if (!sysroot_is_live(question->root))
		return error_set(err, ERROR_UNUSABLE,
				 "a captured host has no processes to trace");
	return trace(question, seconds, report, data, err);
}

/* ---- as it was recorded -------------------------------------------------- */

/* The local time of day of a moment. */
static const char *clock_at(int64_t real_ms, char text[MOMENT_TEXT_SIZE])
{
	return moment_text(real_ms, text) + strlen("2026-11-23 ");
}

static int take_past(const struct tab_asking *question, struct tab_rows *rows,
		     struct error *err)
{
	/* Whole seconds, as --at has them. */
	const int64_t from_ms = question->at_ms / 1000 * 1000;
	const struct growth_span span = { .from_ms = from_ms,
					  .to_ms = from_ms + 1 };
	_cleanup_(selection_deinit) struct selection all;
	struct who_report *report = rows->past = calloc(1, sizeof(*report));
	char first[MOMENT_TEXT_SIZE], last[MOMENT_TEXT_SIZE];
	int ret = selection_init(&all, SELECTS_RECORDED, question->root, NULL,
				 0, err);

	if (!report)
		return error_errno(err, ENOMEM, "measuring", "who");
	if (!ret)
		ret = who_report_read(report, question->recording, &span, &all,
				      question->root->patience, err);
	if (ret < 0)
		return ret;
	rows->table = rows_of_table(&report->who.rows.head.rows);
	who_report_missing(report, tab_note_error, rows);
	ret = note_time(rows, report->growth.fills.engine,
			clock_at(report->who.from_ms, first),
			clock_at(report->who.to_ms, last));
	return ret < 0 ? error_errno(err, -ret, "measuring", "who") : 0;
}

static void release_past(void *past)
{
	struct who_report *report = past;

	who_report_deinit(report);
	free(report);
}

const struct tab_more tab_who = {
	.take_past = take_past,
	.release_past = release_past,
	.follow = follow,
};
