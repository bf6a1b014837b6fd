/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Prints rows; the only user of libsmartcols. */
#ifndef BUFSTAT_TABLE_H
#define BUFSTAT_TABLE_H

#include <stdio.h>

#include "table/table_style.h"

struct column_choice;
struct table_rows;

/* Returns 0 or a negative errno. */
int table_print(FILE *out, const struct table_rows *rows,
		const struct column_choice *choice,
		const struct table_style *style);

#endif
