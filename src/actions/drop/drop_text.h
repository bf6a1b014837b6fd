/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The result for each device's pages, as text and as fields, and what the
 * results for files and cgroups are made of, too. Looks nothing up.
 */
#ifndef BUFSTAT_DROP_TEXT_H
#define BUFSTAT_DROP_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "lib/number.h"
#include "lib/sentence.h"

struct drop_device;
struct drop_pages;
struct fields;

struct drop_style {
	int width; /* of the widest name */
	struct size_unit unit;
};

/* The lines about one result. */
struct drop_text {
	struct sentence out;
	const struct drop_style *style;
	uint64_t page_size; /* bytes */
};

#define DROP_SIZE(pages, to)                                                   \
	SIZE_IN((int64_t)((pages) * (to)->page_size), (to)->style->unit)

/* Begins them with the name, which becomes as wide as the widest. */
void drop_text_begin(struct drop_text *to, FILE *out, const char *name,
		     uint64_t page_size, const struct drop_style *style);
/* Prints another line about it. */
void drop_line(struct drop_text *to, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
/* Ends the line with what there was, what is left, and what was released. */
void drop_outcome_put(struct drop_text *to, const struct drop_pages *before,
		      const struct drop_pages *after);
/*
 * Ends the line if nothing could be released or it was not measured, and says
 * so. Returns false if something would be released.
 */
bool drop_nothing_put(struct drop_text *to, const struct drop_pages *before);
/*
 * Ends the line with how much would be released, from @least to @most pages.
 * @is_to_be_written: what is dirty, before that.
 */
void drop_forecast_put(struct drop_text *to, const struct drop_pages *before,
		       uint64_t least, uint64_t most, bool is_to_be_written);
/*
 * Prints one line, and more for pages that stayed or were not measured. Returns
 * 0 or -ENOMEM.
 */
int drop_text_put(FILE *out, const struct drop_device *device,
		  const struct drop_style *style);

/* Of a structure that says whether it is known, and what it is. */
#define DROP_WRITE_ERROR(type)                                                 \
	FIELD_ERRNO(type, write_error, "write_error"),                         \
		FIELD_KNOWN(type, knows_write_error),                          \
		.about = "the newest one recorded, by its name or number",     \
		.null = "it is not known whether there was any"

/* Of struct drop_device; the others are members of any result. */
extern const struct fields drop_device_fields;
extern const struct fields drop_pages_fields;
extern const struct fields drop_done_fields;

#endif
