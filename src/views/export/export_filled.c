// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "export/export_filled.h"
#include "export/exposition.h"
#include "measure/snapshot.h"
#include "names/names.h"
#include "store/documents.h"

#define OTHER "other"

void export_filled_deinit(struct export_filled *filled)
{
	free(filled->rows);
	*filled = (struct export_filled){ 0 };
}

/* Returns 0 or -ENOMEM. */
static int name_device(struct export_fill *row, const struct store_total *total,
		       struct names *names)
{
	const struct sample sample = { .major = total->major,
				       .minor = total->minor };
	struct device_names device;
	int ret;

	snprintf(row->device, sizeof(row->device), "%u:%u", total->major,
		 total->minor);
	ret = names_lookup(names, &sample, &device);
	if (!ret && device.kname)
		snprintf(row->device, sizeof(row->device), "%s", device.kname);
	device_names_deinit(&device);
	return ret;
}

static int take_row(struct export_fill *row, const struct store_total *total,
		    struct names *names)
{
	row->is_bdev = total->is_bdev;
	row->bytes = (int64_t)total->bytes;
	snprintf(row->command, sizeof(row->command), "%s",
		 *total->command ? total->command : OTHER);
	return name_device(row, total, names);
}

static int take_totals(struct export_filled *filled,
		       const struct store_totals *totals, struct names *names)
{
	int ret = 0;

	filled->rows = calloc(totals->count + 1, sizeof(*filled->rows));
	if (!filled->rows)
		return -ENOMEM;
	for (; !ret && filled->count < totals->count; filled->count++)
		ret = take_row(&filled->rows[filled->count],
			       &totals->rows[filled->count], names);
	filled->elsewhere_bytes = (int64_t)totals->elsewhere_bytes;
	filled->lost_events = (int64_t)totals->lost_events;
	filled->is_known = !ret;
	return ret;
}

int export_filled_init(struct export_filled *filled, const char *text,
		       const struct sysroot *root)
{
	struct names *names = names_create(root);
	struct store_totals totals = { 0 };
	int ret = names ? store_document_read(text, &store_totals_fields,
					      &totals) :
			  -ENOMEM;

	*filled = (struct export_filled){ 0 };
	if (!ret)
		ret = take_totals(filled, &totals, names);
	fields_release(&store_totals_fields, &totals);
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
