/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef BUFSTAT_DEVICE_COLUMNS_H
#define BUFSTAT_DEVICE_COLUMNS_H

#include "table/column.h"

struct device_rows;
struct devices;
struct fields;

/* The columns of struct device. */
extern const struct column_set device_columns;

/* Whether a column shows what is on a device: FSTYPE, LABEL, UUID. */
bool device_columns_show_contents(const struct column_choice *choice);

/* What a document has of them. */
struct device_answer {
	const struct devices *devices;
	const struct device_rows *rows;
	struct table_rows table; /* these, without the rest */
	const struct column_choice *columns;
};

extern const struct fields device_answer_fields;
/* What they add up to, of struct devices. */
extern const struct fields devices_sum_fields;

#endif
