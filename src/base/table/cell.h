/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef BUFSTAT_CELL_H
#define BUFSTAT_CELL_H

#include "table/column.h"

struct json_out;
struct table_style;

/*
 * Sets *@text to the text of a cell, which the caller frees. NULL is an empty
 * cell: the value is unknown. Returns 0 or -ENOMEM.
 */
int cell_text(const struct column *column, const void *row,
	      const struct table_style *style, char **text);

/* The same for a value that was taken from a row earlier. */
int cell_value_text(enum column_kind kind, const struct column_value *of,
		    const struct table_style *style, char **text);

/* Writes a value under @key: null if it is unknown. */
void cell_write(struct json_out *json, const char *key, enum column_kind kind,
		const struct column_value *value);

/* The same for the column's value of @row. */
void column_write(struct json_out *json, const struct column *column,
		  const void *row);

/*
 * Writes one row into the open array: an object with the chosen columns under
 * their keys. Unknown values are null.
 */
void table_json_write_row(struct json_out *json,
			  const struct column_choice *choice, const void *row);

/* Writes an array of such rows. */
void table_json_write_rows(struct json_out *json, const char *key,
			   const struct column_choice *choice,
			   const struct table_rows *rows);

#endif
