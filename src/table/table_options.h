/* SPDX-License-Identifier: GPL-2.0-or-later */
/* lsblk's options for commands that print a table. */
#ifndef BUFSTAT_TABLE_OPTIONS_H
#define BUFSTAT_TABLE_OPTIONS_H

#include <getopt.h>
#include <stdbool.h>

#include "column.h"
#include "table.h"

struct error;

struct table_options {
	const struct column_set *set;
	struct table_style style;
	struct column_choice columns;
	const struct column *sort;
	bool columns_chosen;
};

void table_options_init(struct table_options *options,
			const struct column_set *set);

/*
 * For struct command_line: these letters, and rows of names to begin with. The
 * latter two are for a table without sizes.
 */
#define TABLE_LETTERS "b" TABLE_LETTERS_NO_SIZES
#define TABLE_NAMES { "bytes", no_argument, NULL, 'b' }, TABLE_NAMES_NO_SIZES
#define TABLE_LETTERS_NO_SIZES "no:OPrx:"
#define TABLE_NAMES_NO_SIZES                                                   \
	{ "noheadings", no_argument, NULL, 'n' },                              \
		{ "output", required_argument, NULL, 'o' },                    \
		{ "output-all", no_argument, NULL, 'O' },                      \
		{ "pairs", no_argument, NULL, 'P' },                           \
		{ "raw", no_argument, NULL, 'r' },                             \
	{                                                                      \
		"sort", required_argument, NULL, 'x'                           \
	}

/* Takes one of these options, or does nothing. Returns 0 or -EINVAL. */
int table_options_take(struct table_options *options, int option,
		       struct error *err);

/* @json: was that asked for too? Returns 0 or -EINVAL. */
int table_options_check(const struct table_options *options, bool json,
			struct error *err);

/* For print_help(): their lines. */
void table_options_print_help(void);

/* The style for stdout. */
struct table_style table_options_style(const struct table_options *options);

#endif
