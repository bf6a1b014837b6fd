/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What Cached is made of, in the reading that is kept (saved.h). */
#ifndef BUFSTAT_FS_SAVED_H
#define BUFSTAT_FS_SAVED_H

struct error;
struct filesystems;
struct json_out;
struct saved;
struct sysroot;

/* Writes the member "filesystems"; null if @filesystems is NULL. */
void fs_saved_write(struct json_out *json,
		    const struct filesystems *filesystems);

/*
 * Reads it into @filesystems, which is all zero but for the snapshot's source.
 * Returns 1, 0 if the reading is without them, -EBADMSG if it is damaged, or
 * -ENOMEM. The caller deinits in any case.
 */
int fs_saved_read(const struct saved *saved, struct filesystems *filesystems);

/* From a captured tree. Returns 0, -EOPNOTSUPP without them, or as above. */
int fs_saved_read_tree(const struct sysroot *root,
		       struct filesystems *filesystems, struct error *err);

#endif
