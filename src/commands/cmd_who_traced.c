// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <stdio.h>
#include <unistd.h>

#include "cli/exit_code.h"
#include "commands/cmd_who.h"
#include "commands/command.h"
#include "filesystems/selection.h"
#include "lib/cleanup.h"
#include "lib/error.h"
#include "lib/monotonic.h"
#include "lib/number.h"
#include "lib/sysroot.h"
#include "measure/provenance.h"
#include "table/table.h"
#include "trace/trace.h"
#include "who/run_program.h"
#include "who/tracing.h"
#include "who/verify.h"
#include "who/watch.h"
#include "who/who_fold.h"
#include "worker/reach.h"

/* A table has a row for each command that has more processes than this. */
#define MOST_PROCESSES 3

/* A run of the command. */
struct run {
	const struct who_options *options;
	struct tracing tracing;
	struct watch watch;
	struct told told;
	bool has_reported;
};

/* Prints what was lost or could not be measured. Returns the exit code. */
static int print_notes(struct run *run, const struct traced *traced)
{
	traced_missing(traced, told_print, &run->told);
	command_print_vain(run->tracing.selection);
	return traced_is_whole(traced) ? EXIT_OK : EXIT_PARTIAL;
}

/*
 * Scripts get each process unless they ask for less. Where a row is of several,
 * the table says of how many.
 */
static int arrange(const struct who_options *options, struct who_rows *rows,
		   struct table_options *table)
{
	enum table_format format = options->asked.table.style.format;
	size_t most = options->by == WHO_BY_COMMAND ? 1 : MOST_PROCESSES;
	int ret = 0;

	if (options->by == WHO_BY_COMMAND ||
	    (!options->by && !options->asked.common.json &&
	     format == TABLE_PLAIN))
		ret = who_rows_fold(rows, most);
	*table = options->asked.table;
	if (!ret && who_rows_are_folded(rows) && !table->columns_chosen &&
	    !options->asked.common.json)
		column_choice_parse(&table->columns, &who_columns,
				    who_folded_columns, NULL);
	if (!ret)
		ret = rows_arrange(&rows->head.rows, &who_row_kind,
				   &table->order, table->top, false);
	return ret;
}

/* Prints the JSON or, after sentences for people, the table. */
static int print(const struct run *run, const struct traced *traced,
		 const struct table_options *table)
{
	const struct who_options *options = run->options;
	const struct table_style style = table_options_style(table);
	const struct caches *caches = &traced->caches;
	const struct document document = {
		.head = {
			.source = caches->has_devices ? caches->devices.source :
							NULL,
			.is_whole = traced_is_whole(traced),
		},
		.root = run->tracing.root,
		.answer = traced,
		.rows = rows_of_table(&traced->rows.head.rows),
		.columns = &table->columns,
	};
	int ret = 0;

	/* Scripts get rows alone. */
	if (!options->asked.common.json && style.format == TABLE_PLAIN &&
	    !style.no_headings) {
		ret = culprits_print(stdout, &traced->losses, style.unit);
		if (!ret)
			ret = advices_print(stdout, &traced->advices,
					    style.unit);
	}
	return ret ?: command_print_rows(&command_who, options, &document);
}

/* Prints one report with its errors, and returns its exit code. */
static int report(struct run *run)
{
	_cleanup_(traced_deinit) struct traced traced = { 0 };
	const struct who_options *options = run->options;
	struct table_options table;
	struct error err;
	int ret = tracing_take(&run->tracing, &traced, &err);

	told_next(&run->told);
	if (!ret && !options->asked.common.json) {
		if (run->has_reported)
			putchar('\n');
		if (options->asked.repeat.interval.repeats)
			table_options_print_clock(&options->asked.table);
	}
	run->has_reported = true;
	if (!ret) {
		ret = arrange(options, &traced.rows, &table);
		if (!ret)
			ret = print(run, &traced, &table);
		if (ret < 0)
			table_error(&err, ret, "the table");
	}
	if (ret < 0) {
		error_print(&err);
		return EXIT_FAILED;
	}
	/* main() reports a failure, unless the reader has gone away. */
	fflush(stdout);
	return print_notes(run, &traced);
}

/*
 * Reports until the end. A program is waited for, also after the last report.
 * Returns the exit code.
 */
