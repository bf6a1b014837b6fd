// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "calls/each.h"
#include "calls/ftrace.h"
#include "calls/functions.h"
#include "calls/path_names.h"
#include "calls/path_report.h"
#include "calls/path_tree.h"
#include "cli/command_line.h"
#include "cli/interval.h"
#include "commands/command.h"
#include "lib/cleanup.h"
#include "lib/error.h"
#include "lib/monotonic.h"
#include "lib/number.h"
#include "lib/string_list.h"
#include "lib/sysroot.h"
#include "table/table.h"
#include "who/run_program.h"
#include "who/watch.h"

/* How often what was recorded is taken. The buffers hold some millions. */
#define SERVE_NS 20000000LL
#define MOST_LEVELS 128
#define MOST_CALLS 10000

struct options {
	struct common_options common;
	uint64_t process;
	bool all;
	struct string_list starts;
	struct string_list functions;
	uint64_t levels;
	uint64_t each;
	double seconds;
	bool full;
	bool raw;
};

static int take_process(void *place, const struct option_given *given,
			struct error *err)
{
	if (number_parse(given->value, INT32_MAX, place) &&
	    *(uint64_t *)place > 0)
		return 0;
	return error_option(err, "--pid", "%s: not the id of a process",
			    given->value);
}

static int take_levels(void *place, const struct option_given *given,
		       struct error *err)
{
	if (number_parse(given->value, MOST_LEVELS, place) &&
	    *(uint64_t *)place > 0)
		return 0;
	return error_option(err, "--max-depth", "%s: not a number from 1 to %d",
			    given->value, MOST_LEVELS);
}

static int take_each(void *place, const struct option_given *given,
		     struct error *err)
{
	if (number_parse(given->value, MOST_CALLS, place) &&
	    *(uint64_t *)place > 0)
		return 0;
	return error_doing(err, EINVAL, "reading options", "--each",
			   "%s: not a number from 1 to %d", given->value,
			   MOST_CALLS);
}

static int take_functions(void *place, const struct option_given *given,
			  struct error *err)
{
	_cleanup_(freep) char *copy = strdup(given->value);
	struct string_list *functions = place;
	char option[16], *rest = copy;
	int ret = copy ? 0 : -ENOMEM;

	for (char *item; !ret && (item = strsep(&rest, ","));) {
		if (*item)
			ret = string_list_add(functions, item);
	}
	if (ret < 0)
		return error_errno(err, ENOMEM, "reading options", "functions");
	snprintf(option, sizeof(option), "--%s", given->row->name);
	return functions->count ?
		       0 :
		       error_option(err, option, "no function is named");
}

static int take_seconds(void *place, const struct option_given *given,
			struct error *err)
{
	struct interval interval = { 0 };
	int ret = interval_set_seconds(&interval, given->value, err);

	if (!ret)
		*(double *)place = interval.seconds;
	return ret;
}

static const char no_capture[] = "what runs is traced, which no file has";

static const struct option_row option_rows[] = {
	ROW_CALL('p', "pid", struct options, process, "PID", take_process,
		 "trace this process and what it starts"),
	ROW_FLAG('\0', "all-processes", struct options, all,
		 "trace all processes, and what the kernel does by itself"),
	ROW_CALL('\0', "duration", struct options, seconds, "N", take_seconds,
		 "end after N seconds"),
	ROW_CALL('\0', "function", struct options, starts, "LIST",
		 take_functions,
		 "only calls of these functions and what they call, with every "
		 "function of the kernel; * and ? match"),
	ROW_CALL('\0', "functions", struct options, functions, "LIST",
		 take_functions, "trace these functions alone; * and ? match"),
	ROW_CALL('\0', "max-depth", struct options, levels, "N", take_levels,
		 "at most N calls within calls"),
	ROW_CALL('\0', "each", struct options, each, "N", take_each,
		 "also the first N calls of each, one by one, as "
		 "function_graph prints them"),
	ROW_FLAG('\0', "full", struct options, full,
		 "every call, however short"),
	ROW_FLAG('\0', "ftrace", struct options, raw,
		 "the text that ftrace makes of it"),
	ROW_MOVED('a', "all", "all", "all-processes"),
	ROW_MOVED('s', "seconds", "seconds", "duration"),
	ROW_MOVED('g', "gibi", "function", "function"),
	ROW_MOVED('m', "mebi", "max-depth", "max-depth"),
	ROW_MOVED('r', "raw", "raw", "ftrace"),
	ROW_GROUP(struct options, common, json_option),
	ROW_REFUSED('\0', "sysroot", "DIR", no_capture),
	ROW_REFUSED('\0', "capture", "FILE", no_capture),
	ROW_GROUP(struct options, common, help_options),
	{ 0 },
};

