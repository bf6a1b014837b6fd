// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>

#include "devices/device_columns.h"
#include "devices/device_tree.h"
#include "lib/error.h"
#include "sample/reading.h"
#include "store/format.h"
#include "top/sheet.h"
#include "top/tab.h"

static int note_refused(struct tab_rows *rows, const struct devices *devices)
{
	int ret = 0;

	if (devices->failed_source)
		ret = string_list_add(&rows->notes, devices->failed_source);
	if (!ret && devices->unsettled)
		ret = string_list_add(&rows->notes,
				      "unsettled: no reading added up to "
				      "Buffers");
	for (size_t i = 0; !ret && i < devices->count; i++) {
		if (devices->devices[i].sample.refused)
			ret = string_list_add(
				&rows->notes,
				devices->devices[i].sample.refused);
	}
	return ret;
}

static bool has_pages(void *data __attribute__((unused)),
		      const struct device *device)
{
	return device_is_listed(device);
}

/* Names the devices that were measured. */
static int look_up(const struct tab_question *question, struct reading *reading,
		   struct tab_rows *rows)
{
	int ret = reading_complete(reading, question->root, question->tree);

	if (!ret && question->tree)
		ret = device_rows_make_tree(&reading->rows, question->root,
					    has_pages, NULL, false);
	if (!ret)
		ret = note_refused(rows, &reading->devices);
	rows->table = device_rows_of_table(&reading->rows, true);
	return ret;
}

static int take(const struct tab_question *question, struct tab_rows *rows,
		struct error *err)
{
	struct reading *reading = rows->data;
	struct devices *devices = &reading->devices;
	int ret;

	ret = devices_init(devices, question->root, question->source, err);
	if (!ret && devices->collected < 0) {
		*err = devices->why;
		return devices->collected;
	}
	/* What is below a disk belongs in the tree, even without pages. */
	if (!ret && question->tree)
		ret = devices_add_all(devices, question->root, err) ?:
			      devices_check(devices);
	if (!ret && look_up(question, reading, rows) < 0)
		ret = error_errno(err, ENOMEM, "naming", "the devices");
	return ret;
}

static void release(void *data)
{
	reading_deinit(data);
}

static const char *key(const struct tab_rows *rows, size_t index,
		       char text[TAB_KEY_SIZE] __attribute__((unused)))
{
	const struct device *device = table_row(&rows->table, index);

	return device->is_rest ? "rest" : device->number;
}

static bool is_last(const void *data)
{
	const struct device *device = data;

	return device->is_rest;
}

static int drop(const struct sheet_row *row, struct string_list *words)
{
	const struct column_value *name =
		&row->values[sheet_column(&device_columns, "kname")];

	return name->known && !row->is_last ?
		       string_list_add(words, name->text) :
		       -EINVAL;
}

const struct tab tab_devices = {
	.name = "devices",
	.columns = &device_columns,
	.figure = "buffers_bytes",
	.can_be_tree = true,
	.recorded = STORE_DEVICES,
	.size = sizeof(struct reading),
	.take = take,
	.release = release,
	.key = key,
	.is_last = is_last,
	.drop = drop,
};
