// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>

#include "device_columns.h"
#include "device_json.h"
#include "device_rows.h"
#include "error.h"
#include "free_columns_json.h"
#include "fs_json.h"
#include "json_out.h"
#include "measure.h"
#include "new_file.h"
#include "provenance.h"
#include "report.h"
#include "sample_json.h"

static int write_devices(struct json_out *json,
			 const struct sample_json *sample,
			 const struct report *report)
{
	struct device_rows rows;
	int ret = device_rows_init(&rows, report, sample->history, sample->root,
				   sample->all_devices ? ROWS_ALL :
							 ROWS_WITH_PAGES);

	if (!ret && sample->sort)
		device_rows_sort(&rows, sample->sort);
	if (!ret)
		device_json_write(json, report, sample->history, &rows,
				  sample->columns);
	device_rows_deinit(&rows);
	return ret;
}

static void write_no_devices(struct json_out *json)
{
	static const char *const keys[] = {
		"page_size_bytes",
		"buffers_bytes",
		"attributed_bytes",
		"unattributed_bytes",
		"unattributed_change_bytes",
		"unattributed_since_bytes",
		"devices",
	};

	for (size_t i = 0; i < sizeof(keys) / sizeof(*keys); i++)
		json_out_null(json, keys[i]);
}

int sample_json_print(FILE *out, const struct sample_json *sample,
		      struct error *err)
{
	const struct measurement *measurement = sample->measurement;
	const struct snapshot *snapshot = &measurement->snapshot;
	bool collected = measurement->collected == 0;
	struct provenance provenance;
	struct report report = { 0 };
	struct json_out json;
	int ret = provenance_init(&provenance, sample->root);

	if (!ret && snapshot->kernel)
		ret = provenance_set_kernel(&provenance, snapshot->kernel);
	if (!ret && collected)
		ret = report_init(&report, snapshot, &measurement->meminfo);
	json_out_init(&json, out);
	json_out_object(&json, NULL);
	provenance_write(&json, &provenance, collected ? report.source : NULL,
			 collected && snapshot_is_whole(snapshot) &&
				 report.has_buffers && report.has_attributed);
	json_out_bool(&json, "lists_all_pages", snapshot->lists_all_pages);
	if (collected)
		json_out_bool(&json, "settled", !snapshot->unsettled);
	else
		json_out_null(&json, "settled");
	free_columns_write(&json, &measurement->meminfo);
	if (!ret && collected)
		ret = write_devices(&json, sample, &report);
	else
		write_no_devices(&json);
	if (!ret && sample->has_cached)
		ret = fs_json_write(&json, "cached", sample->filesystems);
	json_out_object_end(&json);
	json_out_finish(&json);
	report_deinit(&report);
	provenance_deinit(&provenance);
	return ret < 0 ? error_errno(err, -ret, "printing", "the sample") : 0;
}

int sample_json_save(const char *path, const struct sample_json *sample,
		     struct error *err)
{
	struct column_choice columns;
	struct sample_json whole = *sample;
	struct new_file file;
	int ret;

	column_choice_all(&columns, &device_columns);
	whole.columns = &columns;
	ret = new_file_create(&file, path);
	if (ret < 0)
		return error_errno(err, -ret, "saving", path);
	ret = sample_json_print(file.out, &whole, err);
	if (ret < 0) {
		new_file_discard(&file);
		return ret;
	}
	ret = new_file_commit(&file);
	return ret < 0 ? error_errno(err, -ret, "saving", path) : 0;
}
