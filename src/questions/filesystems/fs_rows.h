/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The rows of a table of filesystems: what was measured, what changed, and, as
 * the last row, the unattributed rest of Cached.
 */
#ifndef BUFSTAT_FS_ROWS_H
#define BUFSTAT_FS_ROWS_H

#include <stdbool.h>
#include <stddef.h>

#include "filesystems/measured_filesystems.h"
#include "table/column.h"

struct selection;

struct fs_row {
	const struct filesystems *all;
	const struct filesystem *filesystem; /* NULL: the unattributed rest */
	char number[24]; /* "major:minor", "" if it is no filesystem */
};

struct fs_rows {
	/*
	 * @count filesystems. If some are not shown, a row for these others.
	 * Then that of the rest.
	 */
	struct fs_row *rows;
	size_t count;
	size_t others; /* how many filesystems are not shown, with their sum */
	struct filesystem sum;
	char sum_name[32]; /* its source */
	bool is_selected; /* rows were left out that nobody asked for */
};

/* What is mounted, or the name of the row; owned by @row or static. */
const char *fs_row_source(const struct fs_row *row);

/* The rows are struct fs_row. */
extern const struct column_set fs_columns;

/*
 * Without @all_of_them, filesystems are left out that were measured and neither
 * have pages nor had any before. Most pages come first. @filesystems must
 * outlive @rows. Returns 0 or -ENOMEM; the caller deinits in
 * either case.
 */
int fs_rows_init(struct fs_rows *rows, const struct filesystems *filesystems,
		 bool all_of_them);
void fs_rows_deinit(struct fs_rows *rows);

/*
 * Leaves the rows of what is in @selection. The table then has no row of the
 * rest, which is about all filesystems.
 */
void fs_rows_select(struct fs_rows *rows, struct selection *selection);

/*
 * Sorts the rows, and adds up those that column_sort_shown() does not show and,
 * with @only_changed, those that did not change since the last sample. @rows
 * must not move after that.
 */
void fs_rows_arrange(struct fs_rows *rows, const struct column_order *order,
		     size_t top, bool only_changed);

/* Whether filesystems are left out that may have pages. */
static inline bool fs_rows_are_part(const struct fs_rows *rows)
{
	return rows->is_selected || rows->others;
}

/* The rows for a table, valid as long as @rows is. */
struct table_rows fs_rows_of_table(const struct fs_rows *rows);

#endif
