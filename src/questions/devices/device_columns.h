/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef BUFSTAT_DEVICE_COLUMNS_H
#define BUFSTAT_DEVICE_COLUMNS_H

#include "table/column.h"

struct device_rows;
struct history;
struct json_out;
struct report;

/* The columns of struct device_row. */
extern const struct column_set device_columns;

/* Whether a column shows what is on a device: FSTYPE, LABEL, UUID. */
bool device_columns_show_contents(const struct column_choice *choice);

/*
 * Writes what Buffers is made of into the open object: page_size_bytes,
 * buffers_bytes, attributed_bytes, unattributed_bytes, its changes, and the
 * array devices, which has an object per row with the chosen columns under
 * their keys. If the rows are not all devices with pages, there is also
 * others_bytes. Unknown values are null. @history may be NULL.
 */
void device_json_write(struct json_out *json, const struct report *report,
		       const struct history *history,
		       const struct device_rows *rows,
		       const struct column_choice *choice);

#endif
