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
#include <stdint.h>
#include <stdio.h>

#include "sample/reading.h"

struct sysroot;

enum {
	CAPTURE_FILES = 100,
	CAPTURE_OWNERS = 20, /* in a list */
};

struct capture_options {
	/*
	 * What measures; NULL: the best source. If it does not know of
	 * filesystems, the best that does measures these.
	 */
	const char *source;
	/* Else the paths of cached files and those that loop devices use are
	 * left out. */
	bool paths;
	bool redacts; /* names are replaced (redact.h) */
	/*
	 * The recording (store/excerpt.h) of which the part from @from_ms to
	 * @to_ms is captured, too; NULL: none.
	 */
	const char *recording;
	int64_t from_ms;
	int64_t to_ms;
	/* Set to the errno for which processes with open devices are left out. */
	int *openers_failed;
};

/*
 * Measures and writes the capture to @out. @reading must be all zero; it
 * receives the measurement and the caller deinits it. Returns 0, even if
 * nothing could be measured, or a negative errno. Write errors show in
 * ferror().
 */
int capture_write(FILE *out, const struct sysroot *root,
		  const struct capture_options *options,
		  struct reading *reading, struct error *err);

#endif
