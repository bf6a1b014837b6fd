// SPDX-License-Identifier: GPL-2.0-or-later
#include "device_json.h"
#include "device_rows.h"
#include "json_out.h"
#include "table_json.h"

static void write_size(struct json_out *json, const char *key, bool known,
		       int64_t pages, const struct report *report)
{
	if (known)
		json_out_signed(json, key, pages * (int64_t)report->page_size);
	else
		json_out_null(json, key);
}

static void write_rest_change(struct json_out *json, const char *key,
			      const struct report *report,
			      const struct baseline *baseline)
{
	int64_t pages = 0;
	bool known = baseline && report_rest_change(report, baseline, &pages);

	write_size(json, key, known, pages, report);
}

void device_json_write(struct json_out *json, const struct report *report,
		       const struct history *history,
		       const struct device_rows *rows,
		       const struct column_choice *choice)
{
	json_out_unsigned(json, "page_size_bytes", report->page_size);
	write_size(json, "buffers_bytes", report->has_buffers,
		   (int64_t)report->buffers_pages, report);
	write_size(json, "attributed_bytes", report->has_attributed,
		   (int64_t)report->attributed_pages, report);
	write_size(json, "unattributed_bytes",
		   report->has_buffers && report->has_attributed,
		   report->unattributed_pages, report);
	write_rest_change(json, "unattributed_change_bytes", report,
			  history ? &history->last : NULL);
	write_rest_change(json, "unattributed_since_bytes", report,
			  history ? &history->first : NULL);

	json_out_array(json, "devices");
	for (size_t i = 0; i < rows->count; i++)
		table_json_write_row(json, choice, &rows->rows[i]);
	json_out_array_end(json);
}
