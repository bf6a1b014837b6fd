// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <stdio.h>

#include "cli/exit_code.h"
#include "lib/error.h"
#include "lib/sysroot.h"
#include "lib/utf8.h"
#include "store/recording.h"
#include "table/table.h"
#include "top/batch.h"
#include "top/replay.h"
#include "worker/patience.h"

/* A run of it. */
struct batch {
	const struct batch_options *options;
	struct told told;
};

static void tell_notes(struct batch *batch, const struct tab_rows *rows,
		       size_t first, size_t after)
{
	struct error err;

	for (size_t i = first; i < after; i++) {
		error_set(&err, ERROR_PARTIAL, "%s", rows->notes.strings[i]);
		told_print(&batch->told, &err);
	}
}

static void print_rows(struct batch *batch, const struct question *tab,
		       const struct tab_rows *rows)
{
	static const struct table_style style = { 0 };
	struct column_choice columns;
	int ret;

	column_choice_default(&columns, tab->columns);
	ret = table_print(stdout, &rows->table, &columns, &style);
	if (ret < 0) {
		struct error err;

		table_error(&err, ret, "the table");
		told_print(&batch->told, &err);
	}
}

static struct tab_asking question_of(const struct batch *batch,
				     const struct question *tab)
{
	return (struct tab_asking){
		.root = batch->options->work.root,
		.source = batch->options->work.source,
		.tree = tab->is_tree,
	};
}

/* Measures a tab and prints it. Returns 0 or a negative errno. */
static int print_tab(struct batch *batch, enum question_id id)
{
	const struct batch_options *options = batch->options;
	const struct question *tab = questions[id];
	const struct tab_asking question = question_of(batch, tab);
	struct tab_rows rows = { 0 };
	struct error err;
	int ret = tab_take(tab, &question, &rows, &err);

	/* The first note of cgroups is the line about the next limit. */
	if (!ret && id == QUESTION_CGROUPS) {
		safe_text_put(stdout, rows.notes.strings[0]);
		putchar('\n');
	}
	if (!ret && rows.holder && *rows.holder) {
		safe_text_put(stdout, rows.holder);
		putchar('\n');
	}
	if (!ret && (id == QUESTION_MEMORY || id == options->tab))
		print_rows(batch, tab, &rows);
	if (!ret)
		tell_notes(batch, &rows, id == QUESTION_CGROUPS,
			   rows.notes.count);
	else if (id == QUESTION_MEMORY || id == options->tab)
		told_print(&batch->told, &err);
	tab_release(tab, &rows);
	string_list_deinit(&rows.notes);
	return ret;
}

/*
 * Prints all that comes above the table of the tab. Returns 0, or an exit code
 * if memory could not be read.
 */
static int print_top(struct batch *batch)
{
	const struct sysroot *root = batch->options->work.root;
	char time[64];

	told_next(&batch->told);
	work_write_time(root, time, sizeof(time));
	printf("bufstat top - %s\n", time);
	if (print_tab(batch, QUESTION_MEMORY) < 0)
		return EXIT_FAILED;
	putchar('\n');
	/* Let the user read memory while the rest waits. */
	fflush(stdout);
	if (batch->options->tab != QUESTION_CGROUPS &&
	    print_tab(batch, QUESTION_CGROUPS) == 0)
		putchar('\n');
	return EXIT_OK;
}

static int print_sample(void *data)
{
	struct batch *batch = data;
	int code = print_top(batch);

	if (code == EXIT_OK && batch->options->tab != QUESTION_MEMORY)
		print_tab(batch, batch->options->tab);
	return code;
}

static int run_samples(struct batch *batch)
{
	struct interval interval = *batch->options->interval;

	if (!interval.count && !sysroot_is_live(batch->options->work.root))
		interval.count = 1;
	interval.repeats = interval.count != 1;
	return interval_run(&interval, batch->options->work.root->patience,
			    true, print_sample, batch);
}

/* A tab that follows, and what it has reported. */
struct reports {
	struct batch *batch;
	const struct question *tab;
	int count;
	int code; /* of the last one */
};

/* What is above the table is measured when the report is there. */
static void begin_report(struct reports *reports)
{
	struct patience *patience =
		reports->batch->options->work.root->patience;

	if (reports->count++)
		putchar('\n');
	patience_begin(patience);
	reports->code = print_top(reports->batch);
	patience_end(patience);
}

static int print_report(void *data, const struct tab_rows *rows)
{
	struct reports *reports = data;

	begin_report(reports);
	if (reports->code != EXIT_OK)
		return -ECANCELED;
	print_rows(reports->batch, reports->tab, rows);
	/* The last one says since when, which is nothing that is missing. */
	tell_notes(reports->batch, rows, 0, rows->notes.count - 1);
	return fflush(stdout) == EOF ||
			       reports->count ==
				       reports->batch->options->interval->count ?
		       -ECANCELED :
		       0;
}

