// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>

#include "blocks/identities.h"
#include "devices/device_columns.h"
#include "devices/device_tree.h"
#include "filesystems/selection.h"
#include "kernel/kernel.h"
#include "lib/cleanup.h"
#include "lib/error.h"
#include "lib/sysroot.h"
#include "sample/device_question.h"

static bool is_chosen(const struct asking *asking)
{
	return asking->selection && asking->selection->count;
}

/*
 * Devices without pages are shown with -a, if they are named, and if something
 * with pages is below them in a tree.
 */
static bool wants_all(const struct asking *asking)
{
	return asking->all || is_chosen(asking) || asking->is_tree;
}

static bool is_wanted(void *selection, const void *row)
{
	const struct device *device = row;
	const struct called called = {
		.major = device->sample.major,
		.minor = device->sample.minor,
		.name = device->names.name,
		.other = device->names.kname,
		.mountpoints = &device->names.mountpoints,
	};

	return selection_has(selection, &called);
}

/* The devices of a tree of all: those that would be in a list. */
static bool is_in_list(void *all, const void *row)
{
	return *(const bool *)all || device_is_listed(row);
}

/* Leaves the rows that were asked for. */
static int choose_rows(struct rows *rows, const struct asking *asking)
{
	bool all = asking->all;

	if (!asking->is_tree) {
		if (is_chosen(asking))
			rows_select(rows, is_wanted, asking->selection);
		return 0;
	}
	column_sort(rows->rows, rows->count, rows->size, &asking->order);
	if (is_chosen(asking))
		return device_rows_make_tree(rows, asking->root, is_wanted,
					     asking->selection, true);
	return device_rows_make_tree(rows, asking->root, is_in_list, &all,
				     false);
}

/* Adds devices that have vanished and, if wanted, those without pages. */
static int add_devices(struct devices *devices, const struct asking *asking,
		       struct error *err)
{
	static const struct history none;
	const struct history *history = asking->history ?: &none;
	int ret = devices_add_vanished(devices, history);

	/* A dump already lists every device. */
	if (!ret && wants_all(asking) && !asking->vmcore) {
		ret = devices_add_all(devices, asking->root, err);
		if (ret < 0)
			return ret;
	}
	if (!ret)
		ret = devices_compare(devices, history);
	return ret < 0 ? error_errno(err, -ret, "comparing", "two samples") : 0;
}

/* Where udev has a record, it has looked at the device itself. */
static bool lacks_identity(const struct device *device)
{
	return !device->names.fstype && !device->names.is_probed &&
	       sample_has_pages(&device->sample);
}

/* What cannot be read stays unknown: most hosts need nothing of it. */
static int identify_live(const struct rows *rows, const struct asking *asking,
			 struct identities *identities)
{
	struct kernel kernel;
	struct error unused;
	int ret = 0;

	if (!sysroot_is_live(asking->root) || !asking->columns ||
	    !device_columns_show_contents(asking->columns))
		return 0;
	for (size_t i = 0; !ret && i < rows->count; i++) {
		const struct device *device = device_row(rows, i);

		if (lacks_identity(device))
			ret = identities_add(identities, device->sample.major,
					     device->sample.minor);
	}
	if (ret < 0 || !identities->count)
		return ret;
	if (kernel_open(&kernel, asking->root, NULL, &unused) == 0)
		ret = identities_read(identities, &kernel);
	return kernel_close(&kernel, ret, &unused);
}

/* Adds types, labels and UUIDs that only cached pages tell. */
static int identify(struct device_answer *answer, const struct asking *asking,
		    struct identities *identities)
{
	const struct rows *rows = &answer->head.rows;
	int ret = asking->vmcore ? 0 : identify_live(rows, asking, identities);

	for (size_t i = 0; !ret && i < rows->count; i++) {
		struct device *row = device_row(rows, i);
		struct device_names *names =
			&answer->devices.devices[row->place].names;

		ret = identities_name(identities, row->sample.major,
				      row->sample.minor, names);
		row->names = *names;
	}
	if (error_is_set(&identities->why)) {
		answer->unasked = identities->why;
		error_within(&answer->unasked, 0, "telling what is on devices",
			     NULL);
	}
	return ret;
}

