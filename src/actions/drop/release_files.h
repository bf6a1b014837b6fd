/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a worker does for drop_files.h: everything that may wait for a disk. */
#ifndef BUFSTAT_RELEASE_FILES_H
#define BUFSTAT_RELEASE_FILES_H

struct all_mounts;
struct drop_set;
struct sysroot;

/* What is done with each file of a set. */
enum release_work {
	/* Whether its path still leads to it; of a set of one, also counts. */
	RELEASE_LOOK,
	/* The others only with files whose stay is STAY_NOT or STAY_MAPPED. */
	RELEASE_WRITE, /* starts to write what may be dirty */
	RELEASE_COUNT, /* asks cachestat(2) for @after, if it may be dirty */
	RELEASE_PAGES,
};

/*
 * Returns 0, or a negative errno with the error in @set; then nothing was
 * released, or a worker goes on with it.
 */
int release_files(struct drop_set *set, const struct sysroot *root,
		  const struct all_mounts *mounts, enum release_work work);

#endif
