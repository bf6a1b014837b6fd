/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef BUFSTAT_DEVICE_COLUMNS_H
#define BUFSTAT_DEVICE_COLUMNS_H

#include "table/column.h"

struct fields;

/* The columns of struct device. */
extern const struct column_set device_columns;

/*
 * Values of a struct device: a figure, also a change, as it is and in bytes,
 * and its part of Buffers.
 */
struct column_value device_get_count(const void *data, size_t which);
struct column_value device_get_bytes(const void *data, size_t which);
struct column_value device_get_share(const void *data);

/* Whether a column shows what is on a device: FSTYPE, LABEL, UUID. */
bool device_columns_show_contents(const struct column_choice *choice);

/* What a document has of struct devices besides its rows. */
extern const struct fields device_totals_fields;
/* What they add up to, of struct devices. */
extern const struct fields devices_sum_fields;

#endif
