// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include <bufstat/version.h>

#include "cli/command_line.h"
#include "cli/interval.h"
#include "commands/command.h"
#include "devices/device_columns.h"
#include "explain/explain.h"
#include "filesystems/fs_line.h"
#include "filesystems/fs_rows.h"
#include "free/free_options.h"
#include "free/free_table.h"
#include "lib/cleanup.h"
#include "lib/error.h"
#include "lib/sysroot.h"
#include "measure/history.h"
#include "sample/baseline_file.h"
#include "sample/breakdown.h"
#include "sample/device_json.h"
#include "sample/device_question.h"
#include "sample/reading.h"

bool called_free(void)
{
	return strcmp(program_invocation_short_name, "free") == 0;
}

/* On the live host, prints free's own texts, which give no reason. */
static void print_read_error(const struct sysroot *root, int error,
			     struct error *err)
{
	if (sysroot_is_live(root) && error == -ENOENT)
		error_set(err, ENOENT,
			  "Memory information file /proc/meminfo does not "
			  "exist");
	else if (sysroot_is_live(root))
		error_set(err, -error, "Unable to create meminfo structure");
	error_print(err);
}

/* The data of print_sample(). */
struct summary {
	const struct free_options *options;
	const struct sysroot *root;
	struct history *history;
	struct told *told;
};

/* Prints only free's table, so nothing else is measured. */
static int print_table(const struct sysroot *root,
		       const struct free_options *options)
{
	struct meminfo meminfo;
	struct error err;
	int ret;

	ret = meminfo_read(&meminfo, root, &err);
	if (ret < 0) {
		print_read_error(root, ret, &err);
		return EXIT_FAILED;
	}
	interval_hold_interrupt();
	free_table_print(stdout, &meminfo, options);
	return EXIT_OK;
}

/*
 * Walking all inodes takes longer than everything else, so it is done only on
 * request and, for a table, after the rest. Prints its own errors.
 */
static const struct fs_answer *ask_filesystems(struct reading *reading,
					       const struct summary *summary)
{
	const struct asking asking = { .root = summary->root };
	struct device_answer *devices =
		reading_answer(reading, QUESTION_DEVICES);

	/* Let the user read the rest while this waits. */
	fflush(stdout);
	if (reading_ask(reading, QUESTION_FILESYSTEMS, &asking) < 0)
		told_print(summary->told,
			   reading_why(reading, QUESTION_FILESYSTEMS));
	devices->has_cached = true;
	devices->cached.answer = reading_answer(reading, QUESTION_FILESYSTEMS);
	return devices->cached.answer;
}

static struct document document_of(const struct reading *reading,
				   struct column_choice *columns)
{
	const struct answer *devices =
		reading_answer(reading, QUESTION_DEVICES);

	column_choice_all(columns, &device_columns);
	return (struct document){
		.head = { reading->provenance, devices->source,
			  devices->is_whole },
		.answer = devices,
		.rows = rows_of_records(&devices->rows),
		.columns = columns,
	};
}

static void print_document(struct reading *reading,
			   const struct devices *devices,
			   const struct summary *summary)
{
	struct column_choice columns;
	struct document document;

	if (summary->options->flags & FREE_FILESYSTEMS)
		ask_filesystems(reading, summary);
	interval_hold_interrupt();
	document = document_of(reading, &columns);
	document_print(stdout, summary->options->common.json_lines,
		       &device_document, &document);
	devices_missing(devices, false, told_print, summary->told);
}

static int save_document(const struct reading *reading, const char *path,
			 struct error *err)
{
	struct column_choice columns;
	const struct document document = document_of(reading, &columns);

	return document_save(path, &device_document, &document, reading_write,
			     reading, err);
}

static struct breakdown_style
breakdown_style(const struct free_options *options, bool measured)
{
	bool repeats = options->repeat.interval.repeats;
	bool all = options->flags & FREE_ALL;
	struct breakdown_style style = {
		.unit = free_options_unit(options),
		.most_rows = options->rows,
		.only_changed = repeats && !all,
		.clock = repeats,
	};

	style.with_line = !options->rows;
	if (measured && !options->rows && !all)
		style.most_rows = breakdown_fitting(
			stdout, free_options_lines(options),
			(options->flags & FREE_FILESYSTEMS) != 0);
	return style;
}

