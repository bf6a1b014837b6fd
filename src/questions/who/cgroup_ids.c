// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cgroups/container.h"
#include "lib/array.h"
#include "lib/cleanup.h"
#include "lib/sysroot.h"
#include "names/mountinfo.h"
#include "who/cgroup_ids.h"

#define FILEID_KERNFS 0xfe /* <linux/exportfs.h>, not for user space */

int cgroup_ids_init_at(struct cgroup_ids *ids, const struct sysroot *root,
		       const char *mount)
{
	*ids = (struct cgroup_ids){ .mount = -1, .mount_path = strdup(mount) };
	if (!ids->mount_path)
		return -ENOMEM;
	ids->mount = sysroot_open(root, mount, O_RDONLY | O_DIRECTORY);
	return 0;
}

int cgroup_ids_init(struct cgroup_ids *ids, const struct sysroot *root)
{
	struct mountinfo info;
	int ret;

	*ids = (struct cgroup_ids){ .mount = -1 };
	ret = mountinfo_init(&info, root, "/proc/self/mountinfo");
	for (size_t i = 0; !ret && i < info.count; i++) {
		const struct mount *mount = &info.mounts[i];

		/* A path elsewhere may lead to a server that is gone. */
		if (strcmp(mount->type, "cgroup2") != 0 ||
		    !mount_is_below_sys(mount))
			continue;
		ret = cgroup_ids_init_at(ids, root, mount->target);
		break;
	}
	mountinfo_deinit(&info);
	return ret;
}

void cgroup_ids_deinit(struct cgroup_ids *ids)
{
	closep(&ids->mount);
	free(ids->mount_path);
	for (size_t i = 0; i < ids->count; i++)
		free(ids->ids[i].name);
	free(ids->ids);
	*ids = (struct cgroup_ids){ .mount = -1 };
}

int cgroup_ids_open(const struct cgroup_ids *ids, uint64_t id)
{
	union {
		struct file_handle handle;
		char room[sizeof(struct file_handle) + sizeof(id)];
	} wanted = { .handle = { .handle_bytes = sizeof(id),
				 .handle_type = FILEID_KERNFS } };

	if (!id || ids->mount < 0)
		return -1;
	memcpy(wanted.handle.f_handle, &id, sizeof(id));
	return open_by_handle_at(ids->mount, &wanted.handle,
				 O_RDONLY | O_DIRECTORY | O_CLOEXEC);
}

bool cgroup_ids_path(const struct cgroup_ids *ids, uint64_t id, char *path,
		     size_t size)
{
	size_t prefix = ids->mount_path ? strlen(ids->mount_path) : 0;
	_cleanup_(closep) int fd = cgroup_ids_open(ids, id);
	char link[64], whole[PATH_MAX];
	const char *below;
	ssize_t length;

	if (fd < 0)
		return false;
	snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
	length = readlink(link, whole, sizeof(whole) - 1);
	if (length < 0)
		return false;
	whole[length] = '\0';
	if (strncmp(whole, ids->mount_path, prefix) != 0)
		return false;
	below = whole[prefix] ? whole + prefix : "/";
	return (size_t)snprintf(path, size, "%s", below) < size;
}

int cgroup_path_name(const char *path, char **name)
{
	const char *last = strrchr(path, '/');
	int ret = container_name(last ? last + 1 : path, path, name);

	if (!ret && !*name)
		*name = strdup(path);
	return ret || *name ? ret : -ENOMEM;
}

/* Sets *@name, or leaves it NULL. Returns 0 or -ENOMEM. */
static int find_name(const struct cgroup_ids *ids, uint64_t id, char **name)
{
	char path[PATH_MAX];

	return cgroup_ids_path(ids, id, path, sizeof(path)) ?
		       cgroup_path_name(path, name) :
		       0;
}

static const struct cgroup_id *find(const struct cgroup_ids *ids, uint64_t id)
{
	for (size_t i = 0; i < ids->count; i++) {
		if (ids->ids[i].id == id)
			return &ids->ids[i];
	}
	return NULL;
}

int cgroup_ids_learn(struct cgroup_ids *ids, uint64_t id)
{
	struct cgroup_id *added;

	if (find(ids, id))
		return 0;
	if (array_make_room(&ids->ids, ids->count, &ids->capacity) < 0)
		return -ENOMEM;
	added = &ids->ids[ids->count++];
	*added = (struct cgroup_id){ .id = id };
	return find_name(ids, id, &added->name);
}

const char *cgroup_ids_name(const struct cgroup_ids *ids, uint64_t id)
{
	const struct cgroup_id *found = find(ids, id);

	return found ? found->name : NULL;
}
