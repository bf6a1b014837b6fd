/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The question of what Cached is made of: the rows are what was measured, what
 * changed, and the unattributed rest.
 */
#ifndef BUFSTAT_FS_ROWS_H
#define BUFSTAT_FS_ROWS_H

#include <stdbool.h>
#include <stddef.h>

#include "filesystems/measured_filesystems.h"
#include "question/question.h"
#include "table/column.h"

struct command_line;
struct fields;

struct fs_row {
	const struct filesystems *all;
	const struct filesystem *filesystem; /* NULL: the unattributed rest */
	char number[24]; /* "major:minor", "" if it is no filesystem */
};

/* The rows are struct fs_row. */
extern const struct column_set fs_columns;

/* What is mounted, or the name of the row; owned by @row or static. */
const char *fs_row_source(const struct fs_row *row);

struct fs_answer {
	struct answer head;
	/* Those of the rows: what was taken, or somebody else's. */
	const struct filesystems *filesystems;
	struct filesystems taken;
};

extern const struct question fs_question;
extern const struct command_line command_filesystems;

/*
 * Makes the rows of answer->filesystems, with the rest. Without @all, those are
 * left out that were measured and neither have pages nor had any before. Most
 * pages come first. Returns 0 or -ENOMEM; the caller deinits the rows in either
 * case.
 */
int fs_rows_init(struct fs_answer *answer, bool all);

/* Tells what the filesystems lack, for each whose answer is made of them. */
void filesystems_missing(const struct filesystems *filesystems,
			 error_tell_fn *tell, void *data);

#endif
