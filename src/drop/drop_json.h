/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What became of each device's pages, as JSON. */
#ifndef BUFSTAT_DROP_JSON_H
#define BUFSTAT_DROP_JSON_H

#include <stddef.h>

struct drop_result;
struct json_out;

/* Writes the array "devices" into the open object. */
void drop_json_write(struct json_out *json, const struct drop_result *results,
		     size_t count);

#endif
