// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <stdio.h>
#include <unistd.h>

#include "cgroups/charge_rows.h"
#include "cmd_who_past.h"
#include "command.h"
#include "frame/command_line.h"
#include "frame/interval.h"
#include "frame/table_options.h"
#include "recorded/growth_span.h"
#include "lib/cleanup.h"
#include "lib/error.h"
#include "lib/monotonic.h"
#include "lib/number.h"
#include "lib/sysroot.h"
#include "measure/source.h"
#include "trace/trace.h"
#include "who/run_program.h"
#include "who/tracing.h"
#include "who/verify.h"
#include "who/watch.h"
#include "who/who_now.h"
#include "who/who_report.h"

#define LONGEST_SECONDS 1e9

struct options {
	struct common_options common;
	struct table_options table;
	struct interval interval;
	const char *engine;
	bool now;
	bool verify;
	const char *dir;
	/* Of a recording. */
	struct moment from;
	struct moment to;
};

static const struct option_row option_rows[] = {
	ROW_GROUP(struct options, table.style.unit, size_options),
	ROW_GROUP(struct options, table, table_options),
	ROW_GROUP(struct options, table, top_option),
	ROW_CALL('s', "seconds", struct options, interval, "N",
		 repeat_take_seconds, "report every N seconds"),
	ROW_CALL('c', "count", struct options, interval, "N", repeat_take_count,
		 "end after N reports"),
	{ .type = OPTION_TEXT,
	  .name = "engine",
	  .argument = "NAME",
	  .help = "what traces: bpf or perf",
	  .place = OPTION_PLACE(char *, struct options, engine),
	  .word = trace_engine_name },
	ROW_FLAG('\0', "now", struct options, now,
		 "whose pages are cached now, by cgroup; traces nothing"),
	ROW_FLAG('\0', "verify", struct options, verify,
		 "read a file of 64 MiB to check what is counted"),
	ROW_CALL('\0', "at", struct options, common.at, "TIME", moment_take,
		 "who filled caches then, if bufstat record ran"),
	ROW_CALL('\0', "from", struct options, from, "TIME", moment_take,
		 "the same, from then on"),
	ROW_CALL('\0', "to", struct options, to, "TIME", moment_take,
		 "until then; the default is now"),
	ROW_TEXT('\0', "dir", struct options, dir, "DIR", WORDS_DIRECTORIES,
		 "where --verify makes the file (/var/tmp), or the recording "
		 "for --at, --from and --to"),
	ROW_GROUP(struct options, common, json_option),
	ROW_GROUP(struct options, common, json_lines_option),
	ROW_GROUP(struct options, common, source_option),
	ROW_GROUP(struct options, common, tree_options),
	ROW_GROUP(struct options, common, timeout_option),
	ROW_GROUP(struct options, common, help_options),
	{ 0 },
};

static void init(void *data)
{
	struct options *options = data;

	table_options_init(&options->table, &who_columns);
}

static bool is_past(const struct options *options)
{
	return options->common.at.count || options->from.count ||
	       options->to.count;
}

/* A recording has been made already. */
static int check_past(const struct options *options, struct error *err)
{
	const char *other = options->now	      ? "--now" :
			    options->common.program   ? "a program" :
			    options->interval.repeats ? "-s and -c" :
			    options->verify	      ? "--verify" :
			    options->engine	      ? "--engine" :
			    options->common.source    ? "--source" :
			    options->common.patience.seconds > 0 ?
						     "--timeout" :
			    (options->common.at.count &&
			     (options->from.count || options->to.count)) ?
						     "--from and --to" :
						     NULL;

	if (!other)
		return 0;
	return error_doing(err, EINVAL, "reading options",
			   options->common.at.count ? "--at" : "--from",
			   "cannot be used with %s", other);
}

/* A captured host does nothing, but it may have a recording. */
static int refuse_captured(struct error *err)
{
	return error_remedy(err,
			    error_doing(err, EINVAL, "reading options",
					"--sysroot or --capture",
					"a captured host does nothing"),
			    "--at or --from TIME shows its recording, if it "
			    "has one");
}

/* --now measures once and traces nothing. */
static int check_now(const struct options *options, struct error *err)
{
	const struct common_options *common = &options->common;

	if (options->interval.repeats || options->engine || options->verify ||
	    common->program || common->source)
		return error_doing(err, EINVAL, "reading options", "--now",
				   "it traces nothing: not with -s, -c, "
				   "--engine, --source, --verify or a command");
	return 0;
}

static int check_traced(const struct options *options, struct error *err)
{
	const struct common_options *common = &options->common;

	if (options->verify &&
	    (common->json || common->program || common->operand_count ||
	     options->interval.repeats))
		return error_doing(err, EINVAL, "reading options", "--verify",
				   "only with --dir and --engine");
	if (common->patience.seconds > 0)
		return error_remedy(err,
				    error_doing(err, EINVAL, "reading options",
						"--timeout", "only with --now"),
				    "-s N -c 1 traces for N seconds");
	return 0;
}