static void measure_dump(struct devices *devices, const struct asking *asking,
			 struct identities *identities)
{
	struct kernel kernel;
	struct error why;
	int ret = kernel_open(&kernel, asking->root, asking->vmcore, &why);

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

static void set_head(struct device_answer *answer)
{
	const struct devices *devices = &answer->devices;

	answer->head.source = devices->source;
	answer->head.kernel = devices->kernel;
	answer->head.is_whole = devices->is_whole;
}

int device_answer_complete(struct device_answer *answer,
			   const struct sysroot *root, bool all)
{
	struct devices *devices = &answer->devices;
	int ret;

	set_head(answer);
	if (devices->collected < 0)
		return 0;
	ret = devices_find_names(devices, root, all);
	return ret ?: device_rows_init(&answer->head.rows, devices, all);
}

/* What /proc/meminfo says is worth keeping even if no source answers. */
static int keep_devices(struct device_answer *answer,
			const struct asking *asking, struct error *err)
{
	int ret = devices_init(&answer->devices, asking->root, asking->source,
			       err);

	if (ret < 0)
		return ret;
	set_head(answer);
	if (asking->purpose == ASKED_TO_RECORD &&
	    device_answer_complete(answer, asking->root, true) < 0)
		return error_errno(err, ENOMEM, "naming", "the devices");
	return 0;
}

static int device_answer_take(void *data, const struct asking *asking,
			      struct error *err)
{
	_cleanup_(identities_deinit) struct identities identities = { 0 };
	struct device_answer *answer = data;
	struct devices *devices = &answer->devices;
	int ret = 0;

	if (asking->purpose != ASKED_TO_SHOW)
		return keep_devices(answer, asking, err);
	if (asking->vmcore)
		measure_dump(devices, asking, &identities);
	else
		ret = devices_init(devices, asking->root, asking->source, err);
	if (!ret && devices->collected < 0) {
		*err = devices->why;
		return devices->collected;
	}
	if (!ret)
		ret = add_devices(devices, asking, err);
	if (ret < 0)
		return ret;
	ret = device_answer_complete(answer, asking->root, wants_all(asking)) ?:
		      choose_rows(&answer->head.rows, asking);
	if (!ret)
		ret = identify(answer, asking, &identities);
	return ret < 0 ? error_errno(err, -ret, "naming", "the devices") : 0;
}

static void device_answer_release(void *data)
{
	struct device_answer *answer = data;

	devices_deinit(&answer->devices);
}

static void device_answer_save(struct json_out *json, const void *data)
{
	const struct device_answer *answer = data;

	devices_write(json, answer ? &answer->devices : NULL);
}

static void device_answer_missing(const void *data, error_tell_fn *tell,
				  void *told)
{
	const struct device_answer *answer = data;

	devices_missing(&answer->devices, true, tell, told);
	if (error_is_set(&answer->unasked))
		tell(told, &answer->unasked);
}

static struct samples device_answer_samples(void *data)
{
	struct device_answer *answer = data;

	return devices_samples(&answer->devices);
}

static const char *device_key(const struct table_rows *rows, size_t i,
			      char *text __attribute__((unused)),
			      size_t size __attribute__((unused)))
{
	const struct device *device = table_row(rows, i);

	return device->is_rest ? "rest" : device->number;
}

const struct question device_question = {
	.name = "devices",
	.command = &command_devices,
	.things = "the devices",
	.columns = &device_columns,
	.recorded = RECORDED_DEVICES,
	.size = sizeof(struct device_answer),
	.row = &device_row_kind,
	.take = device_answer_take,
	.release = device_answer_release,
	.missing = device_answer_missing,
	.samples = device_answer_samples,
	.save = device_answer_save,
	.is_always_saved = true,
	.figure = "buffers_bytes",
	.can_be_tree = true,
	.key = device_key,
	.drop_column = "kname",
};
