/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The result for each device's pages, as text and as JSON. Looks nothing up. */
#ifndef BUFSTAT_DROP_TEXT_H
#define BUFSTAT_DROP_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "lib/number.h"

struct drop_result;
struct json_out;

struct drop_style {
	int width; /* of the widest name */
	struct size_unit unit;
};

/* Prints @size, in bytes, in the unit of the style. */
void drop_bytes_put(FILE *out, uint64_t size, const struct drop_style *style);

/* Prints one line, and more for pages that stayed or were not measured. */
void drop_text_put(FILE *out, const struct drop_result *result,
		   const struct drop_style *style);

/* Writes the results as the array "devices" into the open object. */
void drop_json_write(struct json_out *json, const struct drop_result *results,
		     size_t count);

#endif
