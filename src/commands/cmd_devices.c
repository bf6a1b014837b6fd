// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "blocks/identities.h"
#include "cli/command_line.h"
#include "cli/interval.h"
#include "cli/table_options.h"
#include "commands/command.h"
#include "commands/command_past.h"
#include "devices/device_columns.h"
#include "devices/device_tree.h"
#include "filesystems/selection.h"
#include "kernel/kernel.h"
#include "lib/cleanup.h"
#include "lib/error.h"
#include "lib/sysroot.h"
#include "measure/all_devices.h"
#include "measure/history.h"
#include "measure/refused.h"
#include "measure/source.h"
#include "measure/vmcore.h"
#include "names/device_base.h"
#include "names/device_find.h"
#include "names/device_names.h"
#include "names/names.h"
#include "names/openers.h"
#include "sample/baseline_file.h"
#include "sample/reading.h"
#include "sample/reading_json.h"
#include "store/format.h"
#include "table/table.h"

struct options {
	struct common_options common;
	struct table_options table;
	struct repeat_options repeat;
	bool all;
};

static const struct option_row option_rows[] = {
	ROW_FLAG('a', "all", struct options, all,
		 "also devices without pages or, with -s, unchanged"),
	ROW_GROUP(struct options, table.style.unit, size_options),
	ROW_GROUP(struct options, table, table_options),
	ROW_GROUP(struct options, table, layout_options),
	ROW_GROUP(struct options, table, top_option),
	ROW_GROUP(struct options, repeat, repeat_options),
	ROW_TEXT('\0', "vmcore", struct options, common.vmcore, "FILE",
		 WORDS_FILES, "the devices of the kernel in a dump"),
	ROW_GROUP(struct options, common, past_options),
	ROW_GROUP(struct options, common, json_lines_option),
	ROW_GROUP(struct options, common, measuring_options),
	{ 0 },
};

static int check(void *data, struct error *err)
{
	const struct options *options = data;
	int ret = repeat_check(&options->repeat, &options->common, err);

	if (ret < 0)
		return ret;
	if (options->table.style.format == TABLE_TREE && options->table.top)
		return error_option(err, "-T and --top", "use one of them");
	if (options->table.style.format == TABLE_TREE && options->common.vmcore)
		return error_option(
			err, "-T",
			"a dump does not tell what is built on what");
	return 0;
}

static struct column_choice choose_columns(const struct reading *reading,
					   const struct options *options)
{
	struct column_choice columns = options->table.columns;

	if (history_is_there(reading->history) &&
	    !options->table.columns_chosen)
		column_choice_with_history(&columns, &device_columns);
	return columns;
}

static int print_table(const struct reading *reading,
		       const struct options *options, struct error *err)
{
	const struct column_choice columns = choose_columns(reading, options);
	const struct table_style style = table_options_style(&options->table);
	const struct table_rows rows = device_rows_of_table(
		&reading->rows, !reading->rows.is_selected);
	int ret = table_print(stdout, &rows, &columns, &style);

	return table_error(err, ret, "the table");
}

/* The data of print_sample(). */
struct sampling {
	const struct options *options;
	const struct sysroot *root;
	struct selection *selection;
	struct history history;
	struct error unasked; /* why nothing tells what is on a device */
	struct told told;
};

static bool is_tree(const struct sampling *sampling)
{
	return sampling->options->table.style.format == TABLE_TREE;
}

/*
 * Devices without pages are shown with -a, if they are named, and if something
 * with pages is below them in a tree.
 */
static bool wants_all(const struct sampling *sampling)
{
	return sampling->options->all || sampling->selection->count ||
	       is_tree(sampling);
}

/* Whether nobody has measured it: a table may have fewer rows. */
static bool is_absent(const struct snapshot *snapshot,
		      const struct sample *device)
{
	for (size_t i = 0; i < snapshot->count; i++) {
		const struct sample *measured = &snapshot->devices[i];

		if (measured->major == device->major &&
		    measured->minor == device->minor)
			return false;
	}
	return true;
}

/* Whether no partition is on the disk, nothing built of it, nothing mounted. */
static bool is_bare(const struct sysroot *root, struct names *names,
		    const struct sample *disk)
{
	_cleanup_(device_base_deinit) struct device_base base = { 0 };
	_cleanup_(device_names_deinit) struct device_names device = { 0 };

	return names && names_lookup(names, disk, &device) == 0 &&
	       !device.mountpoints.count && !device.holders.count &&
	       !device.has_hidden_holders &&
	       device_base_init(&base, root, disk->major, disk->minor) == 0 &&
	       !base.has_partitions && !base.has_hidden_partitions;
}

