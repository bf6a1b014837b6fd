// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <stdio.h>
#include <unistd.h>

#include "cmd_who_past.h"
#include "command.h"
#include "filesystems/selection.h"
#include "frame/command_line.h"
#include "frame/interval.h"
#include "frame/table_options.h"
#include "recorded/growth_span.h"
#include "lib/cleanup.h"
#include "lib/error.h"
#include "lib/json_out.h"
#include "lib/monotonic.h"
#include "lib/number.h"
#include "lib/sysroot.h"
#include "measure/provenance.h"
#include "measure/source.h"
#include "table/cell.h"
#include "table/table.h"
#include "trace/trace.h"
#include "who/caches.h"
#include "who/cgroup_ids.h"
#include "who/run_program.h"
#include "who/verify.h"
#include "who/victims.h"
#include "who/watch.h"
#include "who/who_rows.h"

/* A walk of all inodes that took longer is not repeated. */
#define WALK_MOST_NS 500000000LL
#define LONGEST_SECONDS 1e9

struct options {
	struct common_options common;
	struct table_options table;
	struct interval interval;
	const char *engine;
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
	const char *other = options->common.program   ? "a program" :
			    options->interval.repeats ? "-s and -c" :
			    options->verify	      ? "--verify" :
			    options->engine	      ? "--engine" :
			    options->common.source    ? "--source" :
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
static int check_captured(const struct options *options, struct error *err)
{
	if (!options->common.sysroot || is_past(options))
		return 0;
	return error_remedy(err,
			    error_doing(err, EINVAL, "reading options",
					"--sysroot or --capture",
					"a captured host does nothing"),
			    "--at or --from TIME shows its recording, if it "
			    "has one");
}

static int check(void *data, struct error *err)
{
	struct options *options = data;
	int ret = is_past(options) ? check_past(options, err) :
				     check_captured(options, err);

	if (ret < 0)
		return ret;

	if (options->verify &&
	    (options->common.json || options->common.program ||
	     options->common.operand_count || options->interval.repeats))
		return error_doing(err, EINVAL, "reading options", "--verify",
				   "only with --dir and --engine");
	if (options->common.json && !options->table.columns_chosen)
		column_choice_parse(&options->table.columns, &who_columns,
				    who_json_columns, NULL);
	return table_options_check(&options->table, options->common.json, err);
}

/* A run of the command. */
struct tracing {
	const struct options *options;
	const struct sysroot *root;
	struct selection selection;
	struct trace *trace;
	struct watch watch;
	struct cgroup_ids cgroups;
	struct victims victims;
	struct told told;
	/* What there was at the last report. */
	struct trace_totals totals;
	struct caches_before before;
	int64_t began_ns;
	bool walks; /* all inodes, to compare filesystems */
	bool has_reported;
};

/* What one report is made of. */
struct reading {
	struct trace_totals totals; /* since the last report */
	struct caches caches;
	struct who_rows rows;
	struct losses losses;
	int64_t took_ns;
};

static void reading_deinit(struct reading *reading)
{
	losses_deinit(&reading->losses);
	who_rows_deinit(&reading->rows);
	caches_deinit(&reading->caches);
	trace_totals_deinit(&reading->totals);
}

static int learn_cgroups(struct tracing *tracing,
			 const struct trace_totals *totals)
{
	int ret = 0;

	for (size_t i = 0; !ret && i < totals->count; i++) {
		ret = cgroup_ids_learn(&tracing->cgroups,
				       totals->fills[i].cgroup);
		if (!ret)
			ret = cgroup_ids_learn(&tracing->victims.ids,
					       totals->fills[i].on_behalf_of);
	}
	return ret ? ret : victims_learn(&tracing->victims, totals);
}

/* Looks up names while what they are of is still there. */
static int tick(struct tracing *tracing)
{
	_cleanup_(trace_totals_deinit) struct trace_totals totals = { 0 };

	if (trace_read(tracing->trace, &totals, NULL) < 0)
		return 0;
	return learn_cgroups(tracing, &totals);
}

/* Reads the trace and the caches, one right after the other. */
static int measure_now(struct tracing *tracing, struct trace_totals *totals,
		       struct caches *caches, struct error *err)
{
	int64_t began;
	int ret = trace_read(tracing->trace, totals, err);

