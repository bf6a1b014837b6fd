/* SPDX-License-Identifier: GPL-2.0-or-later */
/* /proc/PID/mountinfo: what a process has mounted where. */
#ifndef BUFSTAT_MOUNTINFO_H
#define BUFSTAT_MOUNTINFO_H

#include <stddef.h>
#include <stdint.h>

struct sysroot;

/* All strings point into the text of the file. */
struct mount {
	unsigned int major;
	unsigned int minor;
	uint64_t id; /* of the mount, as fdinfo has it; 0 if unreadable */
	const char *root; /* what of the filesystem is mounted */
	const char *target;
	const char *type;
	const char *source;
};

struct mountinfo {
	char *text;
	struct mount *mounts; /* in the order in which they were mounted */
	size_t count;
	int error; /* 0, or why the file could not be read */
};

/*
 * Reads the file at @path; one that cannot be read counts as empty, and so does
 * such a line. Returns 0 or -ENOMEM; the caller deinits in either case.
 */
int mountinfo_init(struct mountinfo *info, const struct sysroot *root,
		   const char *path);
void mountinfo_deinit(struct mountinfo *info);

#endif