/*
 * Names the first such disk without pages to somebody who looks at the list:
 * what was read from it may be gone.
 */
static void print_bare(const struct reading *reading, struct sampling *sampling)
{
	_cleanup_(string_list_deinit) struct string_list knames = { 0 };
	const struct table_style *style = &sampling->options->table.style;
	struct names *names = NULL;
	char path[NAME_MAX + 64];
	struct error err;

	if (wants_all(sampling) || sampling->options->repeat.interval.repeats ||
	    style->format != TABLE_PLAIN || style->no_headings ||
	    !isatty(STDOUT_FILENO) ||
	    sysroot_list(sampling->root, CLASS_BLOCK, &knames) < 0)
		return;
	for (size_t i = 0; i < knames.count; i++) {
		const char *kname = knames.strings[i];
		struct sample disk = { 0 };
		struct found_device found;

		/* A virtual device has no link to one. */
		snprintf(path, sizeof(path), CLASS_BLOCK "/%s/device", kname);
		if (!sysroot_exists(sampling->root, path) ||
		    device_find_kname(sampling->root, kname, &found) < 0)
			continue;
		disk.major = major(found.number);
		disk.minor = minor(found.number);
		found_device_deinit(&found);
		if (!is_absent(&reading->measurement.snapshot, &disk))
			continue;
		names = names ?: names_create(sampling->root);
		if (!is_bare(sampling->root, names, &disk))
			continue;
		error_set(&err, 0, "%s: no pages: %s", kname,
			  device_reason_text(DEVICE_PERHAPS_CLOSED));
		told_print(&sampling->told, &err);
		break;
	}
	names_destroy(names);
}

/* Adds devices that have vanished and, if wanted, those without pages. */
static int complete(struct snapshot *snapshot, const struct sampling *sampling,
		    struct error *err)
{
	if (history_add_vanished(&sampling->history, snapshot) < 0)
		return error_errno(err, ENOMEM, "comparing", "two samples");
	/* A dump already lists every device. */
	return wants_all(sampling) && !sampling->options->common.vmcore ?
		       all_devices_add(sampling->root, snapshot, err) :
		       0;
}

static bool is_wanted(void *data, const struct device_row *row)
{
	const struct called called = {
		.major = row->sample->major,
		.minor = row->sample->minor,
		.name = row->names.name,
		.other = row->names.kname,
		.mountpoints = &row->names.mountpoints,
	};

	return selection_has(data, &called);
}

/* The devices of a tree of all: those that would be in a list. */
static bool is_listed(void *data, const struct device_row *row)
{
	const struct sampling *sampling = data;

	return sampling->options->all ||
	       device_rows_lists(row->sample, &sampling->history);
}

/* Leaves the rows that are to be shown, in order. */
static int arrange(struct device_rows *rows, struct sampling *sampling)
{
	const struct options *options = sampling->options;
	struct selection *selection = sampling->selection;
	/* What is saved has all rows. */
	bool only_changed = table_options_only_changed(
		&options->table, &options->common,
		options->all || options->repeat.save);
	int ret;

	if (selection->count && !is_tree(sampling))
		device_rows_select(rows, is_wanted, selection);
	ret = device_rows_arrange(rows, &options->table.order,
				  options->table.top, only_changed);
	if (ret < 0 || !is_tree(sampling))
		return ret;
	if (selection->count)
		return device_rows_make_tree(rows, sampling->root, is_wanted,
					     selection, true);
	return device_rows_make_tree(rows, sampling->root, is_listed, sampling,
				     false);
}

/* Adds names, and leaves the rows that are to be shown. */
static int look_up(struct reading *reading, struct sampling *sampling)
{
	int ret = reading_complete(reading, sampling->root, &sampling->history,
				   wants_all(sampling) ? ROWS_ALL :
							 ROWS_WITH_PAGES);

	return ret < 0 ? ret : arrange(&reading->rows, sampling);
}

/* Where udev has a record, it has looked at the device itself. */
static bool lacks_identity(const struct device_row *row)
{
	return row->sample && row->number && !row->names.fstype &&
	       !row->names.is_probed && sample_has(row->sample, FIGURE_PAGES) &&
	       row->sample->figures[FIGURE_PAGES];
}

