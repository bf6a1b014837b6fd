/* SPDX-License-Identifier: GPL-2.0-or-later */
/* lsblk's options for commands that print a table. */
#ifndef BUFSTAT_TABLE_OPTIONS_H
#define BUFSTAT_TABLE_OPTIONS_H

#include <stdbool.h>

#include "frame/option.h"
#include "table/column.h"
#include "table/table.h"

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

/* Rows, of struct table_options; a table without sizes has no --bytes. */
extern const struct option_row table_options[];
extern const struct option_row bytes_option[];

/* @json: was that asked for too? Returns 0 or -EINVAL. */
int table_options_check(const struct table_options *options, bool json,
			struct error *err);

/* The style for stdout. */
struct table_style table_options_style(const struct table_options *options);

#endif
