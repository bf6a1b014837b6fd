/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a path is that a user names to be written, and putting a new file in its
 * place. All of this may wait in the kernel for the disk or the server that the
 * path is on; new_file.h lets a worker do it.
 */
#ifndef BUFSTAT_DESTINATION_H
#define BUFSTAT_DESTINATION_H

#include <limits.h>
#include <stddef.h>
#include <sys/types.h>

enum destination_kind {
	DESTINATION_FILE, /* to be replaced, or not there yet */
	DESTINATION_STREAM, /* a character device or a pipe, to be opened */
	/* Below /proc, a link to what a process has open: what that is, only
	 * this process can tell if it is its own. */
	DESTINATION_DESCRIPTOR,
};

struct destination {
	enum destination_kind kind;
	char path[PATH_MAX]; /* links followed */
	dev_t device; /* of the directory: where a file is written */
	const char *refused; /* why, beyond the errno; static; or NULL */
};

/*
 * Returns 0 or a negative errno; then @destination->refused may say more. A
 * link that somebody else put into a directory where everybody may write is
 * -EACCES, whatever fs.protected_symlinks says.
 */
int destination_find(const char *path, struct destination *destination);

/* Why @mode is nothing to write to: a negative errno, or 0. */
int destination_refuses(mode_t mode, const char **why);

/*
 * Puts a file of @text, @size bytes, in the place of @path when all of it is on
 * the disk; mode and owner stay, and are 0644 and this user for one that was
 * not there. Returns 0 or a negative errno, with what was there before: -EXDEV
 * if it belongs to somebody else and could not go on doing so.
 */
int destination_replace(const char *path, const char *text, size_t size);

#endif