static int check(void *data, struct error *err)
{
	const struct options *options = data;
	const int chosen =
		!!options->common.program + !!options->process + options->all;

	if (options->common.operand_count)
		return error_advise(err, EINVAL, "reading arguments",
				    options->common.operands[0],
				    "a COMMAND follows \"--\"",
				    "not an option");
	if (!chosen)
		return error_advise(err, EINVAL, "reading arguments", "path",
				    "bufstat path -- COMMAND, or --pid or "
				    "--all-processes",
				    "there is nothing to trace");
	if (options->process && (options->all || options->common.program))
		return error_option(err, "--pid",
				    "not with COMMAND or --all-processes");
	if (options->raw && options->common.json)
		return error_option(err, "--ftrace", "not with --json");
	return 0;
}

/* A run of the command. */
struct run {
	const struct options *options;
	const struct sysroot *root;
	struct watch watch;
	struct ftrace *ftrace;
	struct path_names names;
	struct path_tree tree;
	struct each each;
	uint64_t records;
	int64_t began_ns;
	int64_t took_ns;
	uint64_t lost;
	bool is_disturbed;
};

static int take(void *data, const struct step *step)
{
	struct run *run = data;

	run->records += step->thread != run->tree.skipped_thread;
	return path_tree_take(&run->tree, step);
}

/* Takes what was recorded so far, or at the end all of it. */
static int serve(struct run *run, bool is_end)
{
	if (run->options->raw)
		return ftrace_copy_text(run->ftrace, is_end);
	return is_end ? ftrace_stop(run->ftrace, take, run) :
			ftrace_serve(run->ftrace, take, run);
}

/* ---- whom to trace ------------------------------------------------------- */

static int follow_child(void *data, pid_t child, struct error *err)
{
	struct run *run = data;

	run->began_ns = monotonic_ns();
	if (run->options->all)
		return 0;
	return ftrace_follow(run->ftrace, &child, 1, err);
}

/* The threads that the process has now; those that it starts are followed. */
static int follow_process(struct run *run, struct error *err)
{
	struct string_list names = { 0 };
	_cleanup_(freep) pid_t *threads = NULL;
	size_t count = 0;
	char path[64];
	int ret;

	snprintf(path, sizeof(path), "/proc/%u/task",
		 (unsigned int)run->options->process);
	ret = sysroot_list(run->root, path, &names);
	threads = calloc(names.count + 1, sizeof(*threads));
	for (size_t i = 0; threads && i < names.count; i++) {
		uint64_t thread;

		if (number_parse(names.strings[i], INT32_MAX, &thread))
			threads[count++] = (pid_t)thread;
	}
	string_list_deinit(&names);
	snprintf(path, sizeof(path), "process %u",
		 (unsigned int)run->options->process);
	if (ret == -ENOENT)
		ret = -ESRCH;
	if (ret < 0 || !threads)
		return error_errno(err, ret < 0 ? -ret : ENOMEM, "tracing",
				   path);
	run->began_ns = monotonic_ns();
	return ftrace_follow(run->ftrace, threads, count, err);
}

