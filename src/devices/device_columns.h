/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef BUFSTAT_DEVICE_COLUMNS_H
#define BUFSTAT_DEVICE_COLUMNS_H

#include "table/column.h"

struct column_choice;
struct device_rows;
struct history;
struct json_out;
struct report;

/* Of rows that are struct device_row. */
extern const struct column_set device_columns;

/*
 * Writes into the open object what Buffers is made of: page_size_bytes,
 * buffers_bytes, attributed_bytes, unattributed_bytes, how the latter changed,
 * and devices, an array with an object per row that has the chosen columns
 * under their keys. What is not known is null; of a list, empty. @history may
 * be NULL.
 */
void device_json_write(struct json_out *json, const struct report *report,
		       const struct history *history,
		       const struct device_rows *rows,
		       const struct column_choice *choice);

#endif
