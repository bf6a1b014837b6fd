// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/openat2.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "lib/cleanup.h"
#include "lib/error.h"
#include "lib/packed_tree.h"
#include "lib/string_list.h"
#include "lib/sysroot.h"
#include "lib/whole.h"

static int open_directory(struct sysroot *root, struct error *err)
{
	root->fd = open(root->prefix, O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (root->fd < 0)
		return error_errno(err, errno, "using a captured tree",
				   root->prefix);
	return 0;
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
		ret = packed_tree_open(prefix, &root->packed, err);
	else
		ret = open_directory(root, err);
	if (ret < 0)
		sysroot_deinit(root);
	return ret;
}

int sysroot_init_empty(struct sysroot *root, const char *name,
		       struct error *err)
{
	int saved;

	*root = (struct sysroot){ .fd = -1 };
	root->prefix = strdup(name);
	/* Nothing can be found below something that is not a directory. */
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
	packed_tree_close(root->packed);
	free(root->prefix);
	*root = (struct sysroot){ .fd = -1 };
}

int *sysroot_fd(struct sysroot *root)
{
	return root->packed ? packed_tree_fd(root->packed) : &root->fd;
}

static const char *relative(const char *path)
{
	while (*path == '/')
		path++;
	return *path ? path : ".";
}

/* Returns a descriptor with the contents of a file in a packed tree. */
static int open_packed(const struct sysroot *root, const char *path, int flags)
{
	_cleanup_(closep) int fd = -1;
	_cleanup_(freep) char *data = NULL;
	size_t size = 0;
	int ret;

	/* O_PATH only asks whether it is there. */
	if (flags & O_PATH)
		ret = packed_tree_find(root->packed, path);
	else
		ret = packed_tree_read(root->packed, path, SIZE_MAX, &data,
				       &size);
	if (ret < 0)
		return ret;
	fd = memfd_create("bufstat-capture", MFD_CLOEXEC);
	if (fd < 0 || (size && write(fd, data, size) != (ssize_t)size) ||
	    lseek(fd, 0, SEEK_SET) < 0)
		return errno ? -errno : -EIO;
	return steal_fd(&fd);
}

static int open_in_tree(const struct sysroot *root, const char *path, int flags)
{
	struct open_how how = {
		.flags = (unsigned int)(flags | O_CLOEXEC),
		.resolve = RESOLVE_IN_ROOT,
	};
	int tries = 10000;
	long fd;

	/*
	 * EAGAIN: ".." cannot be confined while anything is renamed or mounted.
	 */
	do
		fd = syscall(SYS_openat2, root->fd, relative(path), &how,
			     sizeof(how));
	while (fd < 0 && errno == EAGAIN && --tries);
	if (fd < 0 && errno == ENOSYS)
		fd = openat(root->fd, relative(path), flags | O_CLOEXEC);
	return fd < 0 ? -errno : (int)fd;
}

/* Somebody else's tree may have a FIFO or a device where a file should be. */
static int open_no_device(const struct sysroot *root, const char *path,
			  int flags)
{
	_cleanup_(closep) int fd = open_in_tree(root, path, O_PATH);
	struct stat status;

	if (fd < 0)
		return fd;
	if (fstat(fd, &status) < 0)
		return -errno;
	if (!S_ISREG(status.st_mode) && !S_ISDIR(status.st_mode))
		return -EINVAL;
	return open_in_tree(root, path, flags | O_NONBLOCK);
}

int sysroot_open(const struct sysroot *root, const char *path, int flags)
{
	int fd;

	if (sysroot_is_live(root)) {
		fd = open(path, flags | O_CLOEXEC);
		return fd < 0 ? -errno : fd;
	}

	if (root->packed)
		return open_packed(root, path, flags);
	return flags & O_PATH ? open_in_tree(root, path, flags) :
				open_no_device(root, path, flags);
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

bool sysroot_exists(const struct sysroot *root, const char *path)
{
	_cleanup_(closep) int fd = sysroot_open(root, path, O_PATH);

	/* Whoever reads it is told that too many files are open. */
	return fd >= 0 || fd == -EMFILE || fd == -ENFILE;
}

int sysroot_list(const struct sysroot *root, const char *path,
		 struct string_list *names)
{
	_cleanup_(closedirp) DIR *dir = NULL;
	const char *name = NULL;
	int ret;

	if (root->packed)
		return packed_tree_list(root->packed, path, names);
	dir = sysroot_opendir(root, path);
	if (!dir)
		return -errno;
	while ((ret = sysroot_next_name(dir, &name)) > 0) {
		ret = string_list_add(names, name);
		if (ret < 0)
			break;
	}
	return ret;
}

/*
 * Must not be inline. Next to a caller's own "error != -EINVAL", GCC 10 to 14
 * at -O1 and above took 0 for an error: they merged a range and six numbers
 * into one bit test.
 */
bool sysroot_hides(int error)
{
	return error < 0 && error != -ENOENT && error != -ENOTDIR &&
	       error != -ESRCH && error != -EACCES && error != -EPERM;
}

/* If all lines end in a carriage return. Returns how many bytes are left. */
static size_t end_lines(char *text, size_t size)
{
	size_t used = 0;

	for (size_t i = 0; i < size; i++) {
		if (text[i] == '\n' && (!i || text[i - 1] != '\r'))
			return size;
	}
	for (size_t i = 0; i < size; i++) {
		if (text[i] != '\r' || text[i + 1] != '\n')
			text[used++] = text[i];
	}
	text[used] = '\0';
	return used;
}

/* Of a packed tree or of one on a disk. */
static int read_any(const struct sysroot *root, const char *path, size_t limit,
		    char **data, size_t *size)
{
	_cleanup_(closep) int fd = -1;

	if (root->packed)
		return packed_tree_read(root->packed, path, limit, data, size);
	fd = sysroot_open(root, path, O_RDONLY);
	return fd < 0 ? fd : read_whole(fd, 8192, limit, data, size);
}

int sysroot_read(const struct sysroot *root, const char *path, size_t limit,
		 char **data, size_t *size)
{
	size_t used = 0;
	int ret = read_any(root, path, limit, data, &used);

	if (!ret && !sysroot_is_live(root))
		used = end_lines(*data, used);
	if (!ret && size)
		*size = used;
	return ret;
}

int sysroot_link(const struct sysroot *root, const char *path, char **target)
{
	_cleanup_(closep) int fd = -1;
	char text[PATH_MAX];
	const char *packed;
	ssize_t length;
	int ret;

	if (root->packed) {
		ret = packed_tree_link(root->packed, path, &packed);
		if (ret < 0)
			return ret;
		*target = strdup(packed);
		return *target ? 0 : -ENOMEM;
	}
	fd = sysroot_open(root, path, O_PATH | O_NOFOLLOW);
	if (fd < 0)
		return fd;
	length = readlinkat(fd, "", text, sizeof(text) - 1);
	if (length < 0)
		return errno == ENOENT ? -EINVAL : -errno;
	*target = strndup(text, (size_t)length);
	return *target ? 0 : -ENOMEM;
}

int sysroot_link_name(const struct sysroot *root, const char *path, char **name)
{
	_cleanup_(freep) char *target = NULL;
	int ret = sysroot_link(root, path, &target);
	const char *slash;

	if (ret < 0)
		return ret;
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

#define MAX_ATTRIBUTE 65536 /* bytes: the largest page */

int sysfs_attribute(const struct sysroot *root, const char *dir,
		    const char *name, char **value)
{
	char path[PATH_MAX];
	int ret;

	if (snprintf(path, sizeof(path), "%s/%s", dir, name) >= PATH_MAX)
		return -ENAMETOOLONG;
	ret = sysroot_read(root, path, MAX_ATTRIBUTE, value, NULL);
	if (ret < 0)
		return ret;
	(*value)[strcspn(*value, "\n")] = '\0';
	return 0;
}

int sysfs_attribute_if_any(const struct sysroot *root, const char *dir,
			   const char *name, char **value)
{
	int ret = sysfs_attribute(root, dir, name, value);

	return only_enomem(ret);
}

void sysfs_name_restore(char *name)
{
	while ((name = strchr(name, '!')))
		*name = '/';
}
