/* SPDX-License-Identifier: GPL-2.0-or-later */
/* How a table looks. */
#ifndef BUFSTAT_TABLE_STYLE_H
#define BUFSTAT_TABLE_STYLE_H

#include <stdbool.h>
#include <stddef.h>

#include "lib/number.h"

enum table_format {
	TABLE_PLAIN,
	TABLE_RAW, /* fields with single spaces between them, escaped */
	TABLE_PAIRS, /* KEY="value" */
	TABLE_TREE, /* as TABLE_PLAIN, with branches in the first text */
};

/* Whether the table is for people, and not for programs. */
static inline bool table_format_is_plain(enum table_format format)
{
	return format == TABLE_PLAIN || format == TABLE_TREE;
}

struct table_style {
	enum table_format format;
	struct size_unit unit; /* of sizes */
	bool no_headings;
	bool shell_names; /* headings that are names of shell variables */
	/* Plain tables are made to fit it, with bars; 0: they are not. */
	size_t terminal_width;
	bool no_bars; /* although there is room */
	bool emphasis; /* bold for what grew, by escape codes */
	bool short_lists; /* show the first item and how many more */
};

#endif
