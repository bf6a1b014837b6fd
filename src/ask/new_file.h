/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a user names to be written. A regular file is replaced, links followed,
 * only when all of the new one is on the disk: whoever reads the path sees the
 * old file or the new one, never a part. Its mode and owner stay. What is no
 * file to replace is written to: a character device, a pipe that is read, what
 * a descriptor below /proc leads to. A block device, a directory and a socket
 * are refused.
 *
 * The disk that it is on may be sick: a worker looks and writes (ask.h).
 */
#ifndef BUFSTAT_NEW_FILE_H
#define BUFSTAT_NEW_FILE_H

#include <stddef.h>
#include <stdio.h>

#include "lib/destination.h"

struct error;

struct new_file {
	FILE *out; /* into memory, until it is committed */
	char *text;
	size_t size;
	const char *doing, *path; /* the caller's, for messages */
	struct destination destination;
	int fd; /* what to write to; -1: a file is replaced */
};

/*
 * Finds out what @path is. @doing and @path have to stay valid. Returns 0, or a
 * negative errno with its text and nothing to clean up: -EBUSY if the disk did
 * not answer.
 */
int new_file_create(struct new_file *file, const char *doing, const char *path,
		    struct error *err);

/*
 * Writes out and, if it is a file, puts it in the place of path; one that was
 * not there has mode 0644. Returns 0, or a negative errno with its text, and
 * what was there before then still is; but -EBUSY is that a worker is not done
 * yet and goes on. Nothing is left to clean up.
 */
int new_file_commit(struct new_file *file, struct error *err);

/* Forgets it; what was there before stays. */
void new_file_discard(struct new_file *file);

#endif
