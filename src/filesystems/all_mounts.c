// SPDX-License-Identifier: GPL-2.0-or-later
#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "all_mounts.h"
#include "cleanup.h"
#include "mountinfo.h"
#include "number.h"
#include "sysroot.h"

static struct mounted *find(const struct all_mounts *all, size_t count,
			    const struct mount *mount)
{
	for (size_t i = 0; i < count; i++) {
		if (all->mounts[i].major == mount->major &&
		    all->mounts[i].minor == mount->minor)
			return &all->mounts[i];
	}
	return NULL;
}

static struct mounted *add(struct all_mounts *all, const struct mount *mount)
{
	struct mounted *mounted;

	if (all->count == all->capacity) {
		size_t capacity = all->capacity * 2 + 32;
		void *moved = reallocarray(all->mounts, capacity,
					   sizeof(*all->mounts));

		if (!moved)
			return NULL;
		all->mounts = moved;
		all->capacity = capacity;
	}
	mounted = &all->mounts[all->count++];
	*mounted = (struct mounted){
		.major = mount->major,
		.minor = mount->minor,
		.type = strdup(mount->type),
		.source = strdup(mount->source),
	};
	return mounted->type && mounted->source ? mounted : NULL;
}

static int add_mountpoint(struct mounted *mounted, const char *prefix,
			  const struct mount *mount)
{
	_cleanup_(freep) char *path = NULL;
	int ret;

	if (asprintf(&path, "%s%s", prefix, mount->target) < 0) {
		path = NULL;
		return -ENOMEM;
	}
	ret = string_list_add(&mounted->mountpoints, path);
	return ret < 0 ? ret : string_list_add(&mounted->roots, mount->root);
}

static int add_id(struct all_mounts *all, const struct mount *mount)
{
	if (all->id_count == all->id_capacity) {
		size_t capacity = all->id_capacity * 2 + 64;
		void *moved =
			reallocarray(all->ids, capacity, sizeof(*all->ids));

		if (!moved)
			return -ENOMEM;
		all->ids = moved;
		all->id_capacity = capacity;
	}
	all->ids[all->id_count++] = (struct mount_id){
		.id = mount->id,
		.major = mount->major,
		.minor = mount->minor,
	};
	return 0;
}

/*
 * Adds what is mounted in one namespace. Filesystems that were met before in
 * another have the mount points that they have there.
 */
static int add_namespace(struct all_mounts *all, const struct sysroot *root,
			 const char *process, const char *prefix)
{
	struct mountinfo info;
	size_t before = all->count;
	char path[NAME_MAX + 32];
	int ret;

	snprintf(path, sizeof(path), "/proc/%s/mountinfo", process);
	ret = mountinfo_init(&info, root, path);
	for (size_t i = 0; !ret && i < info.count; i++) {
		const struct mount *mount = &info.mounts[i];
		struct mounted *mounted;

		ret = add_id(all, mount);
		if (ret < 0 || find(all, before, mount))
			continue;
		mounted = find(all, all->count, mount);
		if (!mounted)
			mounted = add(all, mount);
		ret = mounted ? add_mountpoint(mounted, prefix, mount) :
				-ENOMEM;
	}
	mountinfo_deinit(&info);
	return ret;
}

/* Was the namespace looked at before? Adds it if not. */
static int is_new(struct string_list *namespaces, const struct sysroot *root,
		  const char *process, bool *new)
{
	_cleanup_(freep) char *name = NULL;
	char path[NAME_MAX + 32];
	int ret;

	snprintf(path, sizeof(path), "/proc/%s/ns/mnt", process);
	*new = false;
	ret = sysroot_link_name(root, path, &name);
	if (ret < 0)
		return ret == -ENOMEM ? ret : 0;
	for (size_t i = 0; i < namespaces->count; i++) {
		if (strcmp(namespaces->strings[i], name) == 0)
			return 0;
	}
	*new = true;
	return string_list_add(namespaces, name);
}

static int add_process(struct all_mounts *all, struct string_list *namespaces,
		       const struct sysroot *root, const char *process)
{
	char prefix[NAME_MAX + 16];
	bool new;
	int ret = is_new(namespaces, root, process, &new);

	if (ret < 0 || !new)
		return ret;
	snprintf(prefix, sizeof(prefix), "/proc/%s/root", process);
	return add_namespace(all, root, process, prefix);
}

static int by_id(const void *left, const void *right)
{
	const struct mount_id *a = left, *b = right;

	return (a->id > b->id) - (a->id < b->id);
}

int all_mounts_init(struct all_mounts *all, const struct sysroot *root)
{
	_cleanup_(closedirp) DIR *proc = sysroot_opendir(root, "/proc");
	struct string_list namespaces = { 0 };
	const struct dirent *item;
	uint64_t pid;
	bool new;
	int ret;

	*all = (struct all_mounts){ 0 };
	ret = is_new(&namespaces, root, "self", &new);
	if (!ret)
		ret = add_namespace(all, root, "self", "");
	while (!ret && proc && (item = readdir(proc))) {
		if (number_parse(item->d_name, UINT_MAX, &pid))
			ret = add_process(all, &namespaces, root, item->d_name);
	}
	string_list_deinit(&namespaces);
	if (all->id_count)
		qsort(all->ids, all->id_count, sizeof(*all->ids), by_id);
	return ret;
}

void all_mounts_deinit(struct all_mounts *all)
{
	for (size_t i = 0; i < all->count; i++) {
		free(all->mounts[i].type);
		free(all->mounts[i].source);
		string_list_deinit(&all->mounts[i].mountpoints);
		string_list_deinit(&all->mounts[i].roots);
	}
	free(all->ids);
	free(all->mounts);
	*all = (struct all_mounts){ 0 };
}

const struct mount_id *all_mounts_find_id(const struct all_mounts *all,
					  uint64_t id)
{
	const struct mount_id key = { .id = id };

	if (!all->id_count)
		return NULL;
	return bsearch(&key, all->ids, all->id_count, sizeof(key), by_id);
}

/* What of @inside is behind @root, beginning with a slash; NULL if it is not. */
static const char *behind(const char *inside, const char *root)
{
	size_t length = strlen(root);

	if (strcmp(root, "/") == 0)
		return inside;
	if (strncmp(inside, root, length) != 0)
		return NULL;
	inside += length;
	return *inside == '/' || !*inside ? inside : NULL;
}

int mounted_path(const struct mounted *mounted, const char *inside, char **path)
{
	*path = NULL;
	for (size_t i = 0; i < mounted->mountpoints.count; i++) {
		const char *rest = behind(inside, mounted->roots.strings[i]);
		const char *place = mounted->mountpoints.strings[i];

		if (!rest)
			continue;
		if (strcmp(place, "/") == 0 && *rest)
			place = "";
		if (asprintf(path, "%s%s", place, rest) >= 0)
			return 0;
		*path = NULL;
		return -ENOMEM;
	}
	return 0;
}
