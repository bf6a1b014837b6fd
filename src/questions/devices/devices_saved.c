// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>

#include "devices/devices.h"
#include "lib/fields.h"
#include "lib/json_out.h"
#include "measure/saved.h"
#include "measure/source_name.h"

/* A sample is the first member of a device. */
static const struct fields device_fields = { saved_sample_fields,
					     SAVED_SAMPLE_FIELDS,
					     sizeof(struct device) };

static const struct field list[] = {
	{ FIELD_STATIC(struct devices, source, "source", source_names,
		       SOURCE_NAMES) },
	{ FIELD(struct devices, page_size, "page_size_bytes", PAGE_SIZE_MOST) },
	{ FIELD_NOT(struct devices, unsettled, "settled") },
	{ FIELD(struct devices, lists_all_pages, "lists_all_pages", 0) },
	{ FIELD_STRING(struct devices, failed_source, "failed_source",
		       SAYS_MESSAGE),
	  .known = KNOWN_NOT_ZERO },
	{ FIELD_LIST(struct devices, devices, count, "rows", &device_fields,
		     SIZE_MAX) },
};

static const struct fields fields = FIELDS(struct devices, list);

void devices_write(struct json_out *json, const struct devices *devices)
{
	if (!devices) {
		json_out_null(json, "meminfo_kib");
		json_out_null(json, "devices");
		return;
	}
	json_out_object(json, "meminfo_kib");
	fields_write(json, &meminfo_fields, &devices->meminfo);
	json_out_object_end(json);
	if (devices->collected < 0) {
		json_out_null(json, "devices");
		return;
	}
	json_out_object(json, "devices");
	fields_write(json, &fields, devices);
	json_out_object_end(json);
}

int devices_read(struct devices *devices, const struct saved *saved)
{
	struct snapshot snapshot = { 0 };
	int ret = meminfo_read_saved(saved->reading, &devices->meminfo);

	if (ret > 0)
		ret = saved_read_snapshot(saved, &snapshot);
	if (ret > 0)
		ret = devices_take(devices, &snapshot) ?: 1;
	devices->collected = ret > 0 ? 0 : -ENODATA;
	snapshot_deinit(&snapshot);
	return ret;
}
