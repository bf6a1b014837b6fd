/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The question of what a device's cached blocks are: its rows, and JSON. */
#ifndef BUFSTAT_BLOCK_ROWS_H
#define BUFSTAT_BLOCK_ROWS_H

#include "blocks/device_blocks.h"
#include "question/question.h"
#include "table/column.h"

struct command_line;
struct fields;

/* Bytes. */
#define BLOCK_LOOKS_TEXT 160

/* A kind that some of the cache is of. */
struct block_row {
	const struct device_blocks *device;
	enum block_kind kind;
	char looks[BLOCK_LOOKS_TEXT]; /* what it looks like, or "" */
};

/* Rows are struct block_row, struct ext_owner and struct blocks_run. */
extern const struct column_set block_columns;
extern const struct column_set block_owner_columns;
extern const struct column_set block_run_columns;

struct block_answer {
	struct answer head; /* its rows are struct block_row */
	struct device_blocks device;
	bool has_runs; /* asked for in parts */
	struct blocks_run *runs; /* owned */
	size_t run_count;
};

/*
 * Makes a row of each kind that there is, the most bytes first. Returns 0 or
 * -ENOMEM; the caller deinits the rows in either case.
 */
int block_rows_init(struct block_answer *answer);

/* Of the first device that is selected. */
extern const struct question block_question;
extern const struct command_line command_blocks;

/* Of a document whose answer is that of this question. */
extern const struct fields block_document;

#endif
