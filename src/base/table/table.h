/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Prints rows; the only user of libsmartcols. */
#ifndef BUFSTAT_TABLE_H
#define BUFSTAT_TABLE_H

#include <stdio.h>

#include "table/table_style.h"

struct column_choice;
struct error;
struct table_rows;

/* Returns 0 or a negative errno: -ELIBACC without libsmartcols. */
int table_print(FILE *out, const struct table_rows *rows,
		const struct column_choice *choice,
		const struct table_style *style);

/*
 * Sets that @what was not printed, if @ret is an errno of table_print(), or of
 * what came before it. Returns @ret.
 */
int table_error(struct error *err, int ret, const char *what);

#endif
