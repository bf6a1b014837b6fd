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
#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

struct error;
struct packed_tree;
struct patience;
struct string_list;

struct sysroot {
	int fd; /* the captured tree's directory, or -1 */
	char *prefix; /* its path, "" for the running host */
	struct packed_tree *packed; /* one in a file, or NULL */
	/* How long answers of the running host may take: the command's, or
	 * NULL (patience.h). */
	struct patience *patience;
};

/*
 * @prefix NULL, "" or "/" is the running host, a directory a captured tree, and
 * a file one that is packed (packed_tree.h). Returns 0 or a negative errno.
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
	return root->fd < 0 && !root->packed;
}

/*
 * open(2) with O_CLOEXEC; returns a descriptor or a negative errno. What is in
 * a packed tree is a copy, and with O_PATH is there and no more.
 */
int sysroot_open(const struct sysroot *root, const char *path, int flags);

/*
 * Not of a packed tree, as sysroot_list() is. Returns NULL with errno set on
 * failure. The caller closes the directory.
 */
DIR *sysroot_opendir(const struct sysroot *root, const char *path);

/*
 * Sets *@name to the next entry of @dir that does not begin with a dot, valid
 * until the next call. Returns 1, 0 at the end, or a negative errno.
 */
int sysroot_next_name(DIR *dir, const char **name);

/*
 * Adds the names in a directory that do not begin with a dot. Returns 0 or a
 * negative errno, for some of them too.
 */
int sysroot_list(const struct sysroot *root, const char *path,
		 struct string_list *names);

/* Is there anything at @path that may be looked at? */
bool sysroot_exists(const struct sysroot *root, const char *path);

/*
 * Of a process's files below /proc: does this negative errno hide something?
 * Not if the process has ended or may not be looked at by this user.
 */
bool sysroot_hides(int error);

/*
 * Reads a whole file, at most @limit bytes (-EFBIG beyond). *@data is
 * NUL-terminated after *@size bytes and the caller's to free. @size may be
 * NULL. Returns 0 or a negative errno.
 */
int sysroot_read(const struct sysroot *root, const char *path, size_t limit,
		 char **data, size_t *size);

/*
 * What the symbolic link @path says. The caller frees *@target. Returns 0 or a
 * negative errno, -EINVAL for what is none.
 */
int sysroot_link(const struct sysroot *root, const char *path, char **target);

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

/* What sysfs writes its own way: attributes that end in a newline, and names. */

/*
 * The attribute @name, which may be a path, of directory @dir, without its
 * newline. The caller frees *@value, which stays as it was on failure. Returns
 * 0 or a negative errno.
 */
int sysfs_attribute(const struct sysroot *root, const char *dir,
		    const char *name, char **value);

/*
 * The same where the device may well be without it: what cannot be read is not
 * known, and only -ENOMEM is an error.
 */
int sysfs_attribute_if_any(const struct sysroot *root, const char *dir,
			   const char *name, char **value);

/* sysfs cannot have '/' in a name and shows '!' for it: cciss!c0d0. */
void sysfs_name_restore(char *name);

#endif
