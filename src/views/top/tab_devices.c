// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>

#include "devices/device_columns.h"
#include "devices/device_tree.h"
#include "lib/error.h"
#include "measure/all_devices.h"
#include "sample/reading.h"
#include "store/format.h"
#include "top/sheet.h"
#include "top/tab.h"

static int note_refused(struct tab_rows *rows, const struct snapshot *snapshot)
{
	int ret = 0;

	if (snapshot->failed_source)
		ret = string_list_add(&rows->notes, snapshot->failed_source);
	if (!ret && snapshot->unsettled)
		ret = string_list_add(&rows->notes,
				      "unsettled: no reading added up to "
				      "Buffers");
	for (size_t i = 0; !ret && i < snapshot->count; i++) {
		if (snapshot->devices[i].refused)
			ret = string_list_add(&rows->notes,
					      snapshot->devices[i].refused);
	}
	return ret;
}

static bool has_pages(void *data __attribute__((unused)),
		      const struct device_row *row)
{
	return device_rows_lists(row->sample, NULL);
}

/* Names the devices that were measured. */
static int look_up(const struct tab_question *question, struct reading *reading,
		   struct tab_rows *rows)
{
	int ret = reading_complete(reading, question->root, NULL,
				   question->tree ? ROWS_ALL : ROWS_WITH_PAGES);

	if (!ret && question->tree)
		ret = device_rows_make_tree(&reading->rows, question->root,
					    has_pages, NULL, false);
	if (!ret)
		ret = note_refused(rows, &reading->measurement.snapshot);
	rows->table = device_rows_of_table(&reading->rows, true);
	return ret;
}

static int take(const struct tab_question *question, struct tab_rows *rows,
		struct error *err)
{
	struct reading *reading = rows->data;
	struct measurement *measurement = &reading->measurement;
	int ret;

	ret = measure(question->root, question->source, measurement, err);
	if (!ret && measurement->collected < 0) {
		*err = measurement->why;
		return measurement->collected;
	}
	/* What is below a disk belongs in the tree, even without pages. */
	if (!ret && question->tree)
		ret = all_devices_add(question->root, &measurement->snapshot,
				      err);
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
	const struct device_row *row = table_row(&rows->table, index);

	return row->number ?: "rest";
}

static bool is_last(const void *data)
{
	const struct device_row *row = data;

	return !row->sample;
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
