// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "table/rows.h"

int rows_init(struct rows *rows, size_t most, size_t size, bool is_tree)
{
	/* The others, their sum while it is made, and the rest. */
	*rows = (struct rows){ .rows = calloc(most + 3, size), .size = size };
	if (rows->rows && is_tree)
		rows->parents = calloc(most + 3, sizeof(*rows->parents));
	return rows->rows && (rows->parents || !is_tree) ? 0 : -ENOMEM;
}

void rows_deinit(struct rows *rows)
{
	free(rows->rows);
	free(rows->parents);
	free(rows->sum);
	*rows = (struct rows){ 0 };
}

void rows_select(struct rows *rows, bool (*is_wanted)(void *data, const void *),
		 void *data)
{
	size_t kept = 0;

	for (size_t i = 0; i < rows->count; i++) {
		if (is_wanted(data, rows_at(rows, i)))
			memcpy(rows_at(rows, kept++), rows_at(rows, i),
			       rows->size);
	}
	rows->count = kept;
	rows->is_selected = true;
	rows->has_rest = false;
}

/* Puts the row "N @what" in place of the records from @first on. */
static int rows_add_up(struct rows *rows, const struct row_kind *kind,
		       size_t first, const char *what)
{
	char *rest = rows_at(rows, rows->count);
	char *sum = rest + rows->size;
	int ret;

	snprintf(rows->others_name, sizeof(rows->others_name), "%zu %s",
		 rows->count - first, what);
	ret = kind->add_up(rows, first, sum);
	if (ret < 0)
		return ret;
	memcpy(rows_at(rows, first), sum, rows->size);
	memmove(rows_at(rows, first + 1), rest, rows->size);
	rows->others = kind->sum_is_record ? 0 : rows->count - first;
	rows->count = first + kind->sum_is_record;
	return 0;
}

int rows_arrange(struct rows *rows, const struct row_kind *kind,
		 const struct column_order *order, size_t top,
		 bool only_changed)
{
	static const struct row_kind all_are_records;
	const char *others;
	size_t count = rows->count, shown;

	kind = kind ?: &all_are_records;
	/* Several things have a rest each, which is none of the records. */
	if (kind->is_rest && !rows->has_rest && order->column)
		count = column_sort_last(rows->rows, count, rows->size,
					 kind->is_rest);
	shown = column_sort_shown(rows->rows, count, rows->size, order,
				  kind->add_up ? top : 0,
				  only_changed ? kind->is_unchanged : NULL,
				  &others);
	return shown < count ? rows_add_up(rows, kind, shown, others) : 0;
}

struct table_rows rows_of_records(const struct rows *rows)
{
	return (struct table_rows){
		.rows = rows->rows,
		.count = rows->count,
		.size = rows->size,
		.parents = rows->parents,
	};
}

struct table_rows rows_of_table(const struct rows *rows)
{
	struct table_rows table = rows_of_records(rows);

	table.count += (rows->others > 0) + rows->has_rest;
	return table;
}
