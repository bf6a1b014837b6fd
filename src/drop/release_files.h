/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a worker does for drop_files.h: everything that may wait for a disk. */
#ifndef BUFSTAT_RELEASE_FILES_H
#define BUFSTAT_RELEASE_FILES_H

#include <stdint.h>

struct all_mounts;
struct drop_set;
struct sysroot;

/*
 * Looks at each file of @set: whether its path still leads to it and, for a set
 * of one file, its pages. Returns 0 or a negative errno with @set->error.
 */
int release_look(struct drop_set *set, const struct sysroot *root,
		 const struct all_mounts *mounts);

/*
 * Writes what is dirty, then releases the pages of each file whose stay is
 * STAY_NOT or STAY_MAPPED. Returns 0, or a negative errno with @set->error;
 * then nothing was released, or a worker goes on with it.
 */
int release_files(struct drop_set *set, const struct sysroot *root,
		  const struct all_mounts *mounts);

#endif
