// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include <bufstat/version.h>

#include "ask.h"
#include "baseline_file.h"
#include "breakdown.h"
#include "cleanup.h"
#include "command.h"
#include "device_columns.h"
#include "error.h"
#include "free_options.h"
#include "free_table.h"
#include "fs_line.h"
#include "history.h"
#include "interval.h"
#include "measure.h"
#include "measured_filesystems.h"
#include "meminfo.h"
#include "refused.h"
#include "sample_json.h"
#include "sysroot.h"

bool called_free(void)
{
	return strcmp(program_invocation_short_name, "free") == 0;
}

/* On the running host the texts are free's, which name no reason. */
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

/* Only free's table: nothing is measured that is not shown. */
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

static int print_breakdown(const struct sample_json *sample,
			   const struct free_options *options,
			   struct error *err)
{
	const struct measurement *measurement = sample->measurement;

	free_table_print(stdout, &measurement->meminfo, options);
	/* Both go where the user looks in the order they were written. */
	fflush(stdout);
	refused_print(measurement, false);
	if (measurement->collected < 0)
		return 0;
	return breakdown_print(stdout, sample->root, measurement,
			       sample->history,
			       options->unit == FREE_UNIT_BYTES, err);
}

static int print_document(const struct sample_json *sample, struct error *err)
{
	int ret = sample_json_print(stdout, sample, err);

	refused_print(sample->measurement, false);
	return ret;
}

/*
 * Walking all inodes takes longer than everything else, so only on request, and
 * in a table after the rest. A failure is said here.
 */
static void ask_filesystems(struct filesystems *filesystems,
			    struct sample_json *sample)
{
	struct error err;

	/* What is there must be seen before what may be waited for. */
	fflush(stdout);
	sample->has_cached = true;
	if (filesystems_init(filesystems, sample->root, ASK_SECONDS, &err) == 0)
		sample->filesystems = filesystems;
	else
		error_print(&err);
}

static int print_all(struct sample_json *sample,
		     struct filesystems *filesystems,
		     const struct free_options *options, struct error *err)
{
	bool asks = options->flags & FREE_FILESYSTEMS;
	int ret;

	if (options->flags & FREE_JSON) {
		if (asks)
			ask_filesystems(filesystems, sample);
		interval_hold_interrupt();
		return print_document(sample, err);
	}
	/* Who does not want to wait for an answer may interrupt. */
	if (!asks)
		interval_hold_interrupt();
	ret = print_breakdown(sample, options, err);
	if (ret < 0 || !asks)
		return ret;
	ask_filesystems(filesystems, sample);
	interval_hold_interrupt();
	if (sample->filesystems)
		fs_line_print(stdout, filesystems,
			      options->unit == FREE_UNIT_BYTES);
	return 0;
}

/*
 * A failure of the breakdown is said and changes nothing else: scripts and
 * users without privileges rely on free's table and exit code.
 */
static int print_measurement(struct measurement *measurement,
			     const struct sysroot *root,
			     struct history *history,
			     const struct free_options *options)
{
	_cleanup_(filesystems_deinit) struct filesystems filesystems = { 0 };
	struct column_choice columns;
	struct sample_json sample = {
		.root = root,
		.measurement = measurement,
		.history = history,
		.columns = &columns,
	};
	struct error err;
	int code = EXIT_OK;
	int ret = history_add_vanished(history, &measurement->snapshot);

	column_choice_all(&columns, &device_columns);
	if (ret < 0)
		error_errno(&err, -ret, "comparing", "two samples");
	else
		ret = print_all(&sample, &filesystems, options, &err);
	if (!ret && options->save) {
		ret = sample_json_save(options->save, &sample, &err);
		code = ret < 0 ? EXIT_FAILED : EXIT_OK;
	}
	if (!ret && measurement->collected == 0 &&
	    history_take(history, measurement) < 0)
		ret = error_errno(&err, ENOMEM, "keeping", "the sample");
	if (ret < 0)
		error_print(&err);
	return code;
}

static int print_both(const struct sysroot *root, struct history *history,
		      const struct free_options *options)
{
	_cleanup_(measurement_deinit) struct measurement measurement = { 0 };
	struct error err;
	int ret;

	ret = measure(root, options->source, &measurement, &err);
	if (ret < 0) {
		print_read_error(root, ret, &err);
		return EXIT_FAILED;
	}
	/* A source that does not exist is bad usage, and not a host's fault. */
	if (options->source && measurement.collected == -EINVAL) {
		error_print(&measurement.why);
		return EXIT_FAILED;
	}
	return print_measurement(&measurement, root, history, options);
}

/* What a sample needs. */
struct summary {
	const struct free_options *options;
	const struct sysroot *root;
	struct history *history;
};

static int print_sample(void *data)
{
	const struct summary *summary = data;
	int code;

	if (summary->options->flags & (FREE_ONLY | FREE_LINE))
		code = print_table(summary->root, summary->options);
	else
		code = print_both(summary->root, summary->history,
				  summary->options);
	/* As free does: of a full disk neither names the reason. */
	fflush(stdout);
	return code;
}

/* After getopt_long() or an error has said what is wrong. */
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

static int print_usage(const struct free_options *options)
{
	struct error err;

	if (called_free()) {
		free_options_help(stderr, program_invocation_short_name, true);
		return EXIT_FAILED;
	}
	if (options->operand) {
		const char *meant = command_nearest(options->operand);

		error_set(&err, EINVAL, "unknown command: %s%s%s%s",
			  options->operand, meant ? " (did you mean " : "",
			  meant ? meant : "", meant ? "?)" : "");
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

static int run(const struct free_options *options)
{
	_cleanup_(sysroot_deinit) struct sysroot root = { .fd = -1 };
	_cleanup_(history_deinit) struct history history = { 0 };
	struct summary summary = {
		.options = options,
		.root = &root,
		.history = &history,
	};
	struct error err;

	if (sysroot_init(&root, options->sysroot, &err) < 0) {
		error_print(&err);
		return EXIT_FAILED;
	}
	if (options->since && baseline_read(&history.first, options->since,
					    "devices", &err) < 0) {
		error_print(&err);
		return EXIT_FAILED;
	}
	return interval_run(&options->interval,
			    !(options->flags & (FREE_JSON | FREE_LINE)),
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
		free_options_help(stdout, program_invocation_short_name,
				  called_free());
		return EXIT_OK;
	case FREE_VERSION:
		print_version();
		return EXIT_OK;
	case FREE_PRINT:
		break;
	}
	return run(&options);
}
