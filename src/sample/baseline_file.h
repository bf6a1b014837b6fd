/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef BUFSTAT_BASELINE_FILE_H
#define BUFSTAT_BASELINE_FILE_H

#include <stdbool.h>

struct baseline;
struct error;
struct sysroot;

/*
 * Reads the pages of @rows, "devices" or "filesystems", from what --save wrote.
 * Replaces @baseline. Returns 0 or a negative errno, as saved_open_file() does;
 * -EBADMSG also if they were not measured, -EXDEV if it is a sample of another
 * host or boot than @root, as far as both say of which they are.
 */
int baseline_read(struct baseline *baseline, const char *path, const char *rows,
		  const struct sysroot *root, struct error *err);

/*
 * False, with the text for it in @err, if what was read from @path is
 * unsettled: then nothing is compared with it.
 */
bool baseline_is_proven(const struct baseline *baseline, const char *path,
			struct error *err);

#endif
