/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The heads of memory, and the other views of it, as rows of a table. */
#ifndef BUFSTAT_MEMORY_ROWS_H
#define BUFSTAT_MEMORY_ROWS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "memory/memory_heads.h"
#include "table/column.h"

struct memory_census;
struct memory_history;
struct memory_owners;
struct memory_reading;

/* What a table is about. Each has columns of its own by default. */
enum memory_view {
	MEMORY_VIEW_HEADS,
	MEMORY_VIEW_AVAILABLE,
	MEMORY_VIEW_GIVE_BACK,
	MEMORY_VIEW_CENSUS,
};

/* Which line of its table a row is. */
enum memory_row_kind {
	MEMORY_ROW_OTHER, /* below a head, of a view, or of another table */
	MEMORY_ROW_HEAD,
	MEMORY_ROW_REST, /* what is unaccounted */
	MEMORY_ROW_TOTAL,
};

/* A number that may be absent. */
struct memory_number {
	bool known;
	int64_t number;
};

struct memory_row {
	enum memory_row_kind kind;
	enum memory_head_id head; /* of MEMORY_ROW_HEAD */
	const char *key; /* for JSON; static */
	char what[512]; /* after @indent blanks */
	unsigned int indent; /* of some of the pages of the row above it */
	struct memory_number bytes;
	struct memory_number pages;
	struct memory_number reclaimable; /* bytes, at most */
	struct memory_number at_least, at_most; /* bytes */
	struct memory_number change, since; /* bytes */
	double share; /* of MemTotal, percent */
	bool has_share;
	char note[256];
	char cost[192];
	char command[96];
	const char *field; /* static, or NULL */
	const char *file; /* static, or NULL */
};

struct memory_rows {
	struct memory_row *rows;
	size_t count;
};

extern const struct column_set memory_columns;

/* The columns that a view has by default. */
void memory_columns_of_view(struct column_choice *choice, enum memory_view view,
			    bool with_history);

/* What the rows are made of. */
struct memory_rows_of {
	const struct memory_reading *reading;
	const struct memory_heads *heads;
	const struct memory_history *history; /* or NULL */
	const struct memory_census *census; /* for its view */
	const struct memory_owners *owners; /* or NULL */
	bool all; /* also heads without pages */
	struct column_order order; /* of the heads */
};

/*
 * Makes the rows of a view. Returns 0 or -ENOMEM; the caller deinits @rows in
 * either case.
 */
int memory_rows_init(struct memory_rows *rows, const struct memory_rows_of *of,
		     enum memory_view view);
void memory_rows_deinit(struct memory_rows *rows);

static inline struct table_rows
memory_rows_of_table(const struct memory_rows *rows)
{
	return (struct table_rows){
		.rows = rows->rows,
		.count = rows->count,
		.size = sizeof(*rows->rows),
	};
}

/*
 * Adds an empty row with a label, which has so many blanks before it. Returns
 * NULL when out of memory. For those who make rows.
 */
struct memory_row *memory_rows_add(struct memory_rows *rows, const char *key,
				   unsigned int indent, const char *format, ...)
	__attribute__((format(printf, 4, 5)));

/* The same with a number of pages, which is the row's size too. */
struct memory_row *memory_rows_add_pages(struct memory_rows *rows,
					 const struct memory_rows_of *of,
					 const char *key, unsigned int indent,
					 const char *what, int64_t pages);

#endif
