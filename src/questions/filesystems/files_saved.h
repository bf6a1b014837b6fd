/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Keeps the largest files in a saved reading, and reads them back (saved.h). */
#ifndef BUFSTAT_FILES_SAVED_H
#define BUFSTAT_FILES_SAVED_H

#include <stdbool.h>
#include <stddef.h>

struct cached_files;
struct error;
struct fields;
struct files_question;
struct json_out;
struct saved;
struct sysroot;

/*
 * Writes the member "files". @limit is the most files that were asked for. If
 * @files are from a capture, its limit counts. @hides_paths: it has no paths.
 */
void files_saved_write(struct json_out *json, const struct cached_files *files,
		       size_t limit, bool hides_paths);

/*
 * Reads that member into @files, which must be all zero. Returns 1, 0 if the
 * reading has no files, -EBADMSG if it is damaged, or -ENOMEM. The caller
 * deinits in any case.
 */
int files_saved_read(const struct saved *saved, struct cached_files *files);

/*
 * Reads from a captured tree as many files as @question wants and the capture
 * has, with their users. Returns 0, -EOPNOTSUPP if it has none or none from
 * that source, or a negative errno as saved_open() or the function above. The
 * caller deinits in any case.
 */
int files_saved_read_tree(const struct sysroot *root,
			  const struct files_question *question,
			  struct cached_files *files, struct error *err);

/* Of the object "files". */
extern const struct fields cached_files_fields;

#endif
