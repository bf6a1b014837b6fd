/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef BUFSTAT_FS_JSON_H
#define BUFSTAT_FS_JSON_H

#include <stdbool.h>
#include <stdio.h>

struct column;
struct column_choice;
struct error;
struct filesystems;
struct history;
struct json_out;
struct sysroot;

struct fs_json {
	const struct sysroot *root;
	const struct filesystems *filesystems;
	const struct history *history;
	const struct column_choice *columns;
	const struct column *sort; /* or NULL: most pages first */
	bool all;
};

/*
 * Prints the document that -J prints and --save keeps. Returns 0 or -ENOMEM;
 * what could not be written shows in ferror().
 */
int fs_json_print(FILE *out, const struct fs_json *sample, struct error *err);

/* Writes it with all columns to @path, as sample_json_save() does. */
int fs_json_save(const char *path, const struct fs_json *sample,
		 struct error *err);

/*
 * Writes a member @key of another document: the totals and the rows, without
 * what changed; null if @filesystems is NULL. Returns 0 or -ENOMEM.
 */
int fs_json_write(struct json_out *json, const char *key,
		  const struct filesystems *filesystems);

#endif
