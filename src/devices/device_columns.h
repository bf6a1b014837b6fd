/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef BUFSTAT_DEVICE_COLUMNS_H
#define BUFSTAT_DEVICE_COLUMNS_H

#include "column.h"

/* Of rows that are struct device_row. */
extern const struct column_set device_columns;

#endif