	if (ret < 0)
		return ret;
	began = monotonic_ns();
	patience_begin(tracing->root->patience);
	ret = caches_take(caches, tracing->root,
			  tracing->options->common.source, tracing->walks);
	if (tracing->walks && monotonic_ns() - began > WALK_MOST_NS)
		tracing->walks = false;
	if (!ret)
		ret = learn_cgroups(tracing, totals);
	return ret < 0 ? error_errno(err, -ret, "measuring", "the caches") : 0;
}

/* Remembers what there is now, to compare the next report with. */
static int begin(struct tracing *tracing, struct error *err)
{
	_cleanup_(caches_deinit) struct caches caches = { 0 };
	int ret = measure_now(tracing, &tracing->totals, &caches, err);

	tracing->began_ns = monotonic_ns();
	if (!ret && caches_keep(&tracing->before, &caches) < 0)
		ret = error_errno(err, ENOMEM, "keeping", "the caches");
	return ret;
}

/* Takes a reading, which is complete before any of it is printed. */
static int take(struct tracing *tracing, struct reading *reading,
		struct error *err)
{
	const struct who_cgroups cgroups = { &tracing->cgroups,
					     &tracing->victims.ids };
	struct trace_totals totals = { 0 };
	int ret = measure_now(tracing, &totals, &reading->caches, err);
	int64_t now = monotonic_ns();