/* The columns that are shown if the user chose none. */
static const char *usual_columns(const struct options *options)
{
	if (options->now)
		return options->common.json ? who_now_json_columns :
					      who_now_columns;
	return options->common.json ? who_json_columns : NULL;
}

static int check(void *data, struct error *err)
{
	struct options *options = data;
	const char *usual = usual_columns(options);
	int ret = is_past(options)	  ? check_past(options, err) :
		  options->common.sysroot ? refuse_captured(err) :
		  options->now		  ? check_now(options, err) :
					    check_traced(options, err);

	if (ret < 0)
		return ret;
	if (usual && !options->table.columns_chosen)
		column_choice_parse(&options->table.columns, &who_columns,
				    usual, NULL);
	return table_options_check(&options->table, options->common.json, err);
}

/* A run of the command. */
struct run {
	const struct options *options;
	struct tracing tracing;
	struct watch watch;
	struct told told;
	bool has_reported;
};

/* Prints what was lost or could not be measured. Returns the exit code. */
static int print_notes(struct run *run, const struct traced *traced)
{
	const struct error *why = &traced->caches.why;
	uint64_t lost = traced->totals.lost_events;
	struct error err;

	if (lost) {
		error_doing(&err, ERROR_PARTIAL, "tracing the page cache",
			    trace_engine(run->tracing.trace),
			    "%llu events were lost, so the totals are a lower "
			    "bound",
			    (unsigned long long)lost);
		told_print(&run->told, &err);
	}
	if (error_is_set(why)) {
		error_doing(&err, ERROR_PARTIAL,
			    "looking for what was not traced", NULL,
			    "not all caches could be measured");
		error_append(&err, why);
		told_print(&run->told, &err);
	}
	selection_print_vain(&run->tracing.selection);
	return lost || error_is_set(why) ? EXIT_PARTIAL : EXIT_OK;
}