/* Who has what is large, once: not with -s, whose samples are compared. */
static int print_holder(const struct devices *devices,
			const struct summary *summary, struct error *err)
{
	int ret = 0;

	if (!summary->options->repeat.interval.repeats)
		ret = explain_print_brief(stdout, summary->root,
					  &devices->meminfo);
	return ret < 0 ? error_errno(err, -ret, "naming", "the holder") : 0;
}

static int print_text(struct reading *reading,
		      const struct device_answer *answer,
		      const struct summary *summary, struct error *err)
{
	const struct free_options *options = summary->options;
	const struct devices *devices = &answer->devices;
	const bool measured = devices->collected == 0;
	const struct breakdown_style style = breakdown_style(options, measured);
	const struct fs_answer *cached;
	int ret = 0;

	devices_missing(devices, false, told_print, summary->told);
	if (measured)
		ret = breakdown_print(stdout, answer, &style, err);
	if (ret < 0 || !(options->flags & FREE_FILESYSTEMS))
		return ret ?: print_holder(devices, summary, err);
	cached = ask_filesystems(reading, summary);
	interval_hold_interrupt();
	if (cached)
		fs_line_print(stdout, cached->filesystems, style.unit);
	return print_holder(devices, summary, err);
}

/* Prints JSON even if naming the devices failed, for whoever parses it. */
static int print_reading(struct reading *reading, struct device_answer *answer,
			 const struct summary *summary, struct error *err)
{
	const struct free_options *options = summary->options;
	bool is_text = !options->common.json;
	int completed, ret = 0;

	/* While the filesystems are asked, the user may still interrupt. */
	if (is_text && !(options->flags & FREE_FILESYSTEMS))
		interval_hold_interrupt();
	/* Prints free's table, unless an earlier wait has printed it
	 * already. */
	if (is_text)
		patience_show_early(summary->root->patience);
	completed = device_answer_complete(answer, summary->root, false);
	if (!is_text)
		print_document(reading, &answer->devices, summary);
	else if (!completed)
		ret = print_text(reading, answer, summary, err);
	if (completed < 0)
		return error_errno(err, -completed, "naming", "the devices");
	return ret;
}

/*
 * A failure of the breakdown prints an error and changes nothing else: scripts
 * and users without privileges rely on free's table and exit code.
 */
static int print_measurement(struct reading *reading,
			     struct device_answer *answer,
			     const struct summary *summary)
{
	struct devices *devices = &answer->devices;
	const char *save = summary->options->repeat.save;
	struct error err;
	int code = EXIT_OK;
	int ret = devices_add_vanished(devices, summary->history) ?:
			  devices_compare(devices, summary->history);

	/* As of now: whoever reads the output may take long. */
	if (summary->options->common.json || save)
		reading->provenance =
			provenance_of(summary->root, devices->kernel);
	if (ret < 0)
		error_errno(&err, -ret, "comparing", "two samples");
	else
		ret = print_reading(reading, answer, summary, &err);
	if (!ret && save) {
		ret = save_document(reading, save, &err);
		code = ret < 0 ? EXIT_FAILED : EXIT_OK;
	}
	if (!ret && devices->collected == 0 &&
	    history_take(summary->history, devices_samples(devices)) < 0)
		ret = error_errno(&err, ENOMEM, "keeping", "the sample");
	if (ret < 0)
		told_print(summary->told, &err);
	return code;
}

/* The data of print_early(). */
struct early {
	const struct meminfo *meminfo;
	const struct free_options *options;
};

static void print_early(void *data)
{
	const struct early *early = data;

	free_table_print(stdout, early->meminfo, early->options);
	/* Keeps stdout and stderr in the order in which they were written. */
	fflush(stdout);
}

