/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A host as one tar file: all that bufstat reads of it, so that it can be
 * looked at later or elsewhere, with the same answers.
 *
 * What is in it: sizes and counts of memory; names, numbers and sizes of block
 * devices, their filesystems' types, labels and UUIDs, where they are mounted,
 * which processes have one open, and what is cached of each filesystem. What is
 * not: serial numbers and the other properties that udev keeps, mount options
 * of filesystems, sources of network mounts, environment and arguments of
 * processes, and no file's contents.
 */
#ifndef BUFSTAT_CAPTURE_H
#define BUFSTAT_CAPTURE_H

#include <stdio.h>

#include "sample/reading.h"

struct error;
struct sysroot;

/*
 * Measures with the source called @source, or the best if that is NULL, and
 * writes the capture to @out. @reading, which is all zero, is what was measured
 * then, the caller's to deinit. Returns 0, also if nothing could be measured,
 * or a negative errno; what could not be written shows in ferror().
 */
int capture_write(FILE *out, const struct sysroot *root, const char *source,
		  struct reading *reading, struct error *err);

#endif
