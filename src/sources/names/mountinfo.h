/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Parses /proc/PID/mountinfo, the mounts that a process sees. */
#ifndef BUFSTAT_MOUNTINFO_H
#define BUFSTAT_MOUNTINFO_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "names/recorded_names.h"

struct sysroot;

/* All strings are owned by what follows. */
struct mount {
	unsigned int major;
	unsigned int minor;
	uint64_t id; /* mnt_id in fdinfo; 0 if unreadable */
	const char *root; /* the directory of the filesystem that is mounted */
	const char *target;
	const char *type;
	const char *source;
	const char *options; /* the filesystem's own, escaped; or "" */
};

struct mountinfo {
	char *text; /* of the file */
	struct recorded_names recorded; /* instead, if the host is */
	struct mount *mounts; /* in the order in which they were mounted */
	size_t count;
	int error; /* 0, or why the file could not be read: file_text_why() */
};

/*
 * Reads the file at @path, in a worker if a filesystem may have to read a disk
 * for its line: -ETIMEDOUT then may be the error. A file that cannot be read
 * counts as empty, and a line that cannot be parsed is skipped. A recorded host
 * has no file, but what was mounted on devices, whatever @path is. Returns 0 or
 * -ENOMEM; the caller deinits @info in either case.
 */
int mountinfo_init(struct mountinfo *info, const struct sysroot *root,
		   const char *path);

/* The same from @text, which it takes over. */
int mountinfo_parse(struct mountinfo *info, char *text);

void mountinfo_deinit(struct mountinfo *info);

enum mountinfo_field {
	MOUNTINFO_OTHER,
	MOUNTINFO_ROOT,
	MOUNTINFO_TARGET,
	MOUNTINFO_OPTIONS, /* of the mount */
	MOUNTINFO_SOURCE,
	MOUNTINFO_OWN_OPTIONS, /* of the filesystem */
};

/* A word of the file, for those who write it again. */
struct mountinfo_word {
	const char *next; /* the text at first, and what is after the word */
	const char *text;
	size_t length;
	char end; /* the blank or newline after it, or '\0' */
	enum mountinfo_field field;
	unsigned int number, after; /* in its line, and after the "-" */
};

/* Goes to the next word. Returns false after the last. */
bool mountinfo_next(struct mountinfo_word *word);

/* Where a lookup meets nothing but the kernel's own filesystems. */
bool mount_is_below_sys(const struct mount *mount);

#endif
