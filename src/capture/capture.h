/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Writes a host as one tar file: all that bufstat reads, so that it gives the
 * same answers later or elsewhere.
 *
 * The file has: sizes and counts of memory; names, numbers and sizes of block
 * devices, their filesystems' types, labels and UUIDs, and where they are
 * mounted; which processes have one open; what is cached of each filesystem;
 * and the CAPTURE_FILES files with most cache, with the processes that have
 * them. It does not have: serial numbers and the other properties that
 * udev keeps, mount options, sources of network mounts, environment and
 * arguments of processes, or contents of files.
 */
#ifndef BUFSTAT_CAPTURE_H
#define BUFSTAT_CAPTURE_H

#include <stdbool.h>
#include <stdio.h>

#include "sample/reading.h"

struct error;
struct sysroot;

enum {
	CAPTURE_FILES = 100,
	CAPTURE_OWNERS = 20, /* in a list */
};

/*
 * Measures with the source called @source (NULL: the best one) and writes the
 * capture to @out. If @source does not know of filesystems, the best that does
 * measures these. Without @paths, the paths of the cached files and of the
 * files that loop devices use are left out. @reading must be all zero; it
 * receives the measurement and the caller deinits it. Returns 0, even if nothing
 * could be measured, or a negative errno. Write errors show in ferror().
 */
int capture_write(FILE *out, const struct sysroot *root, const char *source,
		  bool paths, struct reading *reading, struct error *err);

#endif
