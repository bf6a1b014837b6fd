/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef BUFSTAT_FS_JSON_H
#define BUFSTAT_FS_JSON_H

#include "filesystems/fs_rows.h"

struct fields;
struct json_out;

/* Of a document whose answer is struct fs_answer. */
extern const struct fields fs_document;

/* For struct question: writes the reading of a struct fs_answer. */
void fs_answer_save(struct json_out *json, const void *answer);

/* The same in a document about other things: totals and rows of its own. */
struct fs_part {
	bool known;
	struct fs_answer answer;
	struct table_rows table; /* those of the answer, without the rest */
	const struct column_choice *shown;
	struct column_choice columns;
};

/* Members of struct fs_part: they are null if it is not known. */
extern const struct fields fs_part_fields;

/*
 * Makes it of @filesystems, which must outlive it, if that is not NULL. Returns
 * 0 or -ENOMEM; the caller deinits in either case. @part must not move.
 */
int fs_part_init(struct fs_part *part, const struct filesystems *filesystems);
void fs_part_deinit(struct fs_part *part);

#endif
