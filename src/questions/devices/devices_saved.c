// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <string.h>

#include "devices/devices.h"
#include "fields/fields.h"
#include "lib/json_in.h"
#include "lib/json_out.h"
#include "measure/saved.h"
#include "measure/source_name.h"

/* A sample is the first member of a device. */
static const struct fields device_fields = {
	.list = saved_sample_fields,
	.count = SAVED_SAMPLE_FIELDS,
	.size = sizeof(struct device),
};

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

const struct fields devices_fields = FIELDS(struct devices, list);

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
	fields_write(json, &devices_fields, devices);
	json_out_object_end(json);
}

/* Returns as devices_read(). */
static int read_list(struct devices *devices, const struct saved *saved)
{
	struct json_value object;
	int ret = json_in_object(saved->reading, "devices", &object);

	devices->collected = -ENODATA;
	if (ret <= 0)
		return ret;
	ret = fields_read(object, &devices_fields, devices);
	devices->capacity = devices->count;
	if (!ret && !page_size_is_sound(devices->page_size))
		ret = -EBADMSG;
	for (size_t i = 0; !ret && i < devices->count; i++) {
		if (!saved_sample_is_sound(&devices->devices[i].sample,
					   devices->page_size))
			ret = -EBADMSG;
	}
	if (!ret) {
		devices->collected = 0;
		ret = devices_check(devices);
	}
	return ret ?: 1;
}

int devices_read(struct devices *devices, const struct saved *saved)
{
	int ret = meminfo_read_saved(saved->reading, &devices->meminfo);

	devices->collected = -ENODATA;
	return ret > 0 ? read_list(devices, saved) : ret;
}

int devices_read_tree(struct devices *devices, const struct sysroot *root,
		      const char *source, struct error *err)
{
	const struct meminfo meminfo = devices->meminfo;
	struct saved saved;
	int ret = saved_open(&saved, root, err);

	if (ret > 0)
		ret = saved_end(&saved, read_list(devices, &saved), err);
	if (ret > 0 && (!source || strcmp(devices->source, source) == 0))
		return 0;
	devices_deinit(devices);
	devices->meminfo = meminfo;
	return ret < 0 ? ret : -ENODATA;
}
