// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "cli/command_line.h"
#include "cli/interval.h"
#include "commands/command.h"
#include "export/exposition.h"
#include "export/metrics.h"
#include "filesystems/fs_rows.h"
#include "lib/cleanup.h"
#include "lib/error.h"
#include "lib/number.h"
#include "lib/sysroot.h"
#include "measure/source.h"
#include "record/answer.h"
#include "sample/device_question.h"
#include "sample/reading.h"
#include "worker/new_file.h"

#define DEFAULT_TOP 20
/* The recorder answers from memory. */
#define RECORDER_SECONDS 1
#define MOST_TOTALS (256 << 10) /* bytes */

struct options {
	struct common_options common;
	const char *textfile;
	enum exposition_format format;
	bool format_chosen;
	size_t top;
};

static const char *const formats[] = {
	[EXPOSITION_OPENMETRICS] = "openmetrics",
	[EXPOSITION_PROMETHEUS] = "prometheus",
};

#define FORMATS (sizeof(formats) / sizeof(*formats))

static const char *format_word(size_t which)
{
	return which < FORMATS ? formats[which] : NULL;
}

static int take_format(void *data, const struct option_given *given,
		       struct error *err)
{
	struct options *options = data;

	for (size_t i = 0; i < FORMATS; i++) {
		if (strcmp(given->value, formats[i]) != 0)
			continue;
		options->format_chosen = true;
		options->format = (enum exposition_format)i;
		return 0;
	}
	return error_option(err, "--format",
			    "%s: use openmetrics or prometheus", given->value);
}

static int take_top(void *place, const struct option_given *given,
		    struct error *err)
{
	uint64_t top;

	if (!number_parse(given->value, SIZE_MAX / 2, &top) || !top)
		return error_option(err, "--top",
				    "%s: not a number of devices from 1 on",
				    given->value);
	*(size_t *)place = (size_t)top;
	return 0;
}

static const struct option_row option_rows[] = {
	ROW_TEXT('\0', "textfile", struct options, textfile, "PATH",
		 WORDS_FILES,
		 "replace PATH in one step; node_exporter's textfile collector "
		 "reads files that end in .prom"),
	ROW_WHOLE('\0', "format", "NAME", take_format,
		  "openmetrics, for a server (the default), or "
		  "prometheus, the text format 0.0.4, for the textfile "
		  "collector and promtool check metrics (the default "
		  "with --textfile)",
		  .word = format_word),
	ROW_CALL('\0', "top", struct options, top, "N", take_top,
		 "export the largest N devices and N filesystems (20), and the "
		 "sum of the others"),
	ROW_REFUSED('J', "json", NULL,
		    "export has formats of its own (see bufstat export "
		    "--help)"),
	ROW_GROUP(struct options, common, source_option),
	ROW_GROUP(struct options, common, tree_options),
	ROW_GROUP(struct options, common, timeout_option),
	ROW_GROUP(struct options, common, help_options),
	{ 0 },
};

static void init(void *data)
{
	struct options *options = data;

	options->top = DEFAULT_TOP;
}

static int check(void *data, struct error *err __attribute__((unused)))
{
	struct options *options = data;

	if (!options->format_chosen && options->textfile)
		options->format = EXPOSITION_PROMETHEUS;
	return 0;
}

static int write_textfile(const struct options *options,
			  const struct metrics_input *metrics,
			  struct error *err)
{
	struct new_file file;
	int ret = new_file_create(&file, "writing metrics", options->textfile,
				  err);

	if (ret < 0)
		return ret;
	metrics_print(file.out, options->format, new_file_is_terminal(&file),
		      metrics);
	return new_file_commit(&file, err);
}

static int write_metrics(const struct options *options,
			 const struct sysroot *root,
			 const struct reading *reading,
			 const struct export_filled *filled, struct error *err)
{
	const struct device_answer *devices =
		reading_answer(reading, QUESTION_DEVICES);
	const struct fs_answer *fs =
		reading_answer(reading, QUESTION_FILESYSTEMS);
	struct metrics_input metrics;
	int ret = metrics_init(&metrics, &devices->devices,
			       fs ? fs->filesystems : NULL, root, options->top);

	metrics.filled = filled;
	if (ret < 0)
		error_errno(err, -ret, "gathering", "the metrics");
	else if (options->textfile)
		ret = write_textfile(options, &metrics, err);
	else
		metrics_print(stdout, options->format, isatty(STDOUT_FILENO),
			      &metrics);
	metrics_deinit(&metrics);
	return ret;
}

/*
 * Asks the recorder, if there is one, who filled caches. Returns 0 or -ENOMEM;
 * without an answer nobody is traced.
 */
static int ask_recorder(struct export_filled *filled,
			const struct sysroot *root)
{
	_cleanup_(closep) int fd = memfd_create("bufstat-totals", MFD_CLOEXEC);
	_cleanup_(freep) char *text = calloc(1, MOST_TOTALS + 1);

	if (!text)
		return -ENOMEM;
	if (!sysroot_is_live(root) || fd < 0 ||
	    answer_get(RECORD_TOTALS "\n", fd, RECORDER_SECONDS) < 0 ||
	    pread(fd, text, MOST_TOTALS, 0) <= 0)
		return 0;
	return export_filled_init(filled, text, root) == -ENOMEM ? -ENOMEM : 0;
}

/* Returns the exit code. */
static int tell_missing(const struct reading *reading)
{
	const struct device_answer *devices =
		reading_answer(reading, QUESTION_DEVICES);
	const struct answer *fs = reading_answer(reading, QUESTION_FILESYSTEMS);

	device_question.missing(devices, told_print, NULL);
	if (fs)
		fs_question.missing(fs, told_print, NULL);
	if (devices->devices.collected < 0)
		return exit_code_of(&devices->devices.why);
	return devices->head.is_whole && (!fs || fs->is_whole) ? EXIT_OK :
								 EXIT_PARTIAL;
}

static int run(void *data, const struct sysroot *root)
{
	const struct options *options = data;
	_cleanup_(reading_deinit) struct reading reading = { 0 };
	_cleanup_(export_filled_deinit) struct export_filled filled = { 0 };
	struct asking asking = {
		/* That no source can be used is a metric. */
		.purpose = ASKED_TO_CAPTURE,
		.root = root,
		.source = options->common.source,
	};
	struct error err;
	int ret = reading_ask(&reading, QUESTION_DEVICES, &asking);

	err = *reading_why(&reading, QUESTION_DEVICES);
	/* If neither the module nor kcore can be used, they have no rows. */
	asking.source = NULL;
	if (!ret)
		reading_ask(&reading, QUESTION_FILESYSTEMS, &asking);
	if (!ret && ask_recorder(&filled, root) < 0)
		ret = error_errno(&err, ENOMEM, "gathering", "the metrics");
	if (!ret)
		ret = write_metrics(options, root, &reading, &filled, &err);
	if (ret < 0) {
		error_print(&err);
		return EXIT_FAILED;
	}
	return tell_missing(&reading);
}

const struct command_line command_export = {
	.name = "export",
	.brief = "metrics for Prometheus",
	.rows = option_rows,
	.about =
		"Metrics for Prometheus: one sample of the block devices behind "
		"Buffers and,\n"
		"with the module or kcore, of the filesystems behind Cached. While "
		"bufstat\n"
		"record runs also what each command brought in.\n",
	.exit_status =
		"Exit status: 0 all measured, 1 failure, 2 no usable source "
		"(bufstat_up is 0),\n"
		"3 measured in part.\n",
	.options_size = sizeof(struct options),
	.init = init,
	.check = check,
	.run = run,
};
