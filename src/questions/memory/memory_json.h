/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef BUFSTAT_MEMORY_JSON_H
#define BUFSTAT_MEMORY_JSON_H

#include "memory/memory_rows.h"

struct json_out;

/*
 * Writes into the open object: how the counts were taken, the heads, and of
 * another view its rows, as a member of its own.
 */
void memory_json_write(struct json_out *json, const struct memory_rows_of *of,
		       const struct memory_rows *rows, enum memory_view view);

#endif
