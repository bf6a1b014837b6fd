/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * free's columns, computed by its rules. But free takes an absent field for
 * zero; here, what depends on an absent field is absent too.
 */
#ifndef BUFSTAT_FREE_COLUMNS_H
#define BUFSTAT_FREE_COLUMNS_H

#include <stdbool.h>
#include <stdint.h>

struct fields;
struct meminfo;

enum free_column {
	FREE_COLUMN_TOTAL,
	FREE_COLUMN_USED,
	FREE_COLUMN_USED_BEFORE, /* as procps computed it before 4.0.1 */
	FREE_COLUMN_FREE,
	FREE_COLUMN_SHARED,
	FREE_COLUMN_BUFFERS,
	FREE_COLUMN_CACHE,
	FREE_COLUMN_BUFF_CACHE,
	FREE_COLUMN_AVAILABLE,
	FREE_COLUMN_SWAP_TOTAL,
	FREE_COLUMN_SWAP_USED,
	FREE_COLUMN_SWAP_FREE,
	FREE_COLUMNS
};

struct free_columns {
	int64_t bytes[FREE_COLUMNS];
	bool known[FREE_COLUMNS];
	/* used is total - free: available is absent or not believed */
	bool used_without_available;
};

void free_columns_init(struct free_columns *columns,
		       const struct meminfo *meminfo);

/* The object "columns", of struct meminfo. */
extern const struct fields free_columns_fields;

#endif
