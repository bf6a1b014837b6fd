/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Every path under /proc, /sys, /run and /dev is opened through a sysroot, so
 * that a captured tree can stand in for the running host.
 *
 * Paths given to these functions are absolute. In a captured tree they and
 * every symbolic link on the way are resolved inside it
 * (openat2(RESOLVE_IN_ROOT), Linux 5.6; before that, relative links only).
 */
#ifndef BUFSTAT_SYSROOT_H
#define BUFSTAT_SYSROOT_H

#include <dirent.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

struct error;

struct sysroot {
	int fd; /* the captured tree's directory, or -1: the running host */
	char *prefix; /* its path, "" for the running host */
	/* The directory of our own that it was unpacked into, which goes
	 * with it, or NULL: never a name that somebody gave. */
	char *unpacked;
};

/*
 * @prefix NULL, "" or "/" is the running host, a directory a captured tree, and
 * a file one that is packed (tar.h): it is unpacked into a directory below
 * $TMPDIR or /tmp, which deinit removes. Returns 0 or a negative errno.
 */
int sysroot_init(struct sysroot *root, const char *prefix, struct error *err);

/*
 * A tree without any file in it, called @name, for figures that come from
 * another kernel than the running one. Returns 0 or a negative errno.
 */
int sysroot_init_empty(struct sysroot *root, const char *name,
		       struct error *err);
void sysroot_deinit(struct sysroot *root);

/* Is this the running host? Only there can a device be opened or measured. */
static inline bool sysroot_is_live(const struct sysroot *root)
{
	return root->fd < 0;
}

/* open(2) with O_CLOEXEC; returns a descriptor or a negative errno. */
int sysroot_open(const struct sysroot *root, const char *path, int flags);

/* Returns NULL with errno set on failure. The caller closes the directory. */
DIR *sysroot_opendir(const struct sysroot *root, const char *path);

/*
 * Sets *@name to the next entry of @dir that does not begin with a dot, valid
 * until the next call. Returns 1, 0 at the end, or a negative errno.
 */
int sysroot_next_name(DIR *dir, const char **name);

/*
 * Reads a whole file, at most @limit bytes (-EFBIG beyond). *@data is
 * NUL-terminated after *@size bytes and the caller's to free. @size may be
 * NULL. Returns 0 or a negative errno.
 */
int sysroot_read(const struct sysroot *root, const char *path, size_t limit,
		 char **data, size_t *size);

/*
 * The last component of what the symbolic link @path points to. The caller
 * frees *@name. Returns 0 or a negative errno.
 */
int sysroot_link_name(const struct sysroot *root, const char *path,
		      char **name);

/*
 * The path as a library must be given it, prefix included; links in it are
 * not confined. The caller frees it; NULL when out of memory.
 */
char *sysroot_path(const struct sysroot *root, const char *path);

#endif
