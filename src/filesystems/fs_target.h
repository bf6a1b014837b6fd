/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Opens a mounted filesystem by one of its mount points after the other. */
#ifndef BUFSTAT_FS_TARGET_H
#define BUFSTAT_FS_TARGET_H

#include <stdbool.h>
#include <stddef.h>

#include "frame/option.h"

struct all_mounts;
struct mounted;

struct fs_target {
	const struct all_mounts *mounts;
	bool may_wait;
	const struct mounted *mounted; /* NULL: the kernel's own tmpfs */
	size_t next; /* mount point, or whether there was one */
	int fd; /* or -1: none could be opened */
	int error; /* then why: an errno */
};

/*
 * @index is a place in @mounts, or the one after: the kernel's own tmpfs. With
 * @may_wait, which is for workers only (worker.h), opening may never return;
 * else a mount point that might be waited for is left out, with EAGAIN.
 */
void fs_target_init(struct fs_target *target, const struct all_mounts *mounts,
		    size_t index, bool may_wait);
void fs_target_deinit(struct fs_target *target);

/* Closes the last mount point and opens the next; false if there is none. */
bool fs_target_next(struct fs_target *target);

/*
 * Is a filesystem of this number the one that was wanted? One mounted over it
 * at the same place is not.
 */
bool fs_target_is(const struct fs_target *target, unsigned int major,
		  unsigned int minor);

/* What the commands that ask filesystems have in common. */

/* Rows, of struct common_options. */
extern const struct option_row ask_options[];

#endif