/* What cannot be read stays unknown: most hosts need nothing of it. */
static int identify_live(struct reading *reading,
			 const struct sampling *sampling,
			 struct identities *identities)
{
	const struct column_choice columns =
		choose_columns(reading, sampling->options);
	struct kernel kernel;
	struct error unused;
	int ret = 0;

	if (!sysroot_is_live(sampling->root) ||
	    !device_columns_show_contents(&columns))
		return 0;
	for (size_t i = 0; !ret && i < reading->rows.count; i++) {
		const struct device_row *row = &reading->rows.rows[i];

		if (lacks_identity(row))
			ret = identities_add(identities, row->sample->major,
					     row->sample->minor);
	}
	if (ret < 0 || !identities->count)
		return ret;
	if (kernel_open(&kernel, sampling->root, NULL, &unused) == 0)
		ret = identities_read(identities, &kernel);
	return kernel_close(&kernel, ret, &unused);
}

/* Adds types, labels and UUIDs that only cached pages tell. */
static int identify(struct reading *reading, struct sampling *sampling,
		    struct identities *identities)
{
	int ret = 0;

	sampling->unasked = (struct error){ 0 };
	if (!sampling->options->common.vmcore)
		ret = identify_live(reading, sampling, identities);
	for (size_t i = 0; !ret && i < reading->rows.count; i++) {
		struct device_row *row = &reading->rows.rows[i];

		if (row->sample && row->number)
			ret = identities_name(identities, row->sample->major,
					      row->sample->minor, &row->names);
	}
	if (error_is_set(&identities->why)) {
		sampling->unasked = identities->why;
		error_within(&sampling->unasked, 0,
			     "telling what is on devices", NULL);
	}
	return ret;
}

static void measure_dump(const struct sampling *sampling,
			 struct measurement *measurement,
			 struct identities *identities)
{
	const char *path = sampling->options->common.vmcore;
	struct kernel kernel;
	struct error why;
	int ret = kernel_open(&kernel, sampling->root, path, &why);

	*measurement = (struct measurement){ .snapshot.source = "vmcore" };
	if (!ret) {
		ret = vmcore_read(&kernel, measurement);
		why = measurement->why;
		if (!ret && identities_read(identities, &kernel) < 0)
			ret = error_errno(&why, ENOMEM, "naming",
					  "the devices");
	}
	measurement->collected = kernel_close(&kernel, ret, &why);
	measurement->why = why;
}

/* Measures and looks up names; prints nothing. */
static int take(struct reading *reading, struct sampling *sampling,
		struct error *err)
{
	const struct common_options *common = &sampling->options->common;
	_cleanup_(identities_deinit) struct identities identities = { 0 };
	struct measurement *measurement = &reading->measurement;
	int ret = 0;

	if (common->vmcore)
		measure_dump(sampling, measurement, &identities);
	else
		ret = measure(sampling->root, common->source, measurement, err);
	if (!ret && measurement->collected < 0) {
		*err = measurement->why;
		return measurement->collected;
	}
	if (!ret)
		ret = complete(&measurement->snapshot, sampling, err);
	if (!ret && (look_up(reading, sampling) < 0 ||
		     identify(reading, sampling, &identities) < 0))
		ret = error_errno(err, ENOMEM, "naming", "the devices");
	return ret;
}

static int print(struct reading *reading, const struct sampling *sampling,
		 struct error *err)
{
	const struct options *options = sampling->options;
	const struct column_choice columns = choose_columns(reading, options);
	int ret;

	if (options->repeat.interval.repeats && !options->common.json)
		table_options_print_clock(&options->table);
	ret = options->common.json ?
		      reading_json_print(stdout, reading, &columns,
					 options->common.json_lines, err) :
		      print_table(reading, options, err);
	if (!ret && options->repeat.save)
		ret = reading_json_save(options->repeat.save, reading, err);
	return ret;
}

static int sample(struct reading *reading, struct sampling *sampling,
		  struct error *err)
{
	int ret = take(reading, sampling, err);

	interval_hold_interrupt();
	if (!ret)
		ret = print(reading, sampling, err);
	if (!ret && history_take(&sampling->history, &reading->measurement) < 0)
		ret = error_errno(err, ENOMEM, "keeping", "the sample");
	return ret;
}

/*
 * What the only device without figures may have, and why a device that was
 * named has nothing.
 */
