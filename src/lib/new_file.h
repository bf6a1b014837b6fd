/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A file that takes the place of another only when all of it is on the disk:
 * whoever reads the path sees the old file or the new one, never a part.
 */
#ifndef BUFSTAT_NEW_FILE_H
#define BUFSTAT_NEW_FILE_H

#include <stdio.h>

struct new_file {
	FILE *out;
	const char *path; /* the caller's */
	char *temporary; /* where it is written: beside @path */
};

/*
 * Opens a file beside @path, which has to stay valid. Returns 0, or a negative
 * errno with nothing to clean up.
 */
int new_file_create(struct new_file *file, const char *path);

/*
 * Writes out, gives the file mode 0644 and puts it in the place of path.
 * Returns 0, or a negative errno with what was there before still there. The
 * file is closed in either case.
 */
int new_file_commit(struct new_file *file);

/* Closes and removes it; what was there before stays. */
void new_file_discard(struct new_file *file);

#endif
