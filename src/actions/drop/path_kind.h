/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the paths lead to whose pages are to be released. */
#ifndef BUFSTAT_PATH_KIND_H
#define BUFSTAT_PATH_KIND_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct all_mounts;
struct error;
struct mounted;
struct sysroot;

enum path_kind {
	PATH_DEVICE, /* a block device's node */
	PATH_FILE, /* a regular file */
	PATH_MOUNT, /* a mount point: a filesystem */
};

struct path_found {
	char *path; /* absolute; the caller frees it */
	int error; /* an errno: nothing below is known */
	enum path_kind kind;
	dev_t device; /* PATH_DEVICE: its number */
	uint64_t ino;
	const struct mounted *mounted; /* its filesystem, in the mounts given */
};

/*
 * Looks up the @count @words, paths as this process sees them, in a worker
 * (ask.h). Refuses anything that is not one of the kinds, and what is on a
 * filesystem whose pages cannot be released. A path that is not there only has
 * its @error set. Returns 0, or a negative errno with @err set. The caller
 * deinits each element of @found in either case.
 */
int paths_find(struct path_found *found, char *const *words, size_t count,
	       const struct sysroot *root, const struct all_mounts *mounts,
	       struct error *err);
void path_found_deinit(struct path_found *found);

#endif
