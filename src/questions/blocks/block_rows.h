/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The cached blocks of a device as rows of tables, and as JSON. */
#ifndef BUFSTAT_BLOCK_ROWS_H
#define BUFSTAT_BLOCK_ROWS_H

#include "blocks/device_blocks.h"
#include "table/column.h"

struct fields;

/* Bytes. */
#define BLOCK_LOOKS_TEXT 160

/* A kind that some of the cache is of. */
struct block_row {
	const struct device_blocks *device;
	enum block_kind kind;
	char looks[BLOCK_LOOKS_TEXT]; /* what it looks like, or "" */
};

struct block_rows {
	struct block_row rows[BLOCK_KINDS];
	size_t count;
};

/* Rows are struct block_row, struct ext_owner and struct blocks_run. */
extern const struct column_set block_columns;
extern const struct column_set block_owner_columns;
extern const struct column_set block_run_columns;

/* Makes a row of each kind that there is, the most bytes first, or by @order. */
void block_rows_init(struct block_rows *rows,
		     const struct device_blocks *device,
		     const struct column_order *order);

struct block_answer {
	const struct device_blocks *device;
	bool has_runs;
	struct blocks_run *runs; /* owned by whoever made them */
	size_t run_count;
};

/* Of a document whose answer is one. */
extern const struct fields block_document;

#endif
