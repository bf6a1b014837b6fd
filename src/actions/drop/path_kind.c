// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

#include "drop/path_kind.h"
#include "filesystems/all_mounts.h"
#include "filesystems/found_paths.h"
#include "lib/cleanup.h"
#include "lib/error.h"
#include "lib/string_list.h"

/*
 * In a mount namespace whose processes are all in a chroot, no mountinfo has
 * the mount that their root is on. Its filesystem may be known by its number,
 * from another namespace. No other has the number: those of btrfs's subvolumes
 * are given to nothing else.
 */
static const struct mounted *find_mounted(const struct all_mounts *mounts,
					  const struct found_path *path)
{
	const struct mount_id *id = all_mounts_find_id(mounts, path->mount_id);

	return id ? all_mounts_find(mounts, id->major, id->minor) :
		    all_mounts_find(mounts, path->major, path->minor);
}

static int refuse(const struct path_found *found, struct error *err,
		  const char *why)
{
	return error_doing(err, EINVAL, "dropping", found->path, "%s", why);
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
		return error_advise(
			err, EINVAL, "dropping", found->path,
			"drop the mount points of these; bufstat fs lists "
			"them",
			"refused, the pages of an overlay belong to its upper "
			"and lower filesystems");
	if (fs_type_is_in_memory(type))
		return error_advise(err, EINVAL, "dropping", found->path,
				    "remove files, or let the kernel swap",
				    "refused, the only copy of its files is in "
				    "memory");
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

static int take_answer(struct path_found *found,
		       const struct found_path *answer,
		       const struct all_mounts *mounts, struct error *err)
{
	found->error = answer->error;
	if (found->error)
		return 0;
	found->device = makedev(answer->rdev_major, answer->rdev_minor);
	found->ino = answer->ino;
	found->mounted = find_mounted(mounts, answer);
	if (S_ISBLK(answer->mode)) {
		found->kind = PATH_DEVICE;
		return 0;
	}
	if (S_ISDIR(answer->mode)) {
		found->kind = PATH_MOUNT;
		if (!found->mounted || answer->is_mount_root ||
		    string_list_has(&found->mounted->mountpoints, found->path))
			return check_type(found, err);
		return refuse_directory(found, err);
	}
	if (!S_ISREG(answer->mode))
		return refuse(found, err,
			      "no block device, regular file or mount point");
	found->kind = PATH_FILE;
	return check_type(found, err);
}

static int take_path(struct path_found *found, struct found_paths *paths,
		     size_t index, const struct all_mounts *mounts,
		     struct error *err)
{
	char why[ASK_WHY];
	const struct found_path *answer = found_paths_get(paths, index, why);

	found->path = strdup(paths->paths[index]);
	if (!found->path)
		return error_errno(err, ENOMEM, "dropping",
				   paths->paths[index]);
	if (answer)
		return take_answer(found, answer, mounts, err);
	return error_doing(err, EBUSY, "dropping", found->path, "%s", why);
}

int paths_find(struct path_found *found, char *const *words, size_t count,
	       const struct sysroot *root, const struct all_mounts *mounts,
	       struct error *err)
{
	_cleanup_(string_list_deinit) struct string_list absolute = { 0 };
	struct found_paths paths = { 0 };
	int ret = found_paths_absolute(&absolute, words, count, err);

	for (size_t i = 0; i < count; i++)
		found[i] = (struct path_found){ 0 };
	if (!ret)
		ret = found_paths_init(&paths, root, absolute.strings, count,
				       err);
	for (size_t i = 0; !ret && i < count; i++)
		ret = take_path(&found[i], &paths, i, mounts, err);
	found_paths_deinit(&paths);
	return ret;
}

void path_found_deinit(struct path_found *found)
{
	free(found->path);
	*found = (struct path_found){ 0 };
}
