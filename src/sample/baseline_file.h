/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef BUFSTAT_BASELINE_FILE_H
#define BUFSTAT_BASELINE_FILE_H

struct baseline;
struct error;

/*
 * Reads the array @rows, "devices" or "filesystems", and the pages of each from
 * JSON that bufstat wrote, with --save or -J. Replaces @baseline. Returns 0,
 * the errno of reading @path, -ENOENT without the library for JSON, or -EBADMSG
 * if this is not such a document.
 */
int baseline_read(struct baseline *baseline, const char *path, const char *rows,
		  struct error *err);

#endif