static int print_both(const struct summary *summary)
{
	const struct free_options *options = summary->options;
	const struct sysroot *root = summary->root;
	_cleanup_(reading_deinit) struct reading reading = { 0 };
	struct device_answer *answer =
		reading_begin(&reading, QUESTION_DEVICES);
	struct early early = { .options = options };
	struct error err;
	int ret;

	if (!answer) {
		error_errno(&err, ENOMEM, "measuring", "the devices");
		return exit_printing(&err);
	}
	early.meminfo = &answer->devices.meminfo;
	if (!options->common.json) {
		root->patience->early = print_early;
		root->patience->early_data = &early;
	}
	ret = devices_init(&answer->devices, root, options->common.source,
			   &err);
	if (ret < 0) {
		print_read_error(root, ret, &err);
		return EXIT_FAILED;
	}
	return print_measurement(&reading, answer, summary);
}

static int print_sample(void *data)
{
	const struct summary *summary = data;
	int code;

	told_next(summary->told);
	if (summary->options->flags & (FREE_ONLY | FREE_LINE))
		code = print_table(summary->root, summary->options);
	else
		code = print_both(summary);
	/* Flush here, as free does: then neither gives a reason on a full
	 * disk. */
	fflush(stdout);
	return code;
}

/* The caller or getopt_long() has already said what is wrong. */
static void print_hint(const struct free_options *options)
{
	const char *program = program_invocation_short_name;
	const char *meant = NULL;

	if (options->refused)
		meant = free_option_nearest(options->refused);
	if (meant)
		fprintf(stderr,
			"Try '%s --%s', or '%s --help' for more "
			"information.\n",
			program, meant, program);
	else
		fprintf(stderr, "Try '%s --help' for more information.\n",
			program);
}

static void print_help(FILE *out)
{
	bool as_free = called_free();

	free_options_print_usage(out, program_invocation_short_name, as_free);
	if (!as_free) {
		fputs("\n"
		      "Prints free's table, then the block devices that its "
		      "buffers belong to.\n"
		      "\n"
		      "Commands:\n",
		      out);
		command_print_list(out);
	}
	free_options_print(out, as_free);
	if (!as_free)
		fputs("\nManual: bufstat(8), and for a command "
		      "bufstat-COMMAND(8)\n",
		      out);
}

static int print_usage(const struct free_options *options)
{
	struct error err;

	if (called_free()) {
		print_help(stderr);
		return EXIT_FAILED;
	}
	if (options->operand) {
		command_unknown(options->operand, &err);
		error_print(&err);
	}
	print_hint(options);
	return EXIT_FAILED;
}

static void print_version(void)
{
	if (called_free())
		printf("free from bufstat " BUFSTAT_VERSION
		       ", as free from procps-ng 4.0.4\n");
	else
		printf("bufstat " BUFSTAT_VERSION "\n");
}

static int run(struct free_options *options)
{
	_cleanup_(sysroot_deinit) struct sysroot root = { .fd = -1 };
	_cleanup_(history_deinit) struct history history = { 0 };
	_cleanup_(told_deinit) struct told told = { 0 };
	struct summary summary = {
		.options = options,
		.root = &root,
		.history = &history,
		.told = &told,
	};
	const char *since = options->repeat.since;
	struct error err;

	if (open_host(&root, options->common.sysroot, &err) < 0) {
		error_print(&err);
		return EXIT_FAILED;
	}
	if (since &&
	    baseline_read(&history.first, since, "devices", &root, &err) < 0) {
		error_print(&err);
		return EXIT_FAILED;
	}
	options->common.patience.tell = error_tell_in_signal;
	root.patience = &options->common.patience;
	if (since && !baseline_is_proven(&history.first, since, &err))
		error_print(&err);
	return interval_run(&options->repeat.interval, root.patience,
			    !options->common.json &&
				    !(options->flags & FREE_LINE),
			    print_sample, &summary);
}

int cmd_summary(int argc, char **argv)
{
	struct free_options options;
	struct error err;

	if (free_options_parse(&options, argc, argv, called_free(), &err) < 0) {
		error_print(&err);
		return EXIT_FAILED;
	}
	switch (options.action) {
	case FREE_USAGE:
		return print_usage(&options);
	case FREE_HELP:
		print_help(stdout);
		return EXIT_OK;
	case FREE_VERSION:
		print_version();
		return EXIT_OK;
	case FREE_PRINT:
		break;
	}
	return run(&options);
}