/* Returns 0, or a negative errno with the exit code of a program in *@code. */
static int begin(struct run *run, int *code, struct error *err)
{
	const struct options *options = run->options;
	const struct run_program_hook hook = { follow_child, run };
	pid_t child;

	run->began_ns = monotonic_ns();
	if (options->process)
		return follow_process(run, err);
	if (!options->common.program)
		return 0;
	child = run_program_start(&options->common, &run->watch.before,
				  options->common.json || options->raw, &hook,
				  code, err);
	run->watch.program = child > 0 ? child : 0;
	return child < 0 ? child : 0;
}

/* ---- the run ------------------------------------------------------------- */

static bool has_ended(const struct run *run)
{
	return run->options->process &&
	       kill((pid_t)run->options->process, 0) < 0 && errno == ESRCH;
}

/*
 * Records until the program or process ends, the time is over, or a signal
 * says so. Returns 0 or a negative errno.
 */
static int record(struct run *run)
{
	const double seconds = run->options->seconds;
	const int64_t until = seconds > 0 && seconds < 1e9 ?
				      run->began_ns + (int64_t)(seconds * 1e9) :
				      INT64_MAX;
	_cleanup_(freep) char *tasks = NULL;
	bool is_over = false;
	int ret = 0;

	while (!ret && !is_over) {
		const int64_t now = monotonic_ns();

		is_over = watch_wait(&run->watch, now + SERVE_NS) ==
				  WATCH_OVER ||
			  now >= until || has_ended(run) || ferror(stdout);
		if (!is_over)
			ret = serve(run, false);
	}
	run->took_ns = monotonic_ns() - run->began_ns;
	if (!ret)
		ret = serve(run, true);
	run->lost = ftrace_lost(run->ftrace);
	if (run->tree.each && ftrace_saved_tasks(run->ftrace, &tasks) == 0)
		each_name_tasks(&run->each, tasks);
	run->is_disturbed = ftrace_changed(run->ftrace);
	return ret;
}

/* A program that goes on after the time was over is waited for. */
static void wait_for_program(struct run *run)
{
	while (run->watch.program &&
	       watch_wait(&run->watch, INT64_MAX) != WATCH_OVER)
		;
}

static void print_start(const struct run *run)
{
	const struct options *options = run->options;

	if (!options->common.program && options->seconds <= 0 &&
	    isatty(STDERR_FILENO))
		fputs("Tracing. Ctrl-C ends it and prints the path.\n", stderr);
}

static int print(const struct run *run)
{
	const struct options *options = run->options;
	const struct path_report report = {
		.tree = &run->tree,
		.names = &run->names,
		.full = options->full,
		.has_instance = ftrace_has_instance(run->ftrace),
		.began_ns = (uint64_t)run->began_ns,
		.took_ns = run->took_ns,
		.lost_records = run->lost,
		.is_disturbed = run->is_disturbed,
		.record_ns = ftrace_record_ns(run->ftrace),
		.records = run->records,
	};

	if (options->raw)
		return 0;
	return options->common.json ? path_report_write(&report, run->root) :
				      path_report_print(stdout, &report);
}

/* Returns the exit code if no program decides it. */
static int answer(struct run *run)
{
	struct error err = { 0 };
	int ret = record(run), code = EXIT_OK;

	if (!ret)
		ret = path_tree_end(&run->tree);
	if (ret < 0)
		error_errno(&err, -ret, "tracing", "the path");
	else
		ret = table_error(&err, print(run), "the path");
	fflush(stdout);
	if (ret < 0) {
		code = EXIT_FAILED;
	} else if (run->lost) {
		error_doing(&err, ERROR_PARTIAL, "tracing", NULL,
			    "%llu records were lost, so the figures are a "
			    "lower bound",
			    (unsigned long long)run->lost);
		error_remedy(&err, 0,
			     "fewer calls with --functions or a shorter run");
		code = EXIT_PARTIAL;
	}
	if (error_is_set(&err))
		error_print(&err);
	return code;
}

