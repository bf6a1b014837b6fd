// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "ask/ask.h"
#include "drop/path_kind.h"
#include "filesystems/all_mounts.h"
#include "filesystems/fdinfo.h"
#include "lib/cleanup.h"
#include "lib/error.h"
#include "lib/sysroot.h"

struct answer {
	int error; /* an errno */
	unsigned int mode;
	dev_t device; /* of a node */
	uint64_t ino;
	uint64_t mount_id;
	char real[PATH_MAX]; /* the path without links */
};

struct paths {
	const struct path_found *found;
	const struct sysroot *root;
};

static int read_mount_id(const struct sysroot *root, int fd, uint64_t *id)
{
	_cleanup_(freep) char *info = NULL;
	char name[16];
	int ret;

	snprintf(name, sizeof(name), "%d", fd);
	ret = fdinfo_read(root, "self", name, &info);
	if (ret < 0)
		return ret;
	return fdinfo_number(info, "mnt_id:", id) ? 0 : -EBADMSG;
}

static int look(const struct paths *paths, const char *path,
		struct answer *answer)
{
	_cleanup_(closep) int fd = open(path, O_PATH | O_CLOEXEC);
	char link[32];
	struct stat status;
	ssize_t length;

	if (fd < 0 || fstat(fd, &status) < 0)
		return -errno;
	answer->mode = status.st_mode;
	answer->device = status.st_rdev;
	answer->ino = status.st_ino;
	snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
	length = readlink(link, answer->real, sizeof(answer->real) - 1);
	if (length < 0)
		return -errno;
	return read_mount_id(paths->root, fd, &answer->mount_id);
}

static size_t look_up(const void *data, size_t index, void *to)
{
	const struct paths *paths = data;
	struct answer *answer = to;

	answer->error = -look(paths, paths->found[index].path, answer);
	return sizeof(*answer);
}

static void name_path(const void *data, size_t index, char text[STUCK_OBJECT])
{
	const struct paths *paths = data;

	snprintf(text, STUCK_OBJECT, "%.*s", STUCK_OBJECT - 1,
		 paths->found[index].path);
}

static void object_of(const void *data, size_t index, char text[STUCK_OBJECT])
{
	const struct paths *paths = data;

	snprintf(text, STUCK_OBJECT, "look up %.*s", STUCK_OBJECT - 9,
		 paths->found[index].path);
}

static const struct mounted *find_mounted(const struct all_mounts *mounts,
					  uint64_t mount_id)
{
	const struct mount_id *id = all_mounts_find_id(mounts, mount_id);

	for (size_t i = 0; id && i < mounts->count; i++) {
		if (mounts->mounts[i].major == id->major &&
		    mounts->mounts[i].minor == id->minor)
			return &mounts->mounts[i];
	}
	return NULL;
}

static int refuse(const struct path_found *found, struct error *err,
		  const char *why)
{
	return error_doing(err, EINVAL, "dropping", found->path, "%s", why);
}

static bool is_mountpoint(const struct mounted *mounted, const char *path)
{
	for (size_t i = 0; i < mounted->mountpoints.count; i++) {
		if (strcmp(mounted->mountpoints.strings[i], path) == 0)
			return true;
	}
	return false;
}

/* Refuses what posix_fadvise() cannot release, or must not. */
static int check_type(const struct path_found *found, struct error *err)
{
	const char *type = found->mounted ? found->mounted->type : "";

	if (!found->mounted)
		return refuse(found, err,
			      "refused, it is on no filesystem whose pages are "
			      "in Cached");
	if (strcmp(type, "hugetlbfs") == 0)
		return refuse(found, err,
			      "refused, huge pages are a pool and no cache");
	if (strcmp(type, "overlay") == 0)
		return error_remedy(
			err,
			refuse(found, err,
			       "refused, the pages of an overlay belong to its "
			       "upper and lower filesystems"),
			"drop the mount points of these; bufstat fs lists "
			"them");
	if (fs_type_is_in_memory(type))
		return error_remedy(
			err,
			refuse(found, err,
			       "refused, the only copy of its files is in "
			       "memory"),
			"remove files, or let the kernel swap");
	return 0;
}

/* Suggests the mount point above a directory, if it is on this host. */
static int refuse_directory(const struct path_found *found, struct error *err)
{
	const struct mounted *mounted = found->mounted;
	int ret = refuse(found, err, "refused, it is a directory");

	if (!mounted || !mounted->mountpoints.count)
		return ret;
	return error_remedy(err, ret,
			    "name a file, or the mount point of its "
			    "filesystem: %s",
			    mounted->mountpoints.strings[0]);
}

static int take_answer(struct path_found *found, const struct answer *answer,
		       const struct all_mounts *mounts, struct error *err)
{
	found->error = answer->error;
	if (found->error)
		return 0;
	found->device = answer->device;
	found->ino = answer->ino;
	found->mounted = find_mounted(mounts, answer->mount_id);
	if (S_ISBLK(answer->mode)) {
		found->kind = PATH_DEVICE;
		return 0;
	}
	if (S_ISDIR(answer->mode)) {
		found->kind = PATH_MOUNT;
		if (!found->mounted ||
		    is_mountpoint(found->mounted, answer->real))
			return check_type(found, err);
		return refuse_directory(found, err);
	}
	if (!S_ISREG(answer->mode))
		return refuse(found, err,
			      "no block device, regular file or mount point");
	found->kind = PATH_FILE;
	return check_type(found, err);
}

/* Workers have no working directory. */
static int make_absolute(struct path_found *found, const char *word)
{
	_cleanup_(freep) char *here = *word == '/' ? NULL : getcwd(NULL, 0);

	if (*word == '/')
		found->path = strdup(word);
	else if (!here)
		return -errno;
	else if (asprintf(&found->path, "%s/%s", here, word) < 0)
		found->path = NULL;
	return found->path ? 0 : -ENOMEM;
}

static int take_answers(struct path_found *found, size_t count,
			const struct asked *asked,
			const struct all_mounts *mounts, struct error *err)
{
	char why[ASK_WHY];
	int ret = 0;

	for (size_t i = 0; !ret && i < count; i++) {
		const struct answer *answer = asked_answer(asked, i);

		if (answer)
			ret = take_answer(&found[i], answer, mounts, err);
		else
			ret = error_doing(err, EBUSY, "dropping", found[i].path,
					  "%s", asked_why(asked, i, why));
	}
	return ret;
}

int paths_find(struct path_found *found, char *const *words, size_t count,
	       const struct sysroot *root, const struct all_mounts *mounts,
	       struct error *err)
{
	const struct paths paths = { found, root };
	const struct ask questions = {
		.answer = look_up,
		.data = &paths,
		.count = count,
		.answer_size = sizeof(struct answer),
		.kept = -1,
		.name = name_path,
		.object = object_of,
		.patience = root->patience,
	};
	struct asked *asked = NULL;
	int ret = 0;

	for (size_t i = 0; i < count; i++)
		found[i] = (struct path_found){ 0 };
	for (size_t i = 0; !ret && i < count; i++)
		ret = make_absolute(&found[i], words[i]);
	if (ret < 0)
		return error_errno(err, -ret, "dropping", "the paths");
	if (count)
		ret = ask(&questions, &asked, err);
	if (!ret)
		ret = take_answers(found, count, asked, mounts, err);
	asked_destroy(asked);
	return ret;
}

void path_found_deinit(struct path_found *found)
{
	free(found->path);
	*found = (struct path_found){ 0 };
}
