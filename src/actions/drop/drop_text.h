/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The result for each device's pages, as text and as JSON, and what the results
 * for files and cgroups are made of, too. Looks nothing up.
 */
#ifndef BUFSTAT_DROP_TEXT_H
#define BUFSTAT_DROP_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "lib/number.h"

struct drop_result;
struct json_out;
struct string_list;

struct drop_style {
	int width; /* of the widest name */
	struct size_unit unit;
};

/* Prints @size, in bytes, in the unit of the style, or that it is unknown. */
void drop_known_put(FILE *out, bool known, uint64_t size,
		    const struct drop_style *style);
/* Prints a name, and what makes it as wide as the widest. */
void drop_name_put(FILE *out, const char *name, const struct drop_style *style);
/* Begins another line about it. */
void drop_indent_put(FILE *out, const struct drop_style *style);
/* Prints what is dirty, in bytes, in parentheses. */
void drop_dirty_put(FILE *out, uint64_t dirty, bool is_to_be_written,
		    const struct drop_style *style);
/* Prints by how much it grew, or how much was released. Bytes. */
void drop_change_put(FILE *out, uint64_t before, uint64_t after,
		     const struct drop_style *style);
/* Prints @most names of @list, with commas between them. */
void drop_list_put(FILE *out, const struct string_list *list, size_t most);
/* Writes the member write_error: an errno, 0 is none. */
void drop_write_error_write(struct json_out *json, bool known,
			    unsigned int error);

/* Prints one line, and more for pages that stayed or were not measured. */
void drop_text_put(FILE *out, const struct drop_result *result,
		   const struct drop_style *style);

/* Writes the results as the array "devices" into the open object. */
void drop_json_write(struct json_out *json, const struct drop_result *results,
		     size_t count);

#endif