static int open_all(struct run *run, struct error *err)
{
	const struct options *options = run->options;
	const struct ftrace_wish wish = {
		.patterns = options->functions.count ?
				    options->functions.strings :
				    NULL,
		.pattern_count = options->functions.count,
		.starts = options->starts,
		.all_functions = options->starts.count &&
				 !options->functions.count,
		.all_threads = options->all,
		.as_text = options->raw,
	};
	int ret = watch_init(&run->watch, err);

	if (!ret && path_names_init(&run->names, run->root) < 0)
		ret = error_errno(err, ENOMEM, "reading", "mounts");
	if (!ret)
		ret = ftrace_open(&run->ftrace, run->root, &wish, err);
	if (ret)
		return ret;
	if (path_tree_init(&run->tree, ftrace_functions(run->ftrace)) < 0)
		return error_errno(err, ENOMEM, "preparing", "the path");
	run->tree.has_starts = options->starts.count;
	run->tree.most_levels = (unsigned int)options->levels;
	run->tree.has_all_threads = options->all;
	run->tree.shows_softirqs = options->all || options->starts.count;
	run->tree.skipped_thread = (uint32_t)getpid();
	run->tree.is_bdev = path_names_is_bdev;
	run->tree.is_bdev_data = &run->names;
	if (options->each) {
		if (each_init(&run->each, options->each,
			      ftrace_functions(run->ftrace)->count) < 0)
			return error_errno(err, ENOMEM, "preparing",
					   "the path");
		run->tree.each = &run->each;
	}
	return 0;
}

static int run_path(void *data, const struct sysroot *root)
{
	const struct options *options = data;
	struct run run = { .options = options,
			   .root = root,
			   .watch.signals = -1 };
	struct error err;
	int code = PROGRAM_NOT_RUN;
	int ret = open_all(&run, &err), closed;
	bool is_instance;

	if (!ret)
		ret = begin(&run, &code, &err);
	if (ret < 0) {
		error_print(&err);
		if (!options->common.program)
			code = exit_code_of(&err);
	} else {
		print_start(&run);
		code = answer(&run);
	}
	is_instance = run.ftrace && ftrace_has_instance(run.ftrace);
	closed = ftrace_close(run.ftrace, &err);
	if (closed < 0)
		error_print(&err);
	/* An instance that somebody reads is switched off. */
	if (closed < 0 && (closed != -EBUSY || !is_instance) && code == EXIT_OK)
		code = closed == -ESTALE ? EXIT_PARTIAL : EXIT_FAILED;
	if (ret >= 0 && options->common.program) {
		wait_for_program(&run);
		code = run_program_code(run.watch.status);
	}
	path_tree_deinit(&run.tree);
	each_deinit(&run.each);
	path_names_deinit(&run.names);
	watch_deinit(&run.watch);
	string_list_deinit(&((struct options *)data)->functions);
	string_list_deinit(&((struct options *)data)->starts);
	return code;
}

const struct command_line command_path = {
	.name = "path",
	.brief = "which way a command's data takes through the kernel",
	.rows = option_rows,
	.operands = "[-- COMMAND [ARG...]]",
	.runs_program = true,
	.document = &path_document,
	.about =
		"Runs COMMAND and shows which way its calls take through the "
		"kernel, where pages\n"
		"are added to the page cache, where I/O is submitted, and where "
		"it waits. What\n"
		"COMMAND starts is traced, too. Needs root and libtraceevent.\n",
	.exit_status =
		"Exit status: 0 all traced, 1 failure, 2 nothing here can trace, "
		"3 records were\n"
		"lost or somebody else changed the settings. With COMMAND its "
		"own; 126 if it cannot\n"
		"be executed, 127 if it is not found, 125 if bufstat failed.\n",
	.options_size = sizeof(struct options),
	.check = check,
	.run = run_path,
};
