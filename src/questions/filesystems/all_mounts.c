// SPDX-License-Identifier: GPL-2.0-or-later
#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "filesystems/all_mounts.h"
#include "filesystems/found_paths.h"
#include "lib/array.h"
#include "lib/cleanup.h"
#include "lib/error.h"
#include "lib/number.h"
#include "lib/sysroot.h"
#include "names/mountinfo.h"
#include "worker/patience.h"

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

const struct mounted *all_mounts_find(const struct all_mounts *all,
				      unsigned int major, unsigned int minor)
{
	const struct mount mount = { .major = major, .minor = minor };

	return find(all, all->count, &mount);
}

static struct mounted *add(struct all_mounts *all, const struct mount *mount)
{
	struct mounted *mounted;

	if (array_make_room(&all->mounts, all->count, &all->capacity) < 0)
		return NULL;
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

static int add_place(struct all_mounts *all, const char *prefix,
		     const struct mount *mount)
{
	struct place *place;

	if (array_make_room(&all->places, all->place_count,
			    &all->place_capacity) < 0)
		return -ENOMEM;
	place = &all->places[all->place_count];
	*place = (struct place){
		.is_in_memory = fs_type_is_in_memory(mount->type),
		.is_local = fs_type_is_local(mount->type),
	};
	if (asprintf(&place->path, "%s%s", prefix, mount->target) < 0)
		return -ENOMEM;
	all->place_count++;
	return 0;
}

static int add_id(struct all_mounts *all, const struct mount *mount)
{
	if (array_make_room(&all->ids, all->id_count, &all->id_capacity) < 0)
		return -ENOMEM;
	all->ids[all->id_count++] = (struct mount_id){
		.id = mount->id,
		.major = mount->major,
		.minor = mount->minor,
	};
	return 0;
}

void all_mounts_note(struct all_mounts *all, int error)
{
	if (sysroot_hides(error) && error != -EINVAL)
		all->failed = -error;
}

/*
 * Adds the mounts of one namespace. A filesystem that was found in an earlier
 * namespace keeps its mount points from there. Sets *@whole unless the process
 * has a root directory that is no mount: after chroot(2), mountinfo leaves out
 * what is mounted above it.
 */
static int add_namespace(struct all_mounts *all, const struct sysroot *root,
			 const char *process, const char *prefix, bool *whole)
{
	struct mountinfo info;
	size_t before = all->count;
	char path[NAME_MAX + 32];
	int ret;

	*whole = false;
	snprintf(path, sizeof(path), "/proc/%s/mountinfo", process);
	ret = mountinfo_init(&info, root, path);
	all_mounts_note(all, info.error);
	for (size_t i = 0; !ret && i < info.count; i++) {
		const struct mount *mount = &info.mounts[i];
		struct mounted *mounted;

		*whole |= strcmp(mount->target, "/") == 0;
		ret = add_id(all, mount);
		if (!ret)
			ret = add_place(all, prefix, mount);
		if (ret < 0 || !fs_type_has_pages(mount->type) ||
		    find(all, before, mount))
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

/*
 * Sets *@name to the mount namespace of the process if it is not in @namespaces
 * yet, else to NULL. The caller frees it.
 */
static int new_namespace(struct all_mounts *all,
			 const struct string_list *namespaces,
			 const struct sysroot *root, const char *process,
			 char **name)
{
	char path[NAME_MAX + 32];
	int ret;

	snprintf(path, sizeof(path), "/proc/%s/ns/mnt", process);
	*name = NULL;
	ret = sysroot_link_name(root, path, name);
	all_mounts_note(all, ret);
	if (ret < 0)
		return only_enomem(ret);
	if (string_list_has(namespaces, *name)) {
		free(*name);
		*name = NULL;
	}
	return 0;
}

/* Adds a namespace to @namespaces once a process has shown all of it. */
static int add_process(struct all_mounts *all, struct string_list *namespaces,
		       const struct sysroot *root, const char *process,
		       const char *prefix)
{
	_cleanup_(freep) char *name = NULL;
	bool whole;
	int ret = new_namespace(all, namespaces, root, process, &name);

	/* A captured tree may have this process's mounts alone. */
	if (ret < 0 || (!name && *prefix))
		return ret;
	ret = add_namespace(all, root, process, prefix, &whole);
	return ret < 0 || !whole || !name ? ret :
					    string_list_add(namespaces, name);
}

static int by_id(const void *left, const void *right)
{
	const struct mount_id *a = left, *b = right;

	return (a->id > b->id) - (a->id < b->id);
}

static int by_path(const void *left, const void *right)
{
	const struct place *a = left, *b = right;

	return strcmp(a->path, b->path);
}

/*
 * Mounts may be stacked on one path, and a lookup may go through any of them,
 * so a flag must be true of all.
 */
static void merge_places(struct all_mounts *all)
{
	size_t kept = 0;

	if (all->place_count)
		qsort(all->places, all->place_count, sizeof(*all->places),
		      by_path);
	for (size_t i = 0; i < all->place_count; i++) {
		struct place *place = &all->places[i];
		struct place *last = kept ? &all->places[kept - 1] : NULL;

		if (!last || strcmp(last->path, place->path) != 0) {
			all->places[kept++] = *place;
			continue;
		}
		last->is_in_memory &= place->is_in_memory;
		last->is_local &= place->is_local;
		free(place->path);
	}
	all->place_count = kept;
}

int all_mounts_init(struct all_mounts *all, const struct sysroot *root)
{
	_cleanup_(closedirp) DIR *proc = sysroot_opendir(root, "/proc");
	struct string_list namespaces = { 0 };
	int ret, more = proc ? 1 : -errno;
	char prefix[NAME_MAX + 16];
	const char *name;
	uint64_t pid;

	*all = (struct all_mounts){ 0 };
	ret = add_process(all, &namespaces, root, "self", "");
	while (!ret && proc && (more = sysroot_next_name(proc, &name)) > 0) {
		if (!number_parse(name, UINT_MAX, &pid))
			continue;
		if ((more = patience_walk(root->patience) ? -ETIME : 0))
			break;
		snprintf(prefix, sizeof(prefix), "/proc/%s/root", name);
		ret = add_process(all, &namespaces, root, name, prefix);
	}
	all_mounts_note(all, more);
	string_list_deinit(&namespaces);
	if (all->id_count)
		qsort(all->ids, all->id_count, sizeof(*all->ids), by_id);
	merge_places(all);
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
	for (size_t i = 0; i < all->place_count; i++)
		free(all->places[i].path);
	free(all->places);
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

struct beginning {
	const char *path;
	size_t length;
};

static int compare_beginning(const void *key, const void *item)
{
	const struct beginning *beginning = key;
	const struct place *place = item;
	int order = strncmp(beginning->path, place->path, beginning->length);

	return order ? order : -(place->path[beginning->length] != '\0');
}

const struct place *all_mounts_find_place(const struct all_mounts *all,
					  const char *path, size_t length)
{
	const struct beginning key = { path, length };

	if (!all->place_count)
		return NULL;
	return bsearch(&key, all->places, all->place_count,
		       sizeof(*all->places), compare_beginning);
}

/*
 * Returns the part of @inside below @root, with its leading slash, or NULL if
 * @inside is not below @root.
 */
static const char *after(const char *inside, const char *root)
{
	size_t length = strlen(root);

	if (strcmp(root, "/") == 0)
		return inside;
	if (strncmp(inside, root, length) != 0)
		return NULL;
	inside += length;
	return *inside == '/' || !*inside ? inside : NULL;
}

int mounted_path(const struct mounted *mounted, const char *inside,
		 const struct string_list *below, char **path)
{
	*path = NULL;
	for (size_t i = 0; i < mounted->mountpoints.count; i++) {
		const char *rest = after(inside, mounted->roots.strings[i]);
		const char *place = mounted->mountpoints.strings[i];
		int length = (int)strlen(place);

		if (!rest)
			continue;
		if (*rest && length && place[length - 1] == '/')
			length--;
		free(*path);
		if (asprintf(path, "%.*s%s", length, place, rest) < 0) {
			*path = NULL;
			return -ENOMEM;
		}
		if (below_has(below, *path))
			break;
	}
	return 0;
}

/* Files of these types are generated on each read: Linux 5.10 to 7.3. */
static const char *const without_pages[] = {
	"binfmt_misc", "bpf",	     "cgroup",	  "cgroup2", "configfs",
	"debugfs",     "devpts",     "efivarfs",  "fusectl", "mqueue",
	"nfsd",	       "nsfs",	     "proc",	  "pstore",  "resctrl",
	"rpc_pipefs",  "securityfs", "selinuxfs", "smackfs", "sysfs",
	"tracefs",
};

static const char *const of_pages[] = {
	"devtmpfs", "hugetlbfs", "ramfs", "rootfs", "tmpfs",
};

static const char *const on_disk[] = {
	"bcachefs", "btrfs",	"cramfs", "erofs",  "exfat",   "ext2",
	"ext3",	    "ext4",	"f2fs",	  "hfs",    "hfsplus", "iso9660",
	"jfs",	    "minix",	"msdos",  "nilfs2", "ntfs3",   "reiserfs",
	"romfs",    "squashfs", "udf",	  "ufs",    "vfat",    "xfs",
};

static bool is_among(const char *type, const char *const *types, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		if (strcmp(types[i], type) == 0)
			return true;
	}
	return false;
}

#define COUNT_OF(array) (sizeof(array) / sizeof(*(array)))

bool fs_type_has_pages(const char *type)
{
	return strcmp(type, "autofs") != 0 &&
	       !is_among(type, without_pages, COUNT_OF(without_pages));
}

bool fs_type_is_in_memory(const char *type)
{
	return is_among(type, without_pages, COUNT_OF(without_pages)) ||
	       is_among(type, of_pages, COUNT_OF(of_pages));
}

bool fs_type_is_local(const char *type)
{
	return fs_type_is_in_memory(type) ||
	       is_among(type, on_disk, COUNT_OF(on_disk));
}
