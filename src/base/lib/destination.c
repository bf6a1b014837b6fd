// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <linux/magic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "lib/cleanup.h"
#include "lib/destination.h"
#include "lib/whole.h"

#define MAX_LINKS 40 /* as in the kernel */
#define MODE_OF_NEW 0644
#define MODE_BITS 07777

/* Links in /proc lead to what a process has open, whatever their text says. */
static bool is_on_proc(const char *directory)
{
	struct statfs status;

	return statfs(directory, &status) == 0 &&
	       status.f_type == PROC_SUPER_MAGIC;
}

/*
 * In a sticky directory where everybody may write, follows only links of this
 * user or of the directory's owner, whatever fs.protected_symlinks says.
 */
static bool may_follow(int link, const struct stat *directory)
{
	const mode_t shared = S_ISVTX | S_IWOTH;
	struct stat status;

	if (fstat(link, &status) < 0)
		return false;
	return (directory->st_mode & shared) != shared ||
	       status.st_uid == geteuid() || status.st_uid == directory->st_uid;
}

/* Sets @to to the link's @target, as seen from @parent. */
static int set_path(char *to, const char *parent, const char *target)
{
	bool is_absolute = *target == '/';
	int length = snprintf(to, PATH_MAX, "%s%s%s", is_absolute ? "" : parent,
			      is_absolute ? "" : "/", target);

	return length < PATH_MAX ? 0 : -ENAMETOOLONG;
}

/*
 * If the path is a link, replaces it by what the link says. Returns 1 then, 0
 * if there is no link to follow, or a negative errno.
 */
static int follow_one(struct destination *destination)
{
	char *path = destination->path;
	_cleanup_(closep) int link =
		open(path, O_PATH | O_NOFOLLOW | O_CLOEXEC);
	char copy[PATH_MAX], target[PATH_MAX];
	const char *parent;
	struct stat directory;
	ssize_t length;
	int ret;

	strcpy(copy, path);
	parent = dirname(copy);
	if (stat(parent, &directory) < 0)
		return -errno;
	destination->device = directory.st_dev;
	length = readlinkat(link, "", target, sizeof(target) - 1);
	/* A worker does not have its program's descriptors. */
	if ((length >= 0 || link < 0) && is_on_proc(parent)) {
		destination->kind = DESTINATION_DESCRIPTOR;
		return 0;
	}
	if (length < 0)
		return 0;
	if (!may_follow(link, &directory))
		return -EACCES;
	target[length] = '\0';
	ret = set_path(path, parent, target);
	return ret < 0 ? ret : 1;
}

int destination_refuses(mode_t mode, const char **why)
{
	switch (mode & S_IFMT) {
	case S_IFREG:
	case S_IFCHR:
	case S_IFIFO:
		return 0;
	case S_IFDIR:
		return -EISDIR;
	case S_IFBLK:
		*why = "a block device, whose content would be lost";
		return -EINVAL;
	default:
		*why = "a socket; name a file";
		return -EINVAL;
	}
}

int destination_find(const char *path, struct destination *destination)
{
	struct stat status;
	int links = 0, ret;

	*destination = (struct destination){ .kind = DESTINATION_FILE };
	if (strlen(path) >= sizeof(destination->path))
		return -ENAMETOOLONG;
	strcpy(destination->path, path);
	do
		ret = follow_one(destination);
	while (ret > 0 && ++links < MAX_LINKS);
	if (ret)
		return ret > 0 ? -ELOOP : ret;
	if (destination->kind == DESTINATION_DESCRIPTOR)
		return 0;
	if (lstat(destination->path, &status) < 0)
		return errno == ENOENT ? 0 : -errno;
	if (S_ISCHR(status.st_mode) || S_ISFIFO(status.st_mode))
		destination->kind = DESTINATION_STREAM;
	return destination_refuses(status.st_mode, &destination->refused);
}

/* Sets the owner before the mode, because fchown(2) clears bits of the mode. */
static int keep_mode_and_owner(int fd, const char *path)
{
	struct stat old, new;

	if (lstat(path, &old) < 0) {
		if (errno == ENOENT)
			return fchmod(fd, MODE_OF_NEW) < 0 ? -errno : 0;
		return -errno;
	}
	if (!S_ISREG(old.st_mode))
		return -EAGAIN;
	if (fstat(fd, &new) < 0)
		return -errno;
	if ((old.st_uid != new.st_uid || old.st_gid != new.st_gid) &&
	    fchown(fd, old.st_uid, old.st_gid) < 0)
		return errno == EPERM ? -EXDEV : -errno;
	return fchmod(fd, old.st_mode & MODE_BITS) < 0 ? -errno : 0;
}

static int write_through(int fd, const char *text, size_t size)
{
	int ret = write_whole(fd, text, size);

	return ret ? ret : fsync(fd) < 0 ? -errno : 0;
}

int destination_replace(const char *path, const char *text, size_t size)
{
	_cleanup_(freep) char *temporary = NULL;
	int fd, ret;

	if (asprintf(&temporary, "%s.XXXXXX", path) < 0) {
		temporary = NULL;
		return -ENOMEM;
	}
	fd = mkostemp(temporary, O_CLOEXEC);
	if (fd < 0)
		return -errno;
	ret = keep_mode_and_owner(fd, path);
	if (!ret)
		ret = write_through(fd, text, size);
	if (close(fd) < 0 && !ret)
		ret = -errno;
	if (!ret && rename(temporary, path) < 0)
		ret = -errno;
	if (ret < 0)
		unlink(temporary);
	return ret;
}