	if (!ret) {
		ret = trace_totals_since(&reading->totals, &totals,
					 &tracing->totals);
		if (!ret)
			ret = who_rows_init(&reading->rows, &reading->totals,
					    &tracing->before, &reading->caches,
					    &cgroups, tracing->root,
					    &tracing->selection);
		if (!ret)
			ret = losses_init(&reading->losses, &tracing->victims,
					  &reading->totals);
		if (!ret)
			ret = caches_keep(&tracing->before, &reading->caches);
		if (ret < 0)
			error_errno(err, -ret, "making", "the table");
		else
			who_rows_arrange(&reading->rows,
					 &tracing->options->table.order,
					 tracing->options->table.top);
	}
	trace_totals_deinit(&tracing->totals);
	tracing->totals = totals;
	reading->took_ns = now - tracing->began_ns;
	tracing->began_ns = now;
	return ret;
}

static int print_json(const struct tracing *tracing,
		      const struct reading *reading)
{
	const struct options *options = tracing->options;
	const struct who_rows *rows = &reading->rows;
	const char *source =
		reading->caches.has_devices ?
			reading->caches.measurement.snapshot.source :
			NULL;
	struct provenance provenance;
	struct json_out json;
	int ret = provenance_init(&provenance, tracing->root);

	if (!ret) {
		json_out_init(&json, stdout);
		json.compact = options->common.json_lines;
		json_out_object(&json, NULL);
		provenance_write(&json, &provenance, source,
				 !reading->totals.lost_events &&
					 !error_is_set(&reading->caches.why));
		json_out_decimal(&json, "seconds",
				 (double)reading->took_ns / 1e9);
		json_out_array(&json, "filled");
		for (size_t i = 0; i < rows->shown; i++)
			table_json_write_row(&json, &options->table.columns,
					     &rows->rows[i]);
		json_out_array_end(&json);
		losses_write(&json, &reading->losses,
			     reading->totals.knows_evictions);
		json_out_string(&json, "engine", trace_engine(tracing->trace));
		json_out_unsigned(&json, "lost_events",
				  reading->totals.lost_events);
		json_out_object_end(&json);
		json_out_finish(&json);
	}
	provenance_deinit(&provenance);
	return ret;
}

static int print(const struct tracing *tracing, const struct reading *reading)
{
	const struct options *options = tracing->options;
	const struct table_options *table = &options->table;
	const struct table_style style = table_options_style(table);
	const struct who_rows *rows = &reading->rows;
	const struct table_rows printed = { .rows = rows->rows,
					    .count = rows->shown,
					    .size = sizeof(*rows->rows) };

	if (options->common.json)
		return print_json(tracing, reading);
	if (options->interval.repeats)
		table_options_print_clock(table);
	/* Scripts get rows alone. */
	if (style.format == TABLE_PLAIN && !style.no_headings)
		losses_print(stdout, &reading->losses, style.unit);
	return table_print(stdout, &printed, &table->columns, &style);
}

static int print_notes(struct tracing *tracing, const struct reading *reading)
{
	const struct error *why = &reading->caches.why;
	uint64_t lost = reading->totals.lost_events;
	struct error err;

	if (lost) {
		error_doing(&err, ERROR_PARTIAL, "tracing the page cache",
			    trace_engine(tracing->trace),
			    "%llu events were lost, so the totals are a lower "
			    "bound",
			    (unsigned long long)lost);
		told_print(&tracing->told, &err);
	}
	if (error_is_set(why)) {
		error_doing(&err, ERROR_PARTIAL,
			    "looking for what was not traced", NULL,
			    "not all caches could be measured");
		error_append(&err, why);
		told_print(&tracing->told, &err);
	}
	selection_print_vain(&tracing->selection);
	return lost || error_is_set(why) ? EXIT_PARTIAL : EXIT_OK;
}

/* Prints one report with its errors, and returns its exit code. */
static int report(struct tracing *tracing)
{
	_cleanup_(reading_deinit) struct reading reading = { 0 };
	const struct options *options = tracing->options;
	struct error err;
	int ret = take(tracing, &reading, &err);

	told_next(&tracing->told);
	if (!ret && tracing->has_reported && !options->common.json)
		putchar('\n');
	tracing->has_reported = true;
	if (!ret) {
		ret = print(tracing, &reading);
		if (ret < 0)
			error_errno(&err, -ret, "printing", "the table");
	}
	if (ret < 0) {
		error_print(&err);
		return EXIT_FAILED;
	}
	/* main() reports a failure, unless the reader has gone away. */
	fflush(stdout);
	return print_notes(tracing, &reading);
}

/*
 * Reports until the end. A program is waited for, also after the last report.
 * Returns the exit code.
 */
static int run_reports(struct tracing *tracing)
{
	const struct interval *interval = &tracing->options->interval;
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
			watch_wait(&tracing->watch, tracing->trace, due_ns);
		int reported;

		is_over = end == WATCH_OVER;
		if (end == WATCH_TICK) {
			tick(tracing);
			continue;
		}
		if (due_ns == INT64_MAX && interval->repeats)
			continue;
		reported = report(tracing);
		if (reported != EXIT_OK)
			code = reported;
		due_ns += step_ns;
		if (reported == EXIT_FAILED || ferror(stdout) ||
		    (left && --left == 0)) {
			is_over |= !tracing->watch.program;
			due_ns = INT64_MAX;
		}
	}
	return code;
}

/* Tells a user who waits what goes on. */
static void print_start(const struct tracing *tracing)
{
	const struct options *options = tracing->options;

	if (!options->interval.repeats && !options->common.program &&
	    isatty(STDERR_FILENO))
		fprintf(stderr,
			"Tracing with %s. Ctrl-C ends it and prints "
			"the table.\n",
			trace_engine(tracing->trace));
}

/* Returns the exit code. */
static int trace(struct tracing *tracing)
{
	const struct options *options = tracing->options;
	char **program = options->common.program;
	struct error err;
	int code = PROGRAM_NOT_RUN;
	int ret = begin(tracing, &err);

	if (!ret && program) {
		ret = run_program_start(program, &tracing->watch.before,
					options->common.json, NULL, &code,
					&err);
		tracing->watch.program = ret > 0 ? ret : 0;
	}
	if (ret < 0) {
		error_print(&err);
		return program ? code : exit_code_of(&err);
	}
	print_start(tracing);
	code = run_reports(tracing);
	return program ? run_program_code(tracing->watch.status) : code;
}

