// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "filesystems/fdinfo.h"
#include "filesystems/found_paths.h"
#include "lib/absolute_path.h"
#include "lib/cleanup.h"
#include "lib/error.h"
#include "lib/number.h"
#include "lib/string_list.h"
#include "lib/sysroot.h"
#include "lib/utf8.h"
#include "worker/stuck.h"

void found_path_fill(struct found_path *path, const struct sysroot *root,
		     int fd)
{
	_cleanup_(freep) char *info = NULL;
	struct statx status;
	char name[32];
	int ret;

	snprintf(name, sizeof(name), "%d", fd);
	ret = fdinfo_read(root, "self", name, &info);
	if (!ret &&
	    !number_of_line(info, "mnt_id:", UINT64_MAX, &path->mount_id))
		ret = -EBADMSG;
	if (!ret && statx(fd, "", AT_EMPTY_PATH | AT_STATX_DONT_SYNC,
			  STATX_BASIC_STATS, &status) < 0)
		ret = -errno;
	path->error = -ret;
	if (ret < 0)
		return;
	path->mode = status.stx_mode;
	path->is_mount_root = status.stx_attributes & STATX_ATTR_MOUNT_ROOT;
	path->major = status.stx_dev_major;
	path->minor = status.stx_dev_minor;
	path->rdev_major = status.stx_rdev_major;
	path->rdev_minor = status.stx_rdev_minor;
	path->ino = status.stx_ino;
	path->size_bytes = status.stx_size;
	snprintf(name, sizeof(name), "/proc/self/fd/%d", fd);
	(void)!readlink(name, path->real, sizeof(path->real) - 1);
}

static size_t look_up(const void *data, size_t index, void *answer)
{
	const struct found_paths *found = data;
	struct found_path *path = answer;
	_cleanup_(freep) char *shown = NULL;
	_cleanup_(closep) int fd =
		open(found->paths[index], O_PATH | O_CLOEXEC);

	if (fd < 0 && errno == ENOENT) {
		shown = strdup(found->paths[index]);
		if (shown)
			text_unescape(shown);
		fd = open(shown ?: "", O_PATH | O_CLOEXEC);
		path->is_as_shown = fd >= 0;
	}
	if (fd < 0)
		path->error = errno;
	else
		found_path_fill(path, found->root, fd);
	return sizeof(*path);
}

static void name_path(const void *data, size_t index, char text[STUCK_OBJECT])
{
	const struct found_paths *found = data;

	snprintf(text, STUCK_OBJECT, "%s", found->paths[index]);
}

static void object_of(const void *data, size_t index, char text[STUCK_OBJECT])
{
	const struct found_paths *found = data;

	stuck_name_path("look up", found->paths[index], text);
}

int found_paths_absolute(struct string_list *paths, char *const *words,
			 size_t count, struct error *err)
{
	char path[PATH_MAX];

	for (size_t i = 0; i < count; i++) {
		int ret = absolute_path(words[i], path);

		if (!ret)
			ret = string_list_add(paths, path);
		if (ret < 0)
			return error_errno(err, -ret, "looking up", words[i]);
	}
	return 0;
}

int found_paths_init(struct found_paths *found, const struct sysroot *root,
		     char *const *paths, size_t count, struct error *err)
{
	int ret;

	*found = (struct found_paths){
		.paths = paths,
		.count = count,
		.root = root,
		.ask = {
			.answer = look_up,
			.data = found,
			.count = count,
			.answer_size = sizeof(struct found_path),
			.kept = -1,
			.name = name_path,
			.object = object_of,
			.patience = root->patience,
		},
	};
	ret = count ? ask(&found->ask, &found->asked, err) : 0;
	for (size_t i = 0; !ret && i < count; i++) {
		const struct found_path *path = asked_answer(found->asked, i);

		if (path && path->is_as_shown)
			text_unescape(paths[i]);
	}
	return ret;
}

void found_paths_deinit(struct found_paths *found)
{
	asked_destroy(found->asked);
	found->asked = NULL;
}

const struct found_path *found_paths_get(const struct found_paths *found,
					 size_t index, char why[ASK_WHY])
{
	const struct found_path *path = asked_answer(found->asked, index);

	if (!path)
		asked_why(found->asked, index, why);
	return path;
}

bool below_has(const struct string_list *below, const char *path)
{
	for (size_t i = 0; i < below->count; i++) {
		const char *directory = below->strings[i];
		size_t length = strlen(directory);

		while (length && directory[length - 1] == '/')
			length--;
		if (strncmp(path, directory, length) == 0 &&
		    (path[length] == '/' || !path[length]))
			return true;
	}
	return !below->count;
}
