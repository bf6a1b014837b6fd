// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "export/export_filled.h"
#include "export/exposition.h"
#include "lib/json_in.h"
#include "lib/number.h"
#include "measure/snapshot.h"
#include "names/names.h"

#define OTHER "other"

void export_filled_deinit(struct export_filled *filled)
{
	free(filled->rows);
	*filled = (struct export_filled){ 0 };
}

/* Returns 0 or -ENOMEM. */
static int name_device(struct export_fill *row, const char *number,
		       struct names *names)
{
	struct sample sample = { 0 };
	struct device_names device;
	int ret;

	snprintf(row->device, sizeof(row->device), "%s", number);
	if (!dev_number_parse(number, &sample.major, &sample.minor))
		return 0;
	ret = names_lookup(names, &sample, &device);
	if (!ret && device.kname)
		snprintf(row->device, sizeof(row->device), "%s", device.kname);
	device_names_deinit(&device);
	return ret;
}

static int read_row(struct json_value from, struct export_fill *row,
		    struct names *names)
{
	const char *number, *cache, *command = OTHER;
	uint64_t bytes;

	if (json_in_string(from, "maj:min", &number) <= 0 ||
	    json_in_string(from, "cache", &cache) <= 0 ||
	    json_in_string(from, "command", &command) < 0 ||
	    json_in_number(from, "in_bytes", INT64_MAX, &bytes) <= 0)
		return -EBADMSG;
	row->is_bdev = strcmp(cache, "device") == 0;
	row->bytes = (int64_t)bytes;
	snprintf(row->command, sizeof(row->command), "%s", command);
	return name_device(row, number, names);
}

static int read_all(struct export_filled *filled, struct json_value root,
		    struct names *names)
{
	struct json_value item = { 0 };
	uint64_t elsewhere, lost;
	size_t count = 0;
	int ret = 0;

	if (json_in_number(root, "elsewhere_bytes", INT64_MAX, &elsewhere) <=
		    0 ||
	    json_in_number(root, "lost_events", INT64_MAX, &lost) <= 0 ||
	    json_in_array(root, "totals", &item, &count) <= 0)
		return -EBADMSG;
	filled->rows = calloc(count + 1, sizeof(*filled->rows));
	if (!filled->rows)
		return -ENOMEM;
	for (; !ret && filled->count < count; filled->count++) {
		ret = read_row(item, &filled->rows[filled->count], names);
		if (filled->count + 1 < count)
			item = json_in_next(item);
	}
	filled->elsewhere_bytes = (int64_t)elsewhere;
	filled->lost_events = (int64_t)lost;
	filled->is_known = !ret;
	return ret;
}

int export_filled_init(struct export_filled *filled, const char *text,
		       const struct sysroot *root)
{
	struct names *names = names_create(root);
	char *copy = strdup(text);
	struct json_in *document;
	int ret = names && copy ? 0 : -ENOMEM;

	*filled = (struct export_filled){ 0 };
	if (ret < 0)
		free(copy);
	else
		ret = json_in_open(copy, &document);
	if (!ret) {
		ret = read_all(filled, json_in_root(document), names);
		json_in_close(document);
	}
	names_destroy(names);
	return ret;
}

void export_filled_bytes(struct exposition *out,
			 const struct export_filled *filled)
{
	if (!filled->is_known)
		return;
	for (size_t i = 0; i < filled->count; i++) {
		const struct export_fill *row = &filled->rows[i];

		exposition_sample(out);
		exposition_label(out, "device", row->device);
		exposition_label(out, "cache",
				 row->is_bdev ? "device" : "files");
		exposition_label(out, "command", row->command);
		exposition_value(out, row->bytes);
	}
	exposition_sample(out);
	exposition_label(out, "device", OTHER);
	exposition_label(out, "command", OTHER);
	exposition_value(out, filled->elsewhere_bytes);
}