static int run_reports(struct batch *batch)
{
	const struct question *tab = questions[batch->options->tab];
	const struct tab_asking question = question_of(batch, tab);
	struct reports reports = { .batch = batch, .tab = tab };
	struct error err;
	int ret = tab_more(tab)->follow(&question,
					batch->options->interval->seconds ?: 1,
					print_report, &reports, &err);

	if (ret < 0 && ret != -ECANCELED)
		told_print(&batch->told, &err);
	/* Memory can be shown where nothing can be traced. */
	if (ret < 0 && !reports.count)
		begin_report(&reports);
	return reports.code;
}

/* The filesystems and memory are recorded less often than the devices. */
static void print_age(const struct past_step *step, const struct past *past)
{
	char text[MOMENT_TEXT_SIZE];

	if (past->real_ms + PAST_SAME_READING_MS < step->real_ms)
		printf("as recorded at %s:\n",
		       moment_text(past->real_ms, text));
}

static int print_replayed(struct batch *batch, const struct question *tab,
			  int ret, struct replayed *replayed)
{
	if (!ret) {
		print_rows(batch, tab, &replayed->rows);
		tell_notes(batch, &replayed->rows, 0,
			   replayed->rows.notes.count);
	}
	replayed_release(replayed, tab);
	return ret;
}

static int print_run(struct batch *batch, const struct past_step *step,
		     const struct question *tab, struct error *err)
{
	const struct work_options *work = &batch->options->work;
	struct patience *patience = work->root->patience;
	struct past_run run = { 0 };
	struct replayed replayed;
	int ret = past_run_read(&run, work->recording,
				store_kind_of(tab->recorded), step, 1, patience,
				err);

	if (!ret) {
		ret = replayed_take(&replayed, tab, run.pasts, patience, err);
		if (!ret)
			print_age(step, run.pasts);
		ret = print_replayed(batch, tab, ret, &replayed);
	}
	past_run_deinit(&run);
	return ret;
}

/* Prints a tab as it was recorded. Returns 0 or a negative errno. */
static int print_past(struct batch *batch, const struct past_step *step,
		      enum question_id id)
{
	const struct work_options *work = &batch->options->work;
	const struct question *tab = questions[id];
	struct replayed replayed;
	struct error err;
	int ret;

	if (tab->recorded) {
		ret = print_run(batch, step, tab, &err);
	} else if (tab_more(tab)->follow) {
		ret = replayed_ask(&replayed, tab, work->recording,
				   step->real_ms, work->root->patience, &err);
		ret = print_replayed(batch, tab, ret, &replayed);
	} else {
		ret = replay_refuse(tab, &err);
	}
	if (ret < 0)
		told_print(&batch->told, &err);
	return ret;
}

static void print_step(struct batch *batch, const struct past_step *step)
{
	const enum question_id tab = batch->options->tab;
	char text[MOMENT_TEXT_SIZE];

	patience_begin(batch->options->work.root->patience);
	told_next(&batch->told);
	printf("bufstat top - %s\n", moment_text(step->real_ms, text));
	if (print_past(batch, step, QUESTION_MEMORY) == 0 &&
	    tab != QUESTION_MEMORY)
		putchar('\n');
	if (tab != QUESTION_MEMORY)
		print_past(batch, step, tab);
}

/* Prints one reading after the other, until the recording ends. */
static int run_replay(struct batch *batch)
{
	const struct work_options *work = &batch->options->work;
	size_t left = (size_t)batch->options->interval->count, first = 0;
	struct past_steps steps = { 0 };
	struct error err;
	int ret = past_steps_read(&steps, work->recording, work->root->patience,
				  &err);

	if (!ret && work->has_at) {
		first = past_steps_find(&steps, work->at_ms);
		if (!past_step_is_of(&steps.steps[first], work->at_ms))
			ret = recording_not_then(
				recording_shown(work->recording),
				"not recorded", steps.steps[0].real_ms,
				steps.steps[steps.count - 1].real_ms,
				past_steps_were_set_back(&steps), &err);
	}
	if (ret < 0)
		told_print(&batch->told, &err);
	if (!left || left > steps.count - first)
		left = steps.count - first;
	for (size_t i = 0; !ret && i < left && !ferror(stdout); i++) {
		if (i)
			putchar('\n');
		print_step(batch, &steps.steps[first + i]);
	}
	past_steps_deinit(&steps);
	return ret < 0 ? EXIT_FAILED : EXIT_OK;
}

int batch_run(const struct batch_options *options)
{
	struct batch batch = { .options = options };
	int code;

	if (options->work.recording)
		code = run_replay(&batch);
	else if (tab_more(questions[options->tab])->follow)
		code = run_reports(&batch);
	else
		code = run_samples(&batch);
	told_deinit(&batch.told);
	return code;
}
