/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef BUFSTAT_FS_JSON_H
#define BUFSTAT_FS_JSON_H

#include <stdio.h>

#include "filesystems/fs_rows.h"
#include "measure/provenance.h"

struct error;
struct fields;

/* A reading of the filesystems, complete before any of it is printed. */
struct fs_reading {
	const struct filesystems *filesystems;
	struct provenance provenance;
	struct fs_rows rows; /* the rows to show, in order */
};

extern const struct fields fs_document;

/*
 * Prints the JSON document of -J with @columns, with @compact on one line. A
 * write error shows in ferror(@out).
 */
void fs_json_print(FILE *out, const struct fs_reading *reading,
		   const struct column_choice *columns, bool compact);

/*
 * Writes the document with all columns, and the reading itself (saved.h), to
 * @path, as reading_json_save() does. Returns 0 or a negative errno.
 */
int fs_json_save(const char *path, const struct fs_reading *reading,
		 struct error *err);

/* What a document has of them. */
struct fs_answer {
	const struct filesystems *filesystems;
	const struct fs_rows *rows;
	struct table_rows table; /* these, without the others and the rest */
	const struct column_choice *columns;
};

/* The same in a document about other things: totals and rows of its own. */
struct fs_part {
	bool known;
	struct fs_answer answer;
	struct fs_rows rows;
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
