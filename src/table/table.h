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
	/* Make plain tables fit it, with bars; 0: as wide as they are. */
	size_t terminal_width;
	bool emphasis; /* of what grew, with escape codes */
	bool short_lists; /* of several mount points show one and how many */
};

/* Returns 0 or a negative errno. */
int table_print(FILE *out, const struct table_rows *rows,
		const struct column_choice *choice,
		const struct table_style *style);

#endif
