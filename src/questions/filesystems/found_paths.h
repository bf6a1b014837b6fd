/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Finds out what the paths that a user names are. Looking a path up may wait
 * forever for the server or disk that it leads to, so workers do it (ask.h).
 * They open it with O_PATH: no device and no file is opened.
 */
#ifndef BUFSTAT_FOUND_PATHS_H
#define BUFSTAT_FOUND_PATHS_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/string_list.h"
#include "worker/ask.h"

struct error;
struct sysroot;

struct found_path {
	int error; /* an errno, or 0: the rest is set */
	bool is_as_shown; /* what a table prints for it led there (utf8.h) */
	uint64_t mount_id; /* as in mountinfo */
	/* From statx(2), which is told to ask no server. */
	unsigned int mode;
	bool is_mount_root; /* never set before Linux 5.8 */
	unsigned int major; /* of the filesystem; on btrfs, of the subvolume */
	unsigned int minor;
	unsigned int rdev_major; /* of a device node */
	unsigned int rdev_minor;
	uint64_t ino;
	uint64_t size_bytes;
	char real[PATH_MAX]; /* without symbolic links; "" if too long */
};

struct found_paths {
	char *const *paths; /* the caller's */
	size_t count;
	const struct sysroot *root;
	struct ask ask;
	struct asked *asked;
};

/*
 * Adds @words to @paths as absolute paths: workers have another working
 * directory. Returns 0 or a negative errno.
 */
int found_paths_absolute(struct string_list *paths, char *const *words,
			 size_t count, struct error *err);

/*
 * Looks up all @paths, which are absolute, on the running host and follows
 * symbolic links. A path that leads nowhere may be what a table prints for one
 * that does, which then takes its place in @paths. @found must not move, and
 * @paths must outlive it. Returns 0 or a negative errno; the caller deinits
 * @found in either case.
 */
int found_paths_init(struct found_paths *found, const struct sysroot *root,
		     char *const *paths, size_t count, struct error *err);
void found_paths_deinit(struct found_paths *found);

/* Returns what a path is, or NULL with the reason in @why: no answer. */
const struct found_path *found_paths_get(const struct found_paths *found,
					 size_t index, char why[ASK_WHY]);

/*
 * Fills in @path, all zero bytes, from a descriptor of it, which may be an
 * O_PATH one. Called in a worker.
 */
void found_path_fill(struct found_path *path, const struct sysroot *root,
		     int fd);

/* Whether @path is one of these directories or below one, or there are none. */
bool below_has(const struct string_list *below, const char *path);

#endif
