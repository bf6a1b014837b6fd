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
struct packed_tree;
struct patience;
struct string_list;

/* Has a directory for every block device, by its name in the kernel. */
#define CLASS_BLOCK "/sys/class/block"

struct sysroot {
	int fd; /* the captured tree's directory, or -1 */
	char *prefix; /* its path, "" for the running host */
	struct packed_tree *packed; /* a captured tree in a file, or NULL */
	bool is_recorded; /* it has an answer, and few files of the host */
	/*
	 * How long the running host may take to answer; owned by the command,
	 * or NULL (patience.h).
	 */
	struct patience *patience;
};

/*
 * @prefix NULL, "" or "/" is the running host, a directory is a captured tree,
 * and a file is a packed one (packed_tree.h). Returns 0 or a negative errno.
 */
int sysroot_init(struct sysroot *root, const char *prefix, struct error *err);

/*
 * Makes a tree without any files, called @name, for figures from a kernel that
 * is not running. Returns 0 or a negative errno.
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
 * The descriptor that a captured tree is read through, for a process that has
 * to move it; -1 of the running host.
 */
int *sysroot_fd(struct sysroot *root);

/*
 * Like open(2) with O_CLOEXEC, but returns a descriptor or a negative errno:
 * -EINVAL for a FIFO or device in a captured tree, where it is not opened. In
 * a packed tree the descriptor is of a copy. With O_PATH, it then only tells
 * that @path is there.
 */
int sysroot_open(const struct sysroot *root, const char *path, int flags);

/*
 * Does not work in a packed tree; sysroot_list() does. Returns NULL with errno
 * set on failure. The caller closes the directory.
 */
DIR *sysroot_opendir(const struct sysroot *root, const char *path);

/*
 * Sets *@name to the next entry of @dir that does not begin with a dot, valid
 * until the next call. Returns 1, 0 at the end, or a negative errno.
 */
int sysroot_next_name(DIR *dir, const char **name);

/*
 * Adds the names in a directory that do not begin with a dot. Returns 0 or a
 * negative errno, with which some may have been added, too.
 */
int sysroot_list(const struct sysroot *root, const char *path,
		 struct string_list *names);

/* Whether there is anything at @path that this user may look at. */
bool sysroot_exists(const struct sysroot *root, const char *path);

/*
 * For a file of a process below /proc: whether a negative errno hides
 * something. It does not if the process has ended or if this user may not look
 * at it.
 */
bool sysroot_hides(int error);

/*
 * Reads a whole file of at most @limit bytes; a larger one is -EFBIG. *@data
 * has a NUL after its *@size bytes, and the caller frees it. @size may be NULL.
 * Of a captured tree that Windows has had the carriage returns are left out.
 * Returns 0 or a negative errno.
 */
int sysroot_read(const struct sysroot *root, const char *path, size_t limit,
		 char **data, size_t *size);

/*
 * Reads what the symbolic link @path says. The caller frees *@target. Returns 0
 * or a negative errno, -EINVAL if it is not a link.
 */
int sysroot_link(const struct sysroot *root, const char *path, char **target);

/*
 * Reads the last component of what the symbolic link @path says. The caller
 * frees *@name. Returns 0 or a negative errno.
 */
int sysroot_link_name(const struct sysroot *root, const char *path,
		      char **name);

/*
 * Returns the path to give to a library, prefix included. Links in it may lead
 * out of the tree. The caller frees it; NULL when out of memory.
 */
char *sysroot_path(const struct sysroot *root, const char *path);

/* sysfs: attributes end in a newline, and names have '!' for '/'. */

/*
 * Reads the attribute @name, which may be a path, of directory @dir, without
 * its newline. The caller frees *@value, which is unchanged on failure. Returns
 * 0 or a negative errno.
 */
int sysfs_attribute(const struct sysroot *root, const char *dir,
		    const char *name, char **value);

/*
 * The same for an attribute that the device may lack. If it cannot be read,
 * *@value is unchanged. Returns 0 or -ENOMEM.
 */
int sysfs_attribute_if_any(const struct sysroot *root, const char *dir,
			   const char *name, char **value);

/* Turns '!' back into '/', which sysfs cannot have in a name: cciss!c0d0. */
void sysfs_name_restore(char *name);

#endif
