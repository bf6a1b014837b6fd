/* SPDX-License-Identifier: GPL-2.0-or-later */
/* lsblk's options for commands that print a table. */
#ifndef BUFSTAT_TABLE_OPTIONS_H
#define BUFSTAT_TABLE_OPTIONS_H

#include <stdbool.h>

#include "cli/option.h"
#include "lib/utc.h"
#include "table/column.h"
#include "table/table.h"

struct common_options;
struct error;

struct table_options {
	const struct column_set *set;
	struct table_style style;
	struct column_choice columns;
	struct column_order order;
	size_t top; /* --top, or 0: all rows */
	bool columns_chosen;
};

/* Chooses the usual columns of @set, which must outlive @options. */
void table_options_init(struct table_options *options,
			const struct column_set *set);

/* Option rows for struct table_options. */
extern const struct option_row table_options[];

/* -T, for struct table_options of tables that can be trees. */
extern const struct option_row layout_options[];

/* --top, for struct table_options. */
extern const struct option_row top_option[];

/* Reads a number of rows, 1 or more, for an option whose place is a size_t. */
option_take_fn table_take_rows;

/* Option rows for struct size_unit, for every command that prints sizes. */
extern const struct option_row size_options[];

/* @json: whether -J was given too. Returns 0, or -EINVAL with @err set. */
int table_options_check(const struct table_options *options, bool json,
			struct error *err);

/*
 * Whether -s shows only rows that changed: in a table for people, unless @all,
 * which is -a, was given.
 */
bool table_options_only_changed(const struct table_options *options,
				const struct common_options *common, bool all);

/*
 * Prints the local time on a line of its own before the table of a sample, if
 * the table is one for people and has headings.
 */
void table_options_print_clock(const struct table_options *options);

/* Writes the local time as 2026-11-23 12:34:56. Returns @text. */
const char *clock_text(char text[MOMENT_TEXT_SIZE]);

/* The style for stdout. */
struct table_style table_options_style(const struct table_options *options);

#endif
