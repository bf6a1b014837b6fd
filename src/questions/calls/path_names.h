/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the caches and devices that calls went to are called. */
#ifndef BUFSTAT_PATH_NAMES_H
#define BUFSTAT_PATH_NAMES_H

#include <stdbool.h>
#include <stdint.h>

#include "names/mountinfo.h"

struct path_target;
struct sysroot;

#define PATH_NAME 256 /* bytes */

struct path_names {
	const struct sysroot *root;
	struct mountinfo mounts;
	uint32_t bdevfs; /* number of the filesystem of all devices, or 0 */
};

/* Returns 0 or -ENOMEM; the caller deinits @names in either case. */
int path_names_init(struct path_names *names, const struct sysroot *root);
void path_names_deinit(struct path_names *names);

/*
 * Whether the page cache of @inode in the filesystem @device is that of a block
 * device. @data is the struct path_names.
 */
bool path_names_is_bdev(void *data, uint32_t device, uint64_t inode);

/*
 * Whether I/O alone told the target, and the device that it went to may stand
 * for a partition of it (up to Linux 5.11).
 */
bool path_names_is_guess(const struct path_names *names,
			 const struct path_target *target);

/*
 * Writes the device's node or the mount point, or the number if it has no name.
 * Returns @text, or NULL if the target is not known.
 */
const char *path_names_find(const struct path_names *names,
			    const struct path_target *target,
			    char text[PATH_NAME]);

#endif
