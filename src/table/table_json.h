/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef BUFSTAT_TABLE_JSON_H
#define BUFSTAT_TABLE_JSON_H

struct column_choice;
struct json_out;

/*
 * Writes one row into the open array: an object that has the chosen columns
 * under their keys. What is not known is null.
 */
void table_json_write_row(struct json_out *json,
			  const struct column_choice *choice, const void *row);

#endif