/* Prints one report with its errors, and returns its exit code. */
static int report(struct run *run)
{
	_cleanup_(traced_deinit) struct traced traced = { 0 };
	const struct options *options = run->options;
	const struct who_report how = {
		.common = &options->common,
		.table = &options->table,
		.engine = trace_engine(run->tracing.trace),
		.root = run->tracing.root,
	};
	struct error err;
	int ret = tracing_take(&run->tracing, &options->table.order,
			       options->table.top, &traced, &err);

	told_next(&run->told);
	if (!ret && !options->common.json) {
		if (run->has_reported)
			putchar('\n');
		if (options->interval.repeats)
			table_options_print_clock(&options->table);
	}
	run->has_reported = true;
	if (!ret) {
		ret = who_report_print(&how, &traced);
		if (ret < 0)
			error_errno(&err, -ret, "printing", "the table");
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
	const struct interval *interval = &run->options->interval;
	double seconds = interval->seconds > 0 ? interval->seconds : 1;
	int64_t step_ns = seconds < LONGEST_SECONDS ?
				  (int64_t)(seconds * 1e9) :
				  (int64_t)(LONGEST_SECONDS * 1e9);
	int64_t due_ns = interval->repeats ? monotonic_ns() + step_ns :
					     INT64_MAX;
	int left = interval->count, code = EXIT_OK;
	bool is_over = false;

	while (!is_over) {
		enum watch_end end =
			watch_wait(&run->watch, run->tracing.trace, due_ns);
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
	const struct options *options = run->options;

	if (!options->interval.repeats && !options->common.program &&
	    isatty(STDERR_FILENO))
		fprintf(stderr,
			"Tracing with %s. Ctrl-C ends it and prints "
			"the table.\n",
			trace_engine(run->tracing.trace));
}

/* Returns the exit code. */
static int trace(struct run *run)
{
	const struct options *options = run->options;
	char **program = options->common.program;
	struct error err;
	int code = PROGRAM_NOT_RUN;
	int ret = tracing_begin(&run->tracing, &err);

	if (!ret && program) {
		ret = run_program_start(program, &run->watch.before,
					options->common.json, NULL, &code,
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
	struct error passed;
	int ret = watch_init(&run->watch, err);

	if (!ret)
		ret = tracing_open(&run->tracing, run->options->engine, &passed,
				   err);
	if (!ret && error_is_set(&passed))
		error_print(&passed);
	return ret;
}

/* Returns the exit code. */
static int run_verify(const struct run *run)
{
	char counted[SIZE_TEXT_LENGTH], expected[SIZE_TEXT_LENGTH];
	struct verified verified;
	struct error err;
	struct trace *trace = run->tracing.trace;
	const char *dir = run->options->dir;
	int ret = verify(trace, dir ? dir : "/var/tmp", &verified, &err);

	if (!ret && verified_is_right(&verified)) {
		printf("%s counted %s of %s pages on this kernel\n",
		       trace_engine(trace),
		       count_text(verified.counted_pages, counted),
		       count_text(verified.expected_pages, expected));
		return EXIT_OK;
	}
	if (!ret)
		error_doing(&err, EBADMSG, "verifying", trace_engine(trace),
			    "it counted %s of %s pages, and %llu events were "
			    "lost: do not rely on it on this kernel",
			    count_text(verified.counted_pages, counted),
			    count_text(verified.expected_pages, expected),
			    (unsigned long long)verified.lost_events);
	error_print(&err);
	return EXIT_FAILED;
}

/* Returns the exit code. */
static int run_traced(struct run *run)
{
	const struct options *options = run->options;
	struct selection *selection = &run->tracing.selection;
	struct error err;
	int code, ret;

	accept_idle(selection);
	ret = open_all(run, &err);
	if (ret < 0) {
		error_print(&err);
		code = exit_code_of(&err);
	} else {
		code = options->verify ? run_verify(run) : trace(run);
	}
	if (!options->common.program)
		return selection_code(selection, code);
	return ret < 0 ? PROGRAM_NOT_RUN : code;
}

/* Prints the rows of what is cached now. Returns the exit code. */
static int print_now(const struct run *run, const struct charges *charges)
{
	_cleanup_(who_rows_deinit) struct who_rows rows = { 0 };
	const struct options *options = run->options;
	const struct who_report how = {
		.common = &options->common,
		.table = &options->table,
		.root = run->tracing.root,
	};
	struct error err;
	int ret = who_now_init(&rows, charges);

	if (!ret) {
		who_rows_arrange(&rows, &options->table.order,
				 options->table.top);
		ret = who_report_print_now(&how, &rows, charges);
	}
	if (ret < 0) {
		error_errno(&err, -ret, "printing", "the table");
		error_print(&err);
		return EXIT_FAILED;
	}
	charges_print_missing(charges);
	return charges_are_whole(charges) ? EXIT_OK : EXIT_PARTIAL;
}

/* Returns the exit code. */
static int run_now(struct run *run)
{
	_cleanup_(charges_deinit) struct charges charges = { 0 };
	struct selection *selection = &run->tracing.selection;
	struct error err;
	int code;

	if (charges_read(&charges, run->tracing.root, charge_is_selected,
			 selection, &err) < 0) {
		error_print(&err);
		return exit_code_of(&err);
	}
	code = print_now(run, &charges);
	selection_print_vain(selection);
	return selection_code(selection, code);
}

static int run(void *data, const struct sysroot *root)
{
	const struct options *options = data;
	const struct who_past past = {
		.common = &options->common,
		.table = &options->table,
		.from = &options->from,
		.to = &options->to,
		.dir = options->dir,
	};
	struct run run = { .options = options, .watch.signals = -1 };
	struct selection *selection = &run.tracing.selection;
	struct error err;
	int code;

	if (is_past(options))
		return who_past_run(&past, root);
	tracing_init(&run.tracing, root, options->common.source);
	if (selection_init(selection,
			   options->now ? SELECTS_CACHES : SELECTS_FILESYSTEMS,
			   root, options->common.operands,
			   options->common.operand_count, &err) < 0) {
		error_print(&err);
		code = options->common.program ? PROGRAM_NOT_RUN : EXIT_FAILED;
	} else if (selection_is_vain(selection)) {
		code = selection->code;
	} else {
		code = options->now ? run_now(&run) : run_traced(&run);
	}
	tracing_deinit(&run.tracing);
	watch_deinit(&run.watch);
	told_deinit(&run.told);
	return code;
}

const struct command_line command_who = {
	.name = "who",
	.brief = "which process fills the caches",
	.rows = option_rows,
	.operands = "[DEVICE|PATH...] [-- COMMAND [ARG...]]",
	.runs_program = true,
	.words = WORDS_DEVICES_AND_FILES,
	.about =
		"Traces which processes bring pages into the cache of each device "
		"and filesystem,\n"
		"or of those given, and which take them out, until Ctrl-C, or "
		"while COMMAND runs.\n"
		"Whoever takes a page out need not be who brought it in. Needs "
		"root, and BPF with\n"
		"libbpf. --now traces nothing: it says to which cgroups the pages "
		"that are cached now\n"
		"are charged. It needs /proc/kcore.\n",
	.columns = &who_columns,
	.exit_status =
		"Exit status: 0 all traced, 1 failure, 2 nothing here can trace "
		"or, with --now,\n"
		"measure, 3 events were lost, or not all caches could be "
		"measured. With COMMAND\n"
		"its own; 126 if it cannot be executed, 127 if it is not found, "
		"125 if bufstat\n"
		"failed.\n",
	.options_size = sizeof(struct options),
	.init = init,
	.check = check,
	.run = run,
};
