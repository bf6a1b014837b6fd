/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef BUFSTAT_BASELINE_FILE_H
#define BUFSTAT_BASELINE_FILE_H

#include <stdbool.h>

struct baseline;
struct error;
struct saved;
struct sysroot;

/* Returns 1, 0 if the reading does not have it, or a negative errno. */
typedef int baseline_read_fn(void *to, const struct saved *saved);

/*
 * Reads a file that --save wrote. Returns 0 or a negative errno, as
 * saved_open_file() does. Also returns -EBADMSG if it does not have @what, and
 * -EXDEV if it is from another host or boot than @root and both name theirs.
 */
int baseline_read_saved(baseline_read_fn *read, void *to, const char *what,
			const char *path, const struct sysroot *root,
			struct error *err);

/*
 * The same of the pages of @rows, "devices" or "filesystems", which replace
 * @baseline. If it fails, there is nothing to clean up.
 */
int baseline_read(struct baseline *baseline, const char *path, const char *rows,
		  const struct sysroot *root, struct error *err);

/*
 * Returns false and sets @err if the sample from @path is unsettled: nothing is
 * compared with it then.
 */
bool baseline_is_proven(const struct baseline *baseline, const char *path,
			struct error *err);

/*
 * Checks that a saved sample is from the same boot as @root, if both name
 * theirs. Returns 0 or a negative errno.
 */
int baseline_check_boot(const struct saved *saved, const char *path,
			const struct sysroot *root, struct error *err);

#endif
