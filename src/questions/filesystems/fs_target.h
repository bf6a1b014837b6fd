/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Opens a mounted filesystem, trying one of its mount points after the other.
 */
#ifndef BUFSTAT_FS_TARGET_H
#define BUFSTAT_FS_TARGET_H

#include <stdbool.h>
#include <stddef.h>

#include "cli/option.h"

struct all_mounts;
struct mounted;

struct fs_target {
	const struct all_mounts *mounts;
	bool may_wait;
	const struct mounted *mounted; /* NULL: the kernel's own tmpfs */
	size_t next; /* mount point to try next; for the tmpfs 0, then 1 */
	int fd; /* -1 if none could be opened */
	int error; /* an errno: why not */
};

/*
 * @index is an index into @mounts; the one after the last is the kernel's own
 * tmpfs. With @may_wait, opening may never return, so only workers set it
 * (worker.h). Without it, a mount point that might block is skipped, and the
 * error is EAGAIN.
 */
void fs_target_init(struct fs_target *target, const struct all_mounts *mounts,
		    size_t index, bool may_wait);
void fs_target_deinit(struct fs_target *target);

/*
 * Closes the current mount point and opens the next. Returns false if none is
 * left that can be opened.
 */
bool fs_target_next(struct fs_target *target);

/*
 * Whether this is the device number of the wanted filesystem. It is not if
 * another filesystem is mounted over it at the same place.
 */
bool fs_target_is(const struct fs_target *target, unsigned int major,
		  unsigned int minor);

/* Options of the commands that ask about filesystems. */

/* Rows for struct common_options. */
extern const struct option_row ask_options[];

#endif
