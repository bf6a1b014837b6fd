/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Charges as rows of a table, and as JSON. */
#ifndef BUFSTAT_CHARGE_ROWS_H
#define BUFSTAT_CHARGE_ROWS_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "cgroups/charges.h"
#include "table/column.h"

struct charge_row {
	const struct charges *charges;
	const struct cache *cache;
	const struct charge_owner *owner; /* NULL: none */
	bool is_rest; /* what no row of its cache has; may be negative */
	bool has_pages; /* the rest of a cache that is not known has none */
	int64_t pages;
	char number[24]; /* MAJ:MIN */
};

struct charge_rows {
	struct charge_row *rows;
	size_t count;
};

/*
 * Sets @err to why not all pages of the next cache could be read; *@at is 0 at
 * first. Returns false after the last.
 */
bool charges_missing(const struct charges *charges, size_t *at,
		     struct error *err);

/* The rows are struct charge_row. */
extern const struct column_set charge_columns;

/*
 * Makes a row of each charge and, unless @without_rest, one of what is
 * unattributed of each cache. With an order, sorts the charges and puts these
 * rows last. Returns 0 or -ENOMEM; the caller deinits in either case. @charges
 * must outlive @rows.
 */
int charge_rows_init(struct charge_rows *rows, const struct charges *charges,
		     const struct column_order *order, bool without_rest);
void charge_rows_deinit(struct charge_rows *rows);

/* Of a document whose answer is struct charges, and its rows no rest. */
extern const struct fields charge_document;

#endif
