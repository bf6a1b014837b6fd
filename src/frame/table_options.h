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
	struct column_order order;
	size_t top; /* --top, or 0: all rows */
	bool columns_chosen;
};

/* Chooses the usual columns of @set, which must outlive @options. */
void table_options_init(struct table_options *options,
			const struct column_set *set);

/* Option rows for struct table_options. */
extern const struct option_row table_options[];

/* --top, for struct table_options. */
extern const struct option_row top_option[];

/* Option rows for struct size_unit, for every command that prints sizes. */
extern const struct option_row size_options[];

/* @json: whether -J was given too. Returns 0, or -EINVAL with @err set. */
int table_options_check(const struct table_options *options, bool json,
			struct error *err);

/* The style for stdout. */
struct table_style table_options_style(const struct table_options *options);

#endif
