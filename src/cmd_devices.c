// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "command.h"
#include "devices/device_columns.h"
#include "devices/devices_options.h"
#include "frame/command_line.h"
#include "frame/interval.h"
#include "lib/cleanup.h"
#include "lib/error.h"
#include "lib/sysroot.h"
#include "measure/all_devices.h"
#include "measure/history.h"
#include "measure/refused.h"
#include "measure/vmcore.h"
#include "sample/baseline_file.h"
#include "sample/reading.h"
#include "sample/reading_json.h"
#include "table/table.h"

static struct column_choice
choose_columns(const struct reading *reading,
	       const struct devices_options *options)
{
	struct column_choice columns = options->table.columns;

	if (history_is_there(reading->history) &&
	    !options->table.columns_chosen)
		column_choice_with_history(&columns, &device_columns);
	return columns;
}

static int print_table(const struct reading *reading,
		       const struct devices_options *options, struct error *err)
{
	const struct column_choice columns = choose_columns(reading, options);
	const struct table_style style = table_options_style(&options->table);
	const struct table_rows rows =
		device_rows_of_table(&reading->rows, true);
	int ret = table_print(stdout, &rows, &columns, &style);

	return ret < 0 ? error_errno(err, -ret, "printing", "the table") : 0;
}

/* Adds devices that have vanished and, with -a, those without pages. */
static int complete(struct snapshot *snapshot, const struct history *history,
		    const struct devices_options *options,
		    const struct sysroot *root, struct error *err)
{
	if (history_add_vanished(history, snapshot) < 0)
		return error_errno(err, ENOMEM, "comparing", "two samples");
	/* A dump already lists every device. */
	return options->all && !options->common.vmcore ?
		       all_devices_add(root, snapshot, err) :
		       0;
}

static int report(const struct reading *reading,
		  const struct devices_options *options, struct error *err)
{
	const struct column_choice columns = choose_columns(reading, options);
	int ret = options->common.json ?
			  reading_json_print(stdout, reading, &columns, err) :
			  print_table(reading, options, err);

	if (!ret && options->repeat.save)
		ret = reading_json_save(options->repeat.save, reading, err);
	if (!ret &&
	    !meminfo_has(&reading->measurement.meminfo, MEMINFO_BUFFERS))
		ret = error_doing(
			err, ERROR_PARTIAL, "reading Buffers", "/proc/meminfo",
			"no such field, so the unattributed part is not known");
	return ret;
}

/* Measures and looks up names; prints nothing. */
static int take(struct reading *reading, const struct devices_options *options,
		const struct sysroot *root, const struct history *history,
		struct error *err)
{
	struct measurement *measurement = &reading->measurement;
	int ret = 0;

	if (options->common.vmcore)
		vmcore_measure(options->common.vmcore, root->patience,
			       measurement);
	else
		ret = measure(root, options->common.source, measurement, err);
	if (!ret && measurement->collected < 0) {
		*err = measurement->why;
		return measurement->collected;
	}
	if (!ret)
		ret = complete(&measurement->snapshot, history, options, root,
			       err);
	if (!ret && reading_complete(reading, root, history,
				     options->all ? ROWS_ALL : ROWS_WITH_PAGES,
				     options->table.sort) < 0)
		ret = error_errno(err, ENOMEM, "naming", "the devices");
	return ret;
}

static int sample(struct reading *reading,
		  const struct devices_options *options,
		  const struct sysroot *root, struct history *history,
		  struct error *err)
{
	int ret = take(reading, options, root, history, err);

	interval_hold_interrupt();
	if (!ret)
		ret = report(reading, options, err);
	if (!ret && history_take(history, &reading->measurement) < 0)
		ret = error_errno(err, ENOMEM, "keeping", "the sample");
	return ret;
}

static int exit_code(const struct measurement *measurement,
		     const struct history *history)
{
	if (!snapshot_is_whole(&measurement->snapshot) ||
	    history->first.unsettled)
		return EXIT_PARTIAL;
	return EXIT_OK;
}

/* The data of print_sample(). */
struct sampling {
	const struct devices_options *options;
	const struct sysroot *root;
	struct history history;
	struct told told;
};

static int print_sample(void *data)
{
	_cleanup_(reading_deinit) struct reading reading = { 0 };
	const struct measurement *measurement = &reading.measurement;
	struct sampling *sampling = data;
	struct error err;
	int ret;

	patience_begin(sampling->root->patience);
	told_next(&sampling->told);
	ret = sample(&reading, sampling->options, sampling->root,
		     &sampling->history, &err);

	if (ret < 0 && measurement->collected == 0)
		told_print(&sampling->told, &err);
	refused_print(measurement, true, &sampling->told);
	return ret < 0 ? exit_code_of(&err) :
			 exit_code(measurement, &sampling->history);
}

static int run(void *data, const struct sysroot *root)
{
	const struct devices_options *options = data;
	struct sampling sampling = { .options = options, .root = root };
	const char *since = options->repeat.since;
	struct error err;
	int code;

	if (since && baseline_read(&sampling.history.first, since, "devices",
				   root, &err) < 0) {
		error_print(&err);
		return EXIT_FAILED;
	}
	if (since && !baseline_is_proven(&sampling.history.first, since, &err))
		error_print(&err);
	code = interval_run(&options->repeat.interval, !options->common.json,
			    print_sample, &sampling);
	history_deinit(&sampling.history);
	told_deinit(&sampling.told);
	return code;
}

const struct command_line command_devices = {
	.name = "devices",
	.brief = "every block device in full",
	.rows = devices_options,
	.about = "The block devices that the pages of Buffers belong to.\n",
	.columns = &device_columns,
	.exit_status =
		"Exit status: 0 all measured, 1 failure, 2 no usable source,\n"
		"3 measured in part (a device or a source refused).\n",
	.options_size = sizeof(struct devices_options),
	.init = devices_options_init,
	.check = devices_options_check,
	.run = run,
};