/* A device or filesystem that is there need not have been filled. */
static void accept_idle(struct selection *selection)
{
	for (size_t i = 0; i < selection->count; i++)
		selection->list[i].met |= selection->list[i].has_number;
}

static int open_all(struct tracing *tracing, struct error *err)
{
	const struct options *options = tracing->options;
	struct error passed;
	int ret = watch_init(&tracing->watch, err);

	if (!ret && (cgroup_ids_init(&tracing->cgroups, tracing->root) < 0 ||
		     victims_init(&tracing->victims, tracing->root) < 0))
		ret = error_errno(err, ENOMEM, "looking for", "cgroups");
	if (!ret)
		ret = trace_open(&tracing->trace, tracing->root,
				 options->engine, &passed, err);
	if (!ret && error_is_set(&passed))
		error_print(&passed);
	return ret;
}

/* Returns the exit code. */
static int run_verify(const struct tracing *tracing)
{
	char counted[SIZE_TEXT_LENGTH], expected[SIZE_TEXT_LENGTH];
	struct verified verified;
	struct error err;
	int ret = verify(tracing->trace,
			 tracing->options->dir ? tracing->options->dir :
						 "/var/tmp",
			 &verified, &err);

	if (!ret && verified_is_right(&verified)) {
		printf("%s counted %s of %s pages on this kernel\n",
		       trace_engine(tracing->trace),
		       count_text(verified.counted_pages, counted),
		       count_text(verified.expected_pages, expected));
		return EXIT_OK;
	}
	if (!ret)
		error_doing(&err, EBADMSG, "verifying",
			    trace_engine(tracing->trace),
			    "it counted %s of %s pages, and %llu events were "
			    "lost: do not rely on it on this kernel",
			    count_text(verified.counted_pages, counted),
			    count_text(verified.expected_pages, expected),
			    (unsigned long long)verified.lost_events);
	error_print(&err);
	return EXIT_FAILED;
}

static int run(void *data, const struct sysroot *root)
{
	const struct options *options = data;
	struct tracing tracing = { .options = options,
				   .root = root,
				   .watch.signals = -1,
				   .cgroups.mount = -1,
				   .victims.ids.mount = -1,
				   .walks = true };
	const struct who_past past = {
		.common = &options->common,
		.table = &options->table,
		.from = &options->from,
		.to = &options->to,
		.dir = options->dir,
	};
	struct error err;
	int code, ret;

	if (is_past(options))
		return who_past_run(&past, root);
	ret = selection_init(&tracing.selection, SELECTS_FILESYSTEMS, root,
			     options->common.operands,
			     options->common.operand_count, &err);
	if (!ret && selection_is_vain(&tracing.selection)) {
		code = tracing.selection.code;
	} else {
		accept_idle(&tracing.selection);
		if (!ret)
			ret = open_all(&tracing, &err);
		if (ret < 0)
			error_print(&err);
		code = ret < 0	       ? exit_code_of(&err) :
		       options->verify ? run_verify(&tracing) :
					 trace(&tracing);
		if (!options->common.program)
			code = selection_code(&tracing.selection, code);
		else if (ret < 0)
			code = PROGRAM_NOT_RUN;
	}
	trace_close(tracing.trace);
	cgroup_ids_deinit(&tracing.cgroups);
	victims_deinit(&tracing.victims);
	watch_deinit(&tracing.watch);
	caches_before_deinit(&tracing.before);
	trace_totals_deinit(&tracing.totals);
	selection_deinit(&tracing.selection);
	told_deinit(&tracing.told);
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
		"libbpf.\n",
	.columns = &who_columns,
	.exit_status =
		"Exit status: 0 all traced, 1 failure, 2 nothing here can trace, "
		"3 events were\n"
		"lost, or not all caches could be measured. With COMMAND its own; "
		"126 if it cannot\n"
		"be executed, 127 if it is not found, 125 if bufstat failed.\n",
	.options_size = sizeof(struct options),
	.init = init,
	.check = check,
	.run = run,
};