static int run_reports(struct run *run)
{
	const struct interval *interval = &run->options->asked.repeat.interval;
	double seconds = interval->seconds > 0 ? interval->seconds : 1;
	const int64_t step_ns = watch_step_ns(seconds);
	int64_t due_ns = interval->repeats ? monotonic_ns() + step_ns :
					     INT64_MAX;
	int left = interval->count, code = EXIT_OK;
	bool is_over = false;

	while (!is_over) {
		enum watch_end end = watch_wait(&run->watch, due_ns);
		int reported;

		is_over = end == WATCH_OVER;
		if (end == WATCH_TICK) {
			tracing_tick(&run->tracing);
			continue;
		}
		if (due_ns == INT64_MAX && interval->repeats)
			continue;
		reported = report(run);
		if (reported != EXIT_OK)
			code = reported;
		due_ns += step_ns;
		if (reported == EXIT_FAILED || ferror(stdout) ||
		    (left && --left == 0)) {
			is_over |= !run->watch.program;
			due_ns = INT64_MAX;
		}
	}
	return code;
}

/* Tells a user who waits what goes on. */
static void print_start(const struct run *run)
{
	const struct who_options *options = run->options;

	if (!options->asked.repeat.interval.repeats &&
	    !options->asked.common.program && isatty(STDERR_FILENO))
		fprintf(stderr,
			"Tracing with %s. Ctrl-C ends it and prints "
			"the table.\n",
			TRACE_ENGINE);
}

/* Returns the exit code. */
static int trace(struct run *run)
{
	const struct who_options *options = run->options;
	char **program = options->asked.common.program;
	struct error err;
	int code = PROGRAM_NOT_RUN;
	int ret = tracing_begin(&run->tracing, &err);

	if (!ret && program) {
		ret = run_program_start(&options->asked.common,
					&run->watch.before,
					options->asked.common.json, NULL, &code,
					&err);
		run->watch.program = ret > 0 ? ret : 0;
	}
	if (ret < 0) {
		error_print(&err);
		return program ? code : exit_code_of(&err);
	}
	print_start(run);
	code = run_reports(run);
	return program ? run_program_code(run->watch.status) : code;
}

/* A device or filesystem that is there need not have been filled. */
static void accept_idle(struct selection *selection)
{
	for (size_t i = 0; i < selection->count; i++)
		selection->list[i].met |= selection->list[i].has_number;
}

static int open_all(struct run *run, struct error *err)
{
	int ret = watch_init(&run->watch, err);

	return ret < 0 ? ret : tracing_open(&run->tracing, err);
}

/* Returns the exit code. */
static int run_verify(const struct run *run)
{
	struct verified verified;
	struct error err;
	struct trace *trace = run->tracing.trace;
	const char *dir = run->options->dir;
	int ret;

	dir = dir ? dir : "/var/tmp";
	ret = reach("verifying", dir, &err);
	if (!ret)
		ret = verify(trace, dir, &verified, &err);
	if (!ret && verified_is_right(&verified)) {
		printf("%s counted %s of %s pages on this kernel\n",
		       TRACE_ENGINE, COUNT(verified.counted_pages),
		       COUNT(verified.expected_pages));
		return EXIT_OK;
	}
	if (!ret)
		error_doing(&err, EBADMSG, "verifying", TRACE_ENGINE,
			    "it counted %s of %s pages, and %llu events were "
			    "lost: do not rely on it on this kernel",
			    COUNT(verified.counted_pages),
			    COUNT(verified.expected_pages),
			    (unsigned long long)verified.lost_events);
	error_print(&err);
	return ret < 0 ? exit_code_of(&err) : EXIT_FAILED;
}

/* Returns the exit code. */
static int run_traced(struct run *run)
{
	const struct who_options *options = run->options;
	struct selection *selection = run->tracing.selection;
	struct error err;
	int code, ret;

	accept_idle(selection);
	/* A name of nothing is not waited for, but COMMAND may make it one. */
	if (!options->asked.common.program)
		command_print_vain(selection);
	if (selection_is_vain(selection))
		return selection->code;
	ret = open_all(run, &err);
	if (ret < 0) {
		code = exit_printing(&err);
	} else {
		code = options->verify ? run_verify(run) : trace(run);
	}
	if (!options->asked.common.program)
		return selection_code(selection, code);
	return ret < 0 ? PROGRAM_NOT_RUN : code;
}

int who_traced_run(const struct who_options *options,
		   const struct sysroot *root, struct selection *selection)
{
	struct run run = { .options = options, .watch.signals = -1 };
	int code;

	tracing_init(&run.tracing, root, options->asked.common.source,
		     selection);
	code = run_traced(&run);
	tracing_deinit(&run.tracing);
	watch_deinit(&run.watch);
	told_deinit(&run.told);
	return code;
}
