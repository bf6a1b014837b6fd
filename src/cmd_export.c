// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <getopt.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "ask.h"
#include "cleanup.h"
#include "command.h"
#include "command_line.h"
#include "error.h"
#include "exposition.h"
#include "measure.h"
#include "measured_filesystems.h"
#include "metrics.h"
#include "new_file.h"
#include "number.h"
#include "refused.h"
#include "sysroot.h"

#define DEFAULT_TOP 20

struct options {
	struct common_options common;
	const char *textfile;
	enum exposition_format format;
	bool format_chosen;
	size_t top;
};

static void print_help(void)
{
	fputs("Usage: bufstat export [options]\n"
	      "\n"
	      "Metrics for Prometheus: one sample of the block devices behind "
	      "Buffers and,\n"
	      "with the module, of the filesystems behind Cached.\n"
	      "\n"
	      "     --textfile PATH   write to PATH, all or nothing; for the\n"
	      "                       textfile collector of node_exporter it\n"
	      "                       ends in .prom\n"
	      "     --format NAME     openmetrics, or prometheus, which is what\n"
	      "                       the textfile collector reads (usual with\n"
	      "                       --textfile)\n"
	      "     --top N           a row each for N devices (20) and as\n"
	      "                       many filesystems, one for the others\n"
	      "     --source NAME     module, cachestat, kcore (else the best)\n"
	      "     --sysroot DIR     read a captured tree, not this host\n"
	      "     --capture FILE    read what bufstat capture wrote\n"
	      " -h, --help            this text\n"
	      " -V, --version         the version\n"
	      "\n"
	      "Exit status: 0 all measured, 1 failure, 2 no usable source "
	      "(bufstat_up is 0),\n"
	      "3 measured in part.\n",
	      stdout);
}

enum { OPTION_TEXTFILE = COMMAND_OPTION, OPTION_FORMAT, OPTION_TOP };

static int set_format(struct options *options, const char *name,
		      struct error *err)
{
	options->format_chosen = true;
	if (strcmp(name, "openmetrics") == 0)
		options->format = EXPOSITION_OPENMETRICS;
	else if (strcmp(name, "prometheus") == 0)
		options->format = EXPOSITION_PROMETHEUS;
	else
		return error_set(err, EINVAL,
				 "reading options: --format: %s: use "
				 "openmetrics or prometheus",
				 name);
	return 0;
}

static int set_top(struct options *options, const char *text, struct error *err)
{
	uint64_t top;

	if (!number_parse(text, SIZE_MAX / 2, &top))
		return error_set(err, EINVAL,
				 "reading options: --top: %s: not a number of "
				 "devices",
				 text);
	options->top = (size_t)top;
	return 0;
}

static int take_option(void *data, int option, struct error *err)
{
	struct options *options = data;

	switch (option) {
	case OPTION_FORMAT:
		return set_format(options, optarg, err);
	case OPTION_TOP:
		return set_top(options, optarg, err);
	default:
		options->textfile = optarg;
		return 0;
	}
}

static int check(void *data, struct error *err)
{
	struct options *options = data;

	if (options->common.json)
		return error_set(err, EINVAL,
				 "reading options: --json: export has formats "
				 "of its own (see bufstat export --help)");
	if (!options->format_chosen && options->textfile)
		options->format = EXPOSITION_PROMETHEUS;
	return 0;
}

static int write_textfile(const struct options *options,
			  const struct measurement *measurement,
			  const struct filesystems *filesystems,
			  const struct sysroot *root, struct error *err)
{
	const char *path = options->textfile;
	struct new_file file;
	int ret = new_file_create(&file, path);

	if (ret < 0)
		return error_errno(err, -ret, "writing metrics", path);
	ret = metrics_print(file.out, options->format, measurement, filesystems,
			    root, options->top, err);
	if (ret < 0) {
		new_file_discard(&file);
		return ret;
	}
	ret = new_file_commit(&file);
	return ret < 0 ? error_errno(err, -ret, "writing metrics", path) : 0;
}

static int exit_code(const struct measurement *measurement)
{
	if (measurement->collected == -EOPNOTSUPP)
		return EXIT_NO_SOURCE;
	if (measurement->collected < 0)
		return EXIT_FAILED;
	if (!snapshot_is_whole(&measurement->snapshot) ||
	    !meminfo_has(&measurement->meminfo, MEMINFO_BUFFERS))
		return EXIT_PARTIAL;
	return EXIT_OK;
}

static int run(void *data, const struct sysroot *root)
{
	const struct options *options = data;
	_cleanup_(measurement_deinit) struct measurement measurement = { 0 };
	_cleanup_(filesystems_deinit) struct filesystems filesystems = { 0 };
	const struct filesystems *asked = NULL;
	struct error err;
	int ret = measure(root, options->common.source, &measurement, &err);

	/* A source that does not exist is no measurement that failed. */
	if (!ret && measurement.collected == -EINVAL) {
		err = measurement.why;
		ret = -EINVAL;
	}
	/* Only the module knows of them; without it there are no rows. */
	if (!ret &&
	    filesystems_init(&filesystems, root, ASK_SECONDS, NULL) == 0)
		asked = &filesystems;
	if (!ret && options->textfile)
		ret = write_textfile(options, &measurement, asked, root, &err);
	else if (!ret)
		ret = metrics_print(stdout, options->format, &measurement,
				    asked, root, options->top, &err);
	if (ret < 0) {
		error_print(&err);
		return EXIT_FAILED;
	}
	refused_print(&measurement, true);
	if (!meminfo_has(&measurement.meminfo, MEMINFO_BUFFERS)) {
		error_set(&err, ENODATA,
			  "reading Buffers: /proc/meminfo: no such field");
		error_print(&err);
	}
	return exit_code(&measurement);
}

int cmd_export(int argc, char **argv)
{
	static const struct option names[] = {
		{ "textfile", required_argument, NULL, OPTION_TEXTFILE },
		{ "format", required_argument, NULL, OPTION_FORMAT },
		{ "top", required_argument, NULL, OPTION_TOP },
		{ 0 },
	};
	static const struct command_line line = {
		.name = "export",
		.print_help = print_help,
		.names = names,
		.take_option = take_option,
		.check = check,
		.run = run,
	};
	struct options options = { .top = DEFAULT_TOP };

	return command_line_run(&line, argc, argv, &options.common, &options);
}