static void print_reasons(const struct reading *reading,
			  struct sampling *sampling)
{
	_cleanup_(openers_deinit) struct openers openers = { 0 };
	const struct options *options = sampling->options;
	const struct report *report = &reading->report;
	const bool is_named = sampling->selection->count &&
			      !options->common.json;
	char size[SIZE_TEXT_LENGTH];
	struct error err;

	size_text(report->unattributed_pages * (int64_t)report->page_size,
		  size);
	for (size_t i = 0; i < reading->rows.count; i++) {
		const struct device_row *row = &reading->rows.rows[i];
		const char *name = row->names.name ?: row->number;
		enum device_reason reason = device_row_reason(row, &openers);
		const char *why;

		/* A dump's processes are not here. */
		if (reason == DEVICE_PERHAPS_CLOSED && is_named &&
		    !openers.processes && !openers.failed &&
		    !options->common.vmcore) {
			openers_init(&openers, sampling->root);
			reason = device_row_reason(row, &openers);
		}
		why = device_reason_text(reason);
		if (reason == DEVICE_ALONE && !options->repeat.interval.repeats)
			error_set(&err, ERROR_PARTIAL, "%s: at most %s (%s)",
				  name, size, why);
		else if (reason > DEVICE_ALONE && is_named)
			error_set(&err, 0, "%s: no pages: %s", name, why);
		else
			continue;
		told_print(&sampling->told, &err);
	}
	if (sampling->selection->count || options->common.json ||
	    !reading->measurement.snapshot.lists_all_pages)
		return;
	if (reading->rows.count) {
		print_bare(reading, sampling);
		return;
	}
	/* Those that did not change have no row after the first sample. */
	if (reading->report.with_pages)
		return;
	error_set(&err, 0, "no device has pages: %s",
		  device_reason_text(DEVICE_CLOSED));
	told_print(&sampling->told, &err);
}

static int exit_code(const struct measurement *measurement,
		     const struct history *history)
{
	return measurement_is_whole(measurement) && !history->first.unsettled ?
		       EXIT_OK :
		       EXIT_PARTIAL;
}

static int print_sample(void *data)
{
	_cleanup_(reading_deinit) struct reading reading = { 0 };
	const struct measurement *measurement = &reading.measurement;
	struct sampling *sampling = data;
	struct error err;
	int ret;

	told_next(&sampling->told);
	ret = sample(&reading, sampling, &err);
	if (ret < 0 && measurement->collected == 0)
		told_print(&sampling->told, &err);
	refused_print(measurement, true, &sampling->told);
	if (error_is_set(&sampling->unasked))
		told_print(&sampling->told, &sampling->unasked);
	if (ret < 0)
		return exit_code_of(&err);
	print_reasons(&reading, sampling);
	command_print_vain(sampling->selection);
	return exit_code(measurement, &sampling->history);
}

static int measure_all(const void *data, struct selection *selection,
		       const struct sysroot *root)
{
	const struct options *options = data;
	struct sampling sampling = { .options = options,
				     .root = root,
				     .selection = selection };
	const char *since = options->repeat.since;
	struct error err;
	int code;

	if (since && baseline_read(&sampling.history.first, since, "devices",
				   root, &err) < 0)
		return exit_printing(&err);
	if (since && !baseline_is_proven(&sampling.history.first, since, &err))
		error_print(&err);
	code = interval_run(&options->repeat.interval, root->patience,
			    !options->common.json, print_sample, &sampling);
	history_deinit(&sampling.history);
	told_deinit(&sampling.told);
	return code;
}

static int run(void *data, const struct sysroot *root)
{
	return command_run_selected(SELECTS_DEVICES, root, data, measure_all);
}

const struct command_line command_devices = {
	.name = "devices",
	.brief = "every block device in full",
	.rows = option_rows,
	.operands = "[DEVICE|PATH...]",
	.words = WORDS_DEVICES_AND_FILES,
	.about = "The block devices that the pages of Buffers belong to, or "
		 "the given ones. A\n"
		 "path stands for the device that it is, or that it is on.\n",
	.columns = &device_columns,
	.table_at = offsetof(struct options, table),
	.exit_status =
		"Exit status: 0 all measured, 1 failure, 2 no usable source,\n"
		"3 measured in part (a device or a source refused).\n",
	.reads_recording = STORE_DEVICES,
	.run_at = run_on_pasts,
	.options_size = sizeof(struct options),
	.check = check,
	.run = run,
};
