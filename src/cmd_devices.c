// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "all_devices.h"
#include "baseline_file.h"
#include "cleanup.h"
#include "command.h"
#include "command_line.h"
#include "device_rows.h"
#include "devices_options.h"
#include "error.h"
#include "history.h"
#include "interval.h"
#include "measure.h"
#include "refused.h"
#include "report.h"
#include "sample_json.h"
#include "sysroot.h"
#include "vmcore.h"

static int print_table(const struct report *report,
		       const struct history *history,
		       const struct sysroot *root,
		       const struct devices_options *options, struct error *err)
{
	struct column_choice columns = options->table.columns;
	const struct table_style style = table_options_style(&options->table);
	struct table_rows table;
	struct device_rows rows;
	int ret = device_rows_init(&rows, report, history, root,
				   options->all ? ROWS_ALL : ROWS_WITH_PAGES);

	if (history_is_there(history) && !options->table.columns_chosen)
		column_choice_with_history(&columns, &device_columns);
	if (!ret && options->table.sort)
		device_rows_sort(&rows, options->table.sort);
	if (!ret)
		ret = device_rows_add_rest(&rows, report, history);
	table = device_rows_of_table(&rows);
	if (!ret)
		ret = table_print(stdout, &table, &columns, &style);
	device_rows_deinit(&rows);
	if (ret < 0)
		return error_errno(err, -ret, "printing", "the table");
	return 0;
}

/* Adds what the sample does not say itself: what was there before, and -a. */
static int complete(struct snapshot *snapshot, const struct history *history,
		    const struct devices_options *options,
		    const struct sysroot *root, struct error *err)
{
	if (history_add_vanished(history, snapshot) < 0)
		return error_errno(err, ENOMEM, "comparing", "two samples");
	/* A dump lists them all itself. */
	return options->all && !options->vmcore ?
		       all_devices_add(root, snapshot, err) :
		       0;
}

static int report_table(const struct measurement *measurement,
			const struct history *history,
			const struct devices_options *options,
			const struct sysroot *root, struct error *err)
{
	struct report report;
	int ret = report_init(&report, &measurement->snapshot,
			      &measurement->meminfo);

	if (ret < 0)
		error_errno(err, -ret, "sorting", "the devices");
	else
		ret = print_table(&report, history, root, options, err);
	report_deinit(&report);
	return ret;
}

static int report_sample(const struct measurement *measurement,
			 const struct history *history,
			 const struct devices_options *options,
			 const struct sysroot *root, struct error *err)
{
	struct column_choice columns = options->table.columns;
	const struct sample_json sample = {
		.root = root,
		.measurement = measurement,
		.history = history,
		.columns = &columns,
		.sort = options->table.sort,
		.all_devices = options->all,
	};
	int ret;

	if (history_is_there(history) && !options->table.columns_chosen)
		column_choice_with_history(&columns, &device_columns);
	if (options->common.json)
		ret = sample_json_print(stdout, &sample, err);
	else
		ret = report_table(measurement, history, options, root, err);
	if (!ret && options->repeat.save)
		ret = sample_json_save(options->repeat.save, &sample, err);
	if (!ret && !meminfo_has(&measurement->meminfo, MEMINFO_BUFFERS))
		ret = error_set(err, ENODATA,
				"reading Buffers: /proc/meminfo: no such "
				"field, so nothing can be called "
				"unattributed");
	return ret;
}

static int sample(const struct devices_options *options,
		  const struct sysroot *root, struct history *history,
		  struct measurement *measurement, struct error *err)
{
	int ret = 0;

	if (options->vmcore)
		vmcore_measure(options->vmcore, measurement);
	else
		ret = measure(root, options->common.source, measurement, err);

	if (!ret)
		ret = measurement->collected;
	if (!ret)
		ret = complete(&measurement->snapshot, history, options, root,
			       err);
	interval_hold_interrupt();
	if (!ret)
		ret = report_sample(measurement, history, options, root, err);
	if (!ret && history_take(history, measurement) < 0)
		ret = error_errno(err, ENOMEM, "keeping", "the sample");
	return ret;
}

static int exit_code(int ret, const struct measurement *measurement)
{
	if (ret == -EOPNOTSUPP)
		return EXIT_NO_SOURCE;
	if (ret < 0 && ret != -ENODATA)
		return EXIT_FAILED;
	if (ret < 0 || !snapshot_is_whole(&measurement->snapshot))
		return EXIT_PARTIAL;
	return EXIT_OK;
}

/* What a sample needs. */
struct sampling {
	const struct devices_options *options;
	const struct sysroot *root;
	struct history history;
};

static int print_sample(void *data)
{
	_cleanup_(measurement_deinit) struct measurement measurement = { 0 };
	struct sampling *sampling = data;
	struct error err;
	int ret = sample(sampling->options, sampling->root, &sampling->history,
			 &measurement, &err);

	if (ret < 0 && measurement.collected == 0)
		error_print(&err);
	refused_print(&measurement, true);
	return exit_code(ret, &measurement);
}

static int run_on(const struct devices_options *options,
		  const struct sysroot *root)
{
	struct sampling sampling = { .options = options, .root = root };
	struct error err;
	int code = EXIT_FAILED;

	if (options->repeat.since &&
	    baseline_read(&sampling.history.first, options->repeat.since,
			  "devices", &err) < 0)
		error_print(&err);
	else
		code = interval_run(&options->repeat.interval,
				    !options->common.json, print_sample,
				    &sampling);
	history_deinit(&sampling.history);
	return code;
}

static int run(void *data, const struct sysroot *root)
{
	const struct devices_options *options = data;
	struct sysroot empty;
	struct error err;
	int code;

	if (!options->vmcore)
		return run_on(options, root);
	/* Nothing of this host has to do with what is in a dump. */
	if (sysroot_init_empty(&empty, options->vmcore, &err) < 0) {
		error_print(&err);
		return EXIT_FAILED;
	}
	code = run_on(options, &empty);
	sysroot_deinit(&empty);
	return code;
}

int cmd_devices(int argc, char **argv)
{
	static const struct command_line line = {
		.name = "devices",
		.print_help = devices_print_help,
		.letters = devices_letters,
		.names = devices_names,
		.take_option = devices_take_option,
		.check = devices_check_options,
		.run = run,
	};
	struct devices_options options;

	devices_options_init(&options);
	return command_line_run(&line, argc, argv, &options.common, &options);
}
