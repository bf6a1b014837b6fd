/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Prints rows; the only user of libsmartcols. */
#ifndef BUFSTAT_TABLE_H
#define BUFSTAT_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

struct column_choice;
struct table_rows;

enum table_format {
	TABLE_PLAIN,
	TABLE_RAW, /* fields with single spaces between them, escaped */
	TABLE_PAIRS, /* KEY="value" */
};

struct table_style {
	enum table_format format;
	bool bytes; /* sizes as plain numbers of bytes */
	bool no_headings;
	/* Plain tables are made to fit it, with bars; 0: they are not. */
	size_t terminal_width;
	bool emphasis; /* bold for what grew, by escape codes */
	bool short_lists; /* show the first item and how many more */
};

/* Returns 0 or a negative errno. */
int table_print(FILE *out, const struct table_rows *rows,
		const struct column_choice *choice,
		const struct table_style *style);

#endif
