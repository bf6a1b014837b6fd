// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <limits.h>
#include <linux/openat2.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "cleanup.h"
#include "error.h"
#include "sysroot.h"
#include "tar.h"

#define REMOVAL_TRIES 3

static int open_directory(struct sysroot *root, struct error *err)
{
	root->fd = open(root->prefix, O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (root->fd < 0)
		return error_errno(err, errno, "using a captured tree",
				   root->prefix);
	return 0;
}

/* Puts the new directory in the place of the file in the prefix. */
static int make_directory(struct sysroot *root, struct error *err)
{
	const char *parent = getenv("TMPDIR");
	char *name;

	if (asprintf(&name, "%s/bufstat-XXXXXX",
		     parent && *parent ? parent : "/tmp") < 0)
		return error_errno(err, ENOMEM, "unpacking", root->prefix);
	if (!mkdtemp(name)) {
		error_errno(err, errno, "making a directory", name);
		free(name);
		return -EIO;
	}
	root->unpacked = name;
	free(root->prefix);
	root->prefix = strdup(name);
	return root->prefix ? 0 : error_errno(err, ENOMEM, "unpacking", name);
}

static int unpack(struct sysroot *root, struct error *err)
{
	_cleanup_(freep) char *file = strdup(root->prefix);
	_cleanup_(closep) int dir = -1;
	int ret;

	if (!file)
		return error_errno(err, ENOMEM, "unpacking", root->prefix);
	ret = make_directory(root, err);
	if (!ret)
		ret = open_directory(root, err);
	if (ret < 0)
		return ret;
	dir = openat(root->fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (dir < 0)
		return error_errno(err, errno, "unpacking", file);
	return tar_extract(file, dir, err);
}

int sysroot_init(struct sysroot *root, const char *prefix, struct error *err)
{
	struct stat status;
	int ret;

	*root = (struct sysroot){ .fd = -1 };
	if (!prefix || strcmp(prefix, "/") == 0)
		prefix = "";

	root->prefix = strdup(prefix);
	if (!root->prefix)
		return error_errno(err, ENOMEM, "reading the files below",
				   *prefix ? prefix : "/");
	if (!*prefix)
		return 0;

	if (stat(prefix, &status) == 0 && S_ISREG(status.st_mode))
		ret = unpack(root, err);
	else
		ret = open_directory(root, err);
	if (ret < 0)
		sysroot_deinit(root);
	return ret;
}

static int remove_one(const char *path,
		      const struct stat *status __attribute__((unused)),
		      int type __attribute__((unused)),
		      struct FTW *place __attribute__((unused)))
{
	return remove(path);
}

/* It would stay for good: what fails for a moment is tried again. */
static void remove_unpacked(const char *directory)
{
	for (int tries = 0; tries < REMOVAL_TRIES; tries++) {
		if (nftw(directory, remove_one, 16, FTW_DEPTH | FTW_PHYS) == 0)
			return;
	}
}

int sysroot_init_empty(struct sysroot *root, const char *name,
		       struct error *err)
{
	int saved;

	*root = (struct sysroot){ .fd = -1 };
	root->prefix = strdup(name);
	/* Below what is no directory nothing is found. */
	root->fd = open("/dev/null", O_PATH | O_CLOEXEC);
	if (root->fd >= 0 && root->prefix)
		return 0;
	saved = root->prefix ? errno : ENOMEM;
	sysroot_deinit(root);
	return error_errno(err, saved, "opening", "/dev/null");
}

void sysroot_deinit(struct sysroot *root)
{
	if (root->fd >= 0)
		close(root->fd);
	if (root->unpacked)
		remove_unpacked(root->unpacked);
	free(root->unpacked);
	free(root->prefix);
	*root = (struct sysroot){ .fd = -1 };
}

static const char *relative(const char *path)
{
	while (*path == '/')
		path++;
	return *path ? path : ".";
}

int sysroot_open(const struct sysroot *root, const char *path, int flags)
{
	struct open_how how = {
		.flags = (unsigned int)(flags | O_CLOEXEC),
		.resolve = RESOLVE_IN_ROOT,
	};
	int tries = 10000;
	long fd;

	if (sysroot_is_live(root)) {
		fd = open(path, flags | O_CLOEXEC);
		return fd < 0 ? -errno : (int)fd;
	}

	/* While anything is renamed or mounted ".." cannot be confined. */
	do
		fd = syscall(SYS_openat2, root->fd, relative(path), &how,
			     sizeof(how));
	while (fd < 0 && errno == EAGAIN && --tries);
	if (fd < 0 && errno == ENOSYS)
		fd = openat(root->fd, relative(path), flags | O_CLOEXEC);
	return fd < 0 ? -errno : (int)fd;
}

DIR *sysroot_opendir(const struct sysroot *root, const char *path)
{
	int fd = sysroot_open(root, path, O_RDONLY | O_DIRECTORY);
	DIR *dir;

	if (fd < 0) {
		errno = -fd;
		return NULL;
	}
	dir = fdopendir(fd);
	if (!dir)
		close(fd);
	return dir;
}

int sysroot_next_name(DIR *dir, const char **name)
{
	const struct dirent *item;

	do {
		errno = 0;
		item = readdir(dir);
		if (!item)
			return -errno;
	} while (item->d_name[0] == '.');
	*name = item->d_name;
	return 1;
}

int sysroot_read(const struct sysroot *root, const char *path, size_t limit,
		 char **data, size_t *size)
{
	_cleanup_(closep) int fd = sysroot_open(root, path, O_RDONLY);
	_cleanup_(freep) char *buffer = NULL;
	size_t capacity = 0, used = 0;
	ssize_t got;

	if (fd < 0)
		return fd;

	do {
		if (used + 1 >= capacity) {
			size_t larger = capacity ? capacity * 2 : 8192;
			char *moved = realloc(buffer, larger);

			if (!moved)
				return -ENOMEM;
			buffer = moved;
			capacity = larger;
		}
		got = read(fd, buffer + used, capacity - used - 1);
		if (got < 0 && errno != EINTR)
			return -errno;
		if (got > 0)
			used += (size_t)got;
		if (used > limit)
			return -EFBIG;
	} while (got);

	buffer[used] = '\0';
	*data = steal_ptr(buffer);
	if (size)
		*size = used;
	return 0;
}

int sysroot_link_name(const struct sysroot *root, const char *path, char **name)
{
	_cleanup_(closep) int fd =
		sysroot_open(root, path, O_PATH | O_NOFOLLOW);
	char target[PATH_MAX];
	const char *slash;
	ssize_t length;

	if (fd < 0)
		return fd;
	length = readlinkat(fd, "", target, sizeof(target) - 1);
	if (length < 0)
		return errno == ENOENT ? -EINVAL : -errno;
	target[length] = '\0';

	slash = strrchr(target, '/');
	*name = strdup(slash ? slash + 1 : target);
	return *name ? 0 : -ENOMEM;
}

char *sysroot_path(const struct sysroot *root, const char *path)
{
	char *whole;

	if (sysroot_is_live(root))
		return strdup(path);
	if (asprintf(&whole, "%s/%s", root->prefix, relative(path)) < 0)
		return NULL;
	return whole;
}
