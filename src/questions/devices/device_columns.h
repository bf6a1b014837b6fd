/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef BUFSTAT_DEVICE_COLUMNS_H
#define BUFSTAT_DEVICE_COLUMNS_H

#include "table/column.h"

struct device_rows;
struct devices;
struct json_out;

/* The columns of struct device. */
extern const struct column_set device_columns;

/* Whether a column shows what is on a device: FSTYPE, LABEL, UUID. */
bool device_columns_show_contents(const struct column_choice *choice);

/*
 * Writes what Buffers is made of into the open object: page_size_bytes,
 * buffers_bytes, attributed_bytes, unattributed_bytes, its changes, and the
 * array devices, which has an object per row with the chosen columns under
 * their keys. If the rows are not all devices with pages, there is also
 * others_bytes. Unknown values are null, and so is all without rows.
 */
void device_json_write(struct json_out *json, const struct devices *devices,
		       const struct device_rows *rows,
		       const struct column_choice *choice);
/* The first four of these. */
void devices_write_sums(struct json_out *json, const struct devices *devices);

#endif
