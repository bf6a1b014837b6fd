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

/* What is measured of a device, file, filesystem or cgroup, in bytes. */
struct drop_sizes {
	bool is_known;
	uint64_t bytes;
	bool has_dirty;
	uint64_t dirty;
};

#define DROP_SIZE(bytes, style) SIZE_IN((int64_t)(bytes), (style)->unit)

/* Prints a name, and what makes it as wide as the widest. */
void drop_name_put(FILE *out, const char *name, const struct drop_style *style);
/* Begins another line about it with this text. */
void drop_indent_put(FILE *out, const struct drop_style *style,
		     const char *format, ...)
	__attribute__((format(printf, 3, 4)));
/* Prints what is dirty, in parentheses, if it is known. */
void drop_dirty_put(FILE *out, const struct drop_sizes *sizes,
		    bool is_to_be_written, const struct drop_style *style);
/* Ends the line with what there was, what is left, and what was released. */
void drop_outcome_put(FILE *out, const struct drop_sizes *before,
		      const struct drop_sizes *after,
		      const struct drop_style *style);
/*
 * Ends the line if nothing could be released or it was not measured, and says
 * so. Returns false if something would be released.
 */
bool drop_nothing_put(FILE *out, const struct drop_sizes *before);
/*
 * Ends the line with how much would be released, from @least to @most bytes.
 * @is_to_be_written: what is dirty, before that.
 */
void drop_forecast_put(FILE *out, const struct drop_sizes *before,
		       uint64_t least, uint64_t most, bool is_to_be_written,
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
