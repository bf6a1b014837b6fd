/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Charges as rows of a table, and as JSON. */
#ifndef BUFSTAT_CHARGE_ROWS_H
#define BUFSTAT_CHARGE_ROWS_H

#include <stdbool.h>
#include <stdint.h>

#include "cgroups/charges.h"
#include "lib/error.h"
#include "table/column.h"

struct command_line;
struct fields;
struct question;

struct charge_row {
	const struct charges *charges;
	const struct cache *cache;
	const struct charge_owner *owner; /* NULL: none */
	bool is_rest; /* what no row of its cache has; may be negative */
	bool has_pages; /* the rest of a cache that is not known has none */
	int64_t pages;
	char number[24]; /* MAJ:MIN */
};

/* The rows are struct charge_row. */
extern const struct column_set charge_columns;

/*
 * A row of each charge and, but for JSON, one of what is unattributed of each
 * cache. Needs a selection.
 */
extern const struct question charge_question;
extern const struct command_line command_charges;

/* Tells of each cache why not all of its pages could be read. */
void charges_missing(const struct charges *charges, error_tell_fn *tell,
		     void *data);

/* Of a document whose answer is that of this question. */
extern const struct fields charge_document;

#endif
