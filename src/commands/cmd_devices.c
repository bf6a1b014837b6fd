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
#include "measure/history.h"
#include "measure/source.h"
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

	if (reading->devices.is_compared && !options->table.columns_chosen)
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
static bool is_absent(const struct devices *devices, const struct sample *disk)
{
	for (size_t i = 0; i < devices->count; i++) {
		const struct sample *measured = &devices->devices[i].sample;

		if (measured->major == disk->major &&
		    measured->minor == disk->minor)
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
		if (!is_absent(&reading->devices, &disk))
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

static bool is_wanted(void *data, const struct device *device)
{
	const struct called called = {
		.major = device->sample.major,
		.minor = device->sample.minor,
		.name = device->names.name,
		.other = device->names.kname,
		.mountpoints = &device->names.mountpoints,
	};

	return selection_has(data, &called);
}

/* The devices of a tree of all: those that would be in a list. */
static bool is_shown(void *data, const struct device *device)
{
	const struct sampling *sampling = data;

	return sampling->options->all || device_is_listed(device);
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

	if (selection->count && !is_tree(sampling))
		device_rows_select(rows, is_wanted, selection);
	device_rows_arrange(rows, &options->table.order, options->table.top,
			    only_changed);
	if (!is_tree(sampling))
		return 0;
	if (selection->count)
		return device_rows_make_tree(rows, sampling->root, is_wanted,
					     selection, true);
	return device_rows_make_tree(rows, sampling->root, is_shown, sampling,
				     false);
}

/*
 * Adds devices that have vanished and, if wanted, those without pages, and
 * names. Leaves the rows that are to be shown.
 */
static int complete(struct reading *reading, struct sampling *sampling,
		    struct error *err)
{
	struct devices *devices = &reading->devices;
	int ret = devices_add_vanished(devices, &sampling->history);

	if (ret < 0)
		return error_errno(err, -ret, "comparing", "two samples");
	/* A dump already lists every device. */
	if (wants_all(sampling) && !sampling->options->common.vmcore)
		ret = devices_add_all(devices, sampling->root, err);
	if (ret < 0)
		return ret;
	ret = devices_compare(devices, &sampling->history) ?:
		      reading_complete(reading, sampling->root,
				       wants_all(sampling));
	if (!ret)
		ret = arrange(&reading->rows, sampling);
	return ret < 0 ? error_errno(err, -ret, "naming", "the devices") : 0;
}

/* Where udev has a record, it has looked at the device itself. */
static bool lacks_identity(const struct device *device)
{
	return !device->names.fstype && !device->names.is_probed &&
	       sample_has_pages(&device->sample);
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
		const struct device *device = &reading->rows.rows[i];

		if (lacks_identity(device))
			ret = identities_add(identities, device->sample.major,
					     device->sample.minor);
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
		struct device *row = &reading->rows.rows[i];
		struct device_names *names =
			&reading->devices.devices[row->place].names;

		ret = identities_name(identities, row->sample.major,
				      row->sample.minor, names);
		row->names = *names;
	}
	if (error_is_set(&identities->why)) {
		sampling->unasked = identities->why;
		error_within(&sampling->unasked, 0,
			     "telling what is on devices", NULL);
	}
	return ret;
}

static void measure_dump(const struct sampling *sampling,
			 struct devices *devices, struct identities *identities)
{
	const char *path = sampling->options->common.vmcore;
	struct kernel kernel;
	struct error why;
	int ret = kernel_open(&kernel, sampling->root, path, &why);

	if (!ret) {
		ret = devices_init_kernel(devices, &kernel);
		why = devices->why;
		if (!ret && identities_read(identities, &kernel) < 0)
			ret = error_errno(&why, ENOMEM, "naming",
					  "the devices");
	}
	devices->collected = kernel_close(&kernel, ret, &why);
	devices->why = why;
}

/* Measures and looks up names; prints nothing. */
static int take(struct reading *reading, struct sampling *sampling,
		struct error *err)
{
	const struct common_options *common = &sampling->options->common;
	_cleanup_(identities_deinit) struct identities identities = { 0 };
	struct devices *devices = &reading->devices;
	int ret = 0;

	if (common->vmcore)
		measure_dump(sampling, devices, &identities);
	else
		ret = devices_init(devices, sampling->root, common->source,
				   err);
	if (!ret && devices->collected < 0) {
		*err = devices->why;
		return devices->collected;
	}
	if (!ret)
		ret = complete(reading, sampling, err);
	if (!ret && identify(reading, sampling, &identities) < 0)
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
	if (!ret && history_take(&sampling->history,
				 devices_samples(&reading->devices)) < 0)
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
	const struct devices *devices = &reading->devices;
	const bool is_named = sampling->selection->count &&
			      !options->common.json;
	char size[SIZE_TEXT_LENGTH];
	struct error err;

	size_text(devices_rest_bytes(devices), size);
	for (size_t i = 0; i < reading->rows.count; i++) {
		const struct device *device = &reading->rows.rows[i];
		const char *name = device->names.name ?: device->number;
		enum device_reason reason =
			device_reason(devices, device, &openers);
		const char *why;

		/* A dump's processes are not here. */
		if (reason == DEVICE_PERHAPS_CLOSED && is_named &&
		    !openers.processes && !openers.failed &&
		    !options->common.vmcore) {
			openers_init(&openers, sampling->root);
			reason = device_reason(devices, device, &openers);
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
	    !devices->lists_all_pages)
		return;
	if (reading->rows.count) {
		print_bare(reading, sampling);
		return;
	}
	/* Those that did not change have no row after the first sample. */
	if (devices->with_pages)
		return;
	error_set(&err, 0, "no device has pages: %s",
		  device_reason_text(DEVICE_CLOSED));
	told_print(&sampling->told, &err);
}

static int exit_code(const struct devices *devices,
		     const struct history *history)
{
	return devices->is_whole && !history->first.unsettled ? EXIT_OK :
								EXIT_PARTIAL;
}

static int print_sample(void *data)
{
	_cleanup_(reading_deinit) struct reading reading = { 0 };
	const struct devices *devices = &reading.devices;
	struct sampling *sampling = data;
	struct error err;
	int ret;

	told_next(&sampling->told);
	ret = sample(&reading, sampling, &err);
	if (ret < 0 && devices->collected == 0)
		told_print(&sampling->told, &err);
	devices_refused_print(devices, true, &sampling->told);
	if (error_is_set(&sampling->unasked))
		told_print(&sampling->told, &sampling->unasked);
	if (ret < 0)
		return exit_code_of(&err);
	print_reasons(&reading, sampling);
	command_print_vain(sampling->selection);
	return exit_code(devices, &sampling->history);
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
	.document = &reading_document,
	.exit_status =
		"Exit status: 0 all measured, 1 failure, 2 no usable source,\n"
		"3 measured in part (a device or a source refused).\n",
	.reads_recording = STORE_DEVICES,
	.run_at = run_on_pasts,
	.options_size = sizeof(struct options),
	.check = check,
	.run = run,
};
