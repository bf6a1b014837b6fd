/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The rows of a table of filesystems: what was measured, what changed, and, as
 * the last row, the unattributed rest of Cached.
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
	struct fs_row *rows; /* @count rows, then one for the rest */
	size_t count;
};

/* The rows are struct fs_row. */
extern const struct column_set fs_columns;

/*
 * Without @all_of_them, filesystems are left out that were measured and neither
 * have pages nor had any in @history. Sorts ascending by @sort; if it is NULL,
 * most pages come first. @filesystems and @history must outlive @rows. Returns
 * 0 or -ENOMEM; the caller deinits in either case.
 */
int fs_rows_init(struct fs_rows *rows, const struct filesystems *filesystems,
		 const struct history *history, bool all_of_them,
		 const struct column *sort);
void fs_rows_deinit(struct fs_rows *rows);

/* All rows, with that of the rest, for a table; valid as long as @rows is. */
struct table_rows fs_rows_of_table(const struct fs_rows *rows);

#endif
