/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef BUFSTAT_FREE_COLUMNS_JSON_H
#define BUFSTAT_FREE_COLUMNS_JSON_H

struct json_out;
struct meminfo;

/* Writes the object "columns": what free's columns show, null if not known. */
void free_columns_write(struct json_out *json, const struct meminfo *meminfo);

#endif
