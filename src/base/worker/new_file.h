/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Writes a file that the user names. A regular file, links followed, is
 * replaced only when all of the new one is on the disk. Whoever reads the path
 * sees the old file or the new one, never a part. Its mode and owner stay. A
 * character device, a pipe with a reader, and what a descriptor below /proc
 * leads to are written to directly. A block device, a directory and a socket
 * are refused.
 *
 * The disk may be sick, so a worker looks and writes (ask.h).
 */
#ifndef BUFSTAT_NEW_FILE_H
#define BUFSTAT_NEW_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <unistd.h>

#include "lib/destination.h"

struct error;

struct new_file {
	FILE *out; /* into memory until it is committed */
	char *text;
	size_t size;
	const char *doing, *path; /* owned by the caller, for messages */
	struct destination destination;
	int fd; /* to write to; -1: a file is replaced */
};

/*
 * Finds out what @path is. @doing and @path must outlive @file. Returns 0, or a
 * negative errno with the text in @err and nothing to clean up. It is -EBUSY if
 * the disk did not answer.
 */
int new_file_create(struct new_file *file, const char *doing, const char *path,
		    struct error *err);

/* Whether it goes to a terminal, as to /dev/tty. */
static inline bool new_file_is_terminal(const struct new_file *file)
{
	return file->fd >= 0 && isatty(file->fd);
}

/*
 * Writes everything out. A regular file then takes the place of path; a new one
 * has mode 0644. Returns 0, or a negative errno with the text in @err; what was
 * there before is then unchanged. But -EBUSY means that a worker is not done
 * yet and goes on. Nothing is left to clean up.
 */
int new_file_commit(struct new_file *file, struct error *err);

/* Discards what was written; what was there before stays. */
void new_file_discard(struct new_file *file);

#endif
