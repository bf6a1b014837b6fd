/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Keeps the filesystems in a saved reading, and reads them back (saved.h). */
#ifndef BUFSTAT_FS_SAVED_H
#define BUFSTAT_FS_SAVED_H

struct error;
struct fields;
struct filesystems;
struct json_out;
struct saved;
struct sysroot;

/* Writes the member "filesystems"; null if @filesystems is NULL. */
void fs_saved_write(struct json_out *json,
		    const struct filesystems *filesystems);

/*
 * Reads that member into @filesystems, which must be all zero. Returns 1, 0 if
 * the reading has no filesystems, -EBADMSG if it is damaged, or -ENOMEM. The
 * caller deinits in any case.
 */
int fs_saved_read(const struct saved *saved, struct filesystems *filesystems);

/*
 * Reads them from a captured tree. Returns 0, -EOPNOTSUPP if it has none, or
 * none from @source (NULL: any), or a negative errno as above.
 */
int fs_saved_read_tree(const struct sysroot *root, const char *source,
		       struct filesystems *filesystems, struct error *err);

/* Of the object "filesystems". */
extern const struct fields filesystems_fields;

#endif
