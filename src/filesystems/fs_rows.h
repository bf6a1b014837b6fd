/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The rows of a table of filesystems: what was measured, what changed, and at
 * the end the unattributed rest of Cached.
 */
#ifndef BUFSTAT_FS_ROWS_H
#define BUFSTAT_FS_ROWS_H

#include <stdbool.h>
#include <stddef.h>

#include "table/column.h"

struct filesystem;
struct filesystems;
struct history;

struct fs_row {
	const struct filesystems *all;
	const struct filesystem *filesystem; /* NULL: the unattributed rest */
	const struct history *history;
	char number[24]; /* "major:minor", "" for the rest */
};

struct fs_rows {
	struct fs_row *rows; /* after @count of them, that of the rest */
	size_t count;
};

/* Of rows that are struct fs_row. */
extern const struct column_set fs_columns;

/*
 * Without @all_of_them those that have no pages, had none, and were measured
 * are left out. Sorted ascending by @sort; NULL is by most pages. What it is
 * given must outlive the result. Returns 0 or -ENOMEM; the caller deinits in
 * either case.
 */
int fs_rows_init(struct fs_rows *rows, const struct filesystems *filesystems,
		 const struct history *history, bool all_of_them,
		 const struct column *sort);
void fs_rows_deinit(struct fs_rows *rows);

/* As a table has them, that of the rest too; valid as long as @rows is. */
struct table_rows fs_rows_of_table(const struct fs_rows *rows);

#endif
