/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The sources as rows of a table. */
#ifndef BUFSTAT_SOURCE_ROWS_H
#define BUFSTAT_SOURCE_ROWS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "table/column.h"

struct sysroot;

enum source_usable {
	SOURCE_NOT_USABLE,
	SOURCE_NOT_TRIED, /* opens devices, and another source is usable */
	SOURCE_USABLE_IN_PART,
	SOURCE_USABLE,
};

struct source_row {
	const char *name; /* static */
	enum source_usable usable;
	int64_t devices; /* that it measured */
	int64_t pages; /* their sum; -1: not known */
	char *reason; /* why it is not usable, or not for all; or NULL */
	char *remedy; /* what would help; or NULL */
};

struct source_rows {
	struct source_row *rows; /* best first */
	size_t count;
};

extern const struct column_set source_columns;

/*
 * Tries the sources, best first. On a live host, tries one that opens devices
 * only if no other measures everything. Returns 0 or -ENOMEM; the caller
 * deinits @rows in either case.
 */
int source_rows_init(struct source_rows *rows, const struct sysroot *root);
void source_rows_deinit(struct source_rows *rows);

/*
 * The first source that measures everything, else the first that measures in
 * part, else NULL.
 */
const struct source_row *source_rows_best(const struct source_rows *rows);

#endif
