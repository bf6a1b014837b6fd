/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The rows of an answer: one for each record, in the order to be shown. If not
 * all are shown, a row for the sum of these others follows. Then comes the
 * rest, which is on no record, if the answer has one.
 */
#ifndef BUFSTAT_ROWS_H
#define BUFSTAT_ROWS_H

#include <stdbool.h>
#include <stddef.h>

#include "table/column.h"

/* All zero is empty. */
struct rows {
	void *rows; /* owned */
	size_t count; /* of records */
	size_t size; /* of a row, in bytes */
	size_t *parents; /* for struct table_rows, owned; NULL: a list */
	size_t others; /* how many records are not shown, with their sum */
	char others_name[32]; /* "12 others" */
	void *sum; /* owned: what the row of the others points to; or NULL */
	bool has_rest;
	bool is_selected; /* records were left out that nobody asked for */
};

/*
 * Makes @sum, an empty row, that of the others: of all records from @first on.
 * It may set rows->sum. Returns 0 or -ENOMEM.
 */
typedef int rows_add_up_fn(struct rows *rows, size_t first, void *sum);

/* What is a row of one kind. */
struct row_kind {
	/* The one that is on no record; NULL: there is none. */
	bool (*is_rest)(const void *row);
	/* Whether -s leaves it out; NULL: it leaves out none. */
	bool (*is_unchanged)(const void *row);
	rows_add_up_fn *add_up; /* NULL: all are shown */
	/* So is the sum: rows->others is 0, and rows_are_part() does not know. */
	bool sum_is_record;
};

/*
 * Makes room for @most records of @size bytes, the others and the rest, all
 * zero. Returns 0 or -ENOMEM; the caller deinits in either case.
 */
int rows_init(struct rows *rows, size_t most, size_t size, bool is_tree);
void rows_deinit(struct rows *rows);

static inline void *rows_at(const struct rows *rows, size_t i)
{
	return (char *)rows->rows + i * rows->size;
}

/* The next of the records, for which rows_init() has made room. */
static inline void *rows_add(struct rows *rows)
{
	return rows_at(rows, rows->count++);
}

/*
 * Leaves out every record for which @is_wanted returns false, and the rest,
 * which is about all records.
 */
void rows_select(struct rows *rows, bool (*is_wanted)(void *data, const void *),
		 void *data);

/*
 * Sorts the records of a list, and adds up those that column_sort_shown() does
 * not show and, with @only_changed, those that did not change. @kind may be
 * NULL. @rows must not move after that. Returns 0 or -ENOMEM.
 */
int rows_arrange(struct rows *rows, const struct row_kind *kind,
		 const struct column_order *order, size_t top,
		 bool only_changed);

/* Whether records are left out that may have something. */
static inline bool rows_are_part(const struct rows *rows)
{
	return rows->is_selected || rows->others;
}

/* For a table, and the records alone; both valid as long as @rows is. */
struct table_rows rows_of_table(const struct rows *rows);
struct table_rows rows_of_records(const struct rows *rows);

#endif
