/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef BUFSTAT_FS_JSON_H
#define BUFSTAT_FS_JSON_H

#include <stdio.h>

#include "filesystems/fs_rows.h"
#include "measure/provenance.h"

struct error;
struct json_out;

/* A reading of the filesystems, complete before any of it is printed. */
struct fs_reading {
	const struct filesystems *filesystems;
	struct provenance provenance;
	struct fs_rows rows; /* the rows to show, in order */
};

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

/*
 * Writes a member @key of another document: the totals and the rows, without
 * changes. It is null if @filesystems is NULL. Returns 0 or -ENOMEM.
 */
int fs_json_write(struct json_out *json, const char *key,
		  const struct filesystems *filesystems);

#endif
