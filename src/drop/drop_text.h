/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What became of one device's pages, in words. Pure: nothing is looked up. */
#ifndef BUFSTAT_DROP_TEXT_H
#define BUFSTAT_DROP_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

struct drop_result;
struct json_out;

struct drop_style {
	int width; /* of the widest device's name */
	bool bytes;
};

/* One line, and others for what stayed or could not be measured. */
void drop_text_put(FILE *out, const struct drop_result *result,
		   const struct drop_style *style);

/* What became of each device's pages, as JSON. */

/* Writes the array "devices" into the open object. */
void drop_json_write(struct json_out *json, const struct drop_result *results,
		     size_t count);

#endif
