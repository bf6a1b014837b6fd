// SPDX-License-Identifier: GPL-2.0-or-later
#include <limits.h>
#include <stdio.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "devices/device_columns.h"
#include "lib/cleanup.h"
#include "lib/error.h"
#include "lib/sysroot.h"
#include "measure/source.h"
#include "names/device_base.h"
#include "names/device_find.h"
#include "names/device_names.h"
#include "names/names.h"
#include "names/openers.h"
#include "sample/device_json.h"
#include "sample/device_question.h"
#include "question/question_command.h"

static const struct option_row option_rows[] = {
	ROW_FLAG('a', "all", struct question_options, all,
		 "also devices without pages or, with -s, unchanged"),
	ROW_GROUP(struct question_options, table.style.unit, size_options),
	ROW_GROUP(struct question_options, table, table_options),
	ROW_GROUP(struct question_options, table, layout_options),
	ROW_GROUP(struct question_options, table, top_option),
	ROW_GROUP(struct question_options, repeat, repeat_options),
	ROW_TEXT('\0', "vmcore", struct question_options, common.vmcore, "FILE",
		 WORDS_FILES, "the devices of the kernel in a dump"),
	ROW_GROUP(struct question_options, common, past_options),
	ROW_GROUP(struct question_options, common, json_lines_option),
	ROW_GROUP(struct question_options, common, measuring_options),
	{ 0 },
};

static int check(void *data, struct error *err)
{
	const struct question_options *options = data;
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
static void tell_bare(const struct device_answer *answer,
		      const struct question_options *options,
		      const struct sysroot *root, error_tell_fn *tell,
		      void *data)
{
	_cleanup_(string_list_deinit) struct string_list knames = { 0 };
	const struct table_style *style = &options->table.style;
	struct names *names = NULL;
	char path[NAME_MAX + 64];
	struct error err;

	if (options->all || options->repeat.interval.repeats ||
	    style->format != TABLE_PLAIN || style->no_headings ||
	    !isatty(STDOUT_FILENO) ||
	    sysroot_list(root, CLASS_BLOCK, &knames) < 0)
		return;
	for (size_t i = 0; i < knames.count; i++) {
		const char *kname = knames.strings[i];
		struct sample disk = { 0 };
		struct found_device found;

		/* A virtual device has no link to one. */
		snprintf(path, sizeof(path), CLASS_BLOCK "/%s/device", kname);
		if (!sysroot_exists(root, path) ||
		    device_find_kname(root, kname, &found) < 0)
			continue;
		disk.major = major(found.number);
		disk.minor = minor(found.number);
		found_device_deinit(&found);
		if (!is_absent(&answer->devices, &disk))
			continue;
		names = names ?: names_create(root);
		if (!is_bare(root, names, &disk))
			continue;
		error_set(&err, 0, "%s: no pages: %s", kname,
			  device_reason_text(DEVICE_PERHAPS_CLOSED));
		tell(data, &err);
		break;
	}
	names_destroy(names);
}

/*
 * What the only device without figures may have, and why a device that was
 * named has nothing.
 */
static void device_remark(const void *asked,
			  const struct question_options *options,
			  const struct sysroot *root, error_tell_fn *tell,
			  void *data)
{
	const struct device_answer *answer = asked;
	const struct rows *rows = &answer->head.rows;
	_cleanup_(openers_deinit) struct openers openers = { 0 };
	const struct devices *devices = &answer->devices;
	const bool is_named = options->common.operand_count &&
			      !options->common.json;
	char size[SIZE_TEXT_LENGTH];
	struct error err;

	size_text(devices_rest_bytes(devices), size);
	for (size_t i = 0; i < rows->count; i++) {
		const struct device *device = device_row(rows, i);
		const char *name = device->names.name ?: device->number;
		enum device_reason reason =
			device_reason(devices, device, &openers);
		const char *why;

		/* A dump's processes are not here. */
		if (reason == DEVICE_PERHAPS_CLOSED && is_named &&
		    !openers.processes && !openers.failed &&
		    !options->common.vmcore) {
			openers_init(&openers, root);
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
		tell(data, &err);
	}
	if (options->common.operand_count || options->common.json ||
	    !devices->lists_all_pages)
		return;
	if (rows->count) {
		tell_bare(answer, options, root, tell, data);
		return;
	}
	/* Those that did not change have no row after the first sample. */
	if (devices->with_pages)
		return;
	error_set(&err, 0, "no device has pages: %s",
		  device_reason_text(DEVICE_CLOSED));
	tell(data, &err);
}

static const struct question_command asks = {
	.question = &device_question,
	.selects = SELECTS_DEVICES,
	.finish = device_remark,
};

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
	.table_at = offsetof(struct question_options, table),
	.asks = &asks,
	.document = &device_document,
	.exit_status =
		"Exit status: 0 all measured, 1 failure, 2 no usable source,\n"
		"3 measured in part (a device or a source refused).\n",
	.reads_recording = RECORDED_DEVICES,
	.options_size = sizeof(struct question_options),
	.check = check,
};
