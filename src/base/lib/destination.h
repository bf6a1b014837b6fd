/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Finds out what a path is that a user names for output, and puts a new file in
 * its place. All of this may block on the disk or the server that the path is
 * on; new_file.h lets a worker do it.
 */
#ifndef BUFSTAT_DESTINATION_H
#define BUFSTAT_DESTINATION_H

#include <limits.h>
#include <stddef.h>
#include <sys/types.h>

enum destination_kind {
	DESTINATION_FILE, /* to replace, or not there yet */
	DESTINATION_STREAM, /* a character device or a pipe, to open */
	/*
	 * A link below /proc to what a process has open. If that process is the
	 * program itself, only it can tell what that is, and a worker cannot.
	 */
	DESTINATION_DESCRIPTOR,
};

struct destination {
	enum destination_kind kind;
	char path[PATH_MAX]; /* links followed */
	dev_t device; /* of the directory that the file is in */
	const char *refused; /* static: more than the errno says; or NULL */
};

/*
 * Returns 0 or a negative errno; @destination->refused may then say more. A
 * link that somebody else put into a directory where everybody may write is
 * -EACCES, whatever fs.protected_symlinks says.
 */
int destination_find(const char *path, struct destination *destination);

/*
 * Returns 0, or a negative errno if nothing can be written to a file of this
 * @mode; *@why, static, may then say more.
 */
int destination_refuses(mode_t mode, const char **why);

/*
 * Puts a file with the @size bytes of @text in the place of @path once all of
 * it is on the disk. Mode and owner stay; a new file has mode 0644 and belongs
 * to this user. Returns 0, or a negative errno and leaves what was there
 * before. -EXDEV means that the file belongs to somebody else, and the new one
 * could not.
 */
int destination_replace(const char *path, const char *text, size_t size);

#endif
