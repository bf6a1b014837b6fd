// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sysmacros.h>

#include "lib/array.h"
#include "lib/cleanup.h"
#include "lib/number.h"
#include "lib/sysroot.h"
#include "names/device_find.h"
#include "names/device_names.h"
#include "names/members.h"
#include "names/mountinfo.h"
#include "names/names_sysfs.h"

/* The filesystems that may have several devices. */
static const struct kind {
	const char *type;
	const char *member; /* of the others, as udev has it; "": none */
	bool is_pool; /* all its devices are alike */
	bool is_listed; /* if any are known, all are */
} kinds[] = {
	{ "btrfs", "btrfs", true, true },
	{ "bcachefs", "bcachefs", true, true },
	{ "zfs", "zfs_member", true, false },
	{ "xfs", "xfs_external_log", false, true },
	{ "ext3", "jbd", false, false },
	{ "ext4", "jbd", false, false },
	{ "f2fs", "", false, false },
};

#define KINDS (sizeof(kinds) / sizeof(*kinds))

static struct string_list *new_group(struct members *members)
{
	if (array_make_room(&members->groups, members->count,
			    &members->capacity) < 0)
		return NULL;
	members->groups[members->count] = (struct string_list){ 0 };
	return &members->groups[members->count++];
}

/* A host has few of them. */
static struct string_list *find_group(const struct members *members,
				      const char *name)
{
	for (size_t i = 0; i < members->count; i++) {
		if (string_list_has(&members->groups[i], name))
			return &members->groups[i];
	}
	return NULL;
}

/* The group that has the name, or a new one with it. NULL: out of memory. */
static struct string_list *group_called(struct members *members,
					const char *name)
{
	struct string_list *group = find_group(members, name);

	if (group)
		return group;
	group = new_group(members);
	return group && string_list_add(group, name) == 0 ? group : NULL;
}

/* Adds the device's nodes. @kname is as in sysfs. */
static int add_device(struct string_list *group, const struct sysroot *root,
		      const char *kname)
{
	_cleanup_(freep) char *mapper = NULL;
	char path[PATH_MAX];
	int ret;

	snprintf(path, sizeof(path), "/sys/class/block/%s", kname);
	ret = sysfs_attribute_if_any(root, path, "dm/name", &mapper);
	if (!ret && mapper) {
		snprintf(path, sizeof(path), "/dev/mapper/%s", mapper);
		ret = string_list_add(group, path);
	}
	snprintf(path, sizeof(path), "/dev/%s", kname);
	sysfs_name_restore(path);
	return ret < 0 ? ret : string_list_add(group, path);
}

/* The entries of @dir are devices, or have a link @link to one. */
static int read_devices(struct members *members, const struct sysroot *root,
			const char *dir, const char *link)
{
	_cleanup_(string_list_deinit) struct string_list names = { 0 };
	struct string_list *group = new_group(members);
	int ret = group ? 0 : -ENOMEM;

	sysroot_list(root, dir, &names);
	for (size_t i = 0; !ret && i < names.count; i++) {
		_cleanup_(freep) char *kname = NULL;
		char path[2 * PATH_MAX];

		snprintf(path, sizeof(path), "%s/%s/%s", dir, names.strings[i],
			 link);
		if (!*link || sysroot_link_name(root, path, &kname) == 0)
			ret = add_device(group, root,
					 kname ?: names.strings[i]);
	}
	return ret;
}

/*
 * The journal's thread is called after its device, "jbd2/vdc", or after the
 * filesystem's own and an inode, "jbd2/vda-8". Before Linux 5.17 the name may
 * be cut.
 */
static int read_journal(struct members *members, const struct sysroot *root,
			const char *dir, const char *own)
{
	_cleanup_(freep) char *pid = NULL, *thread = NULL;
	size_t length = strlen(own);
	struct string_list *group;
	char path[PATH_MAX];

	if (sysfs_attribute(root, dir, "journal_task", &pid) < 0)
		return 0;
	snprintf(path, sizeof(path), "/proc/%s", pid);
	if (sysfs_attribute(root, path, "comm", &thread) < 0 ||
	    strncmp(thread, "jbd2/", 5) != 0)
		return 0;
	if (strlen(thread) == 15 && strlen(thread + 5) < length)
		length = strlen(thread + 5);
	if (strncmp(thread + 5, own, length) == 0 &&
	    (!thread[5 + length] || thread[5 + length] == '-'))
		return 0;
	group = new_group(members);
	if (!group || add_device(group, root, own) < 0)
		return -ENOMEM;
	return add_device(group, root, thread + 5);
}

static int read_sysfs(struct members *members, const struct sysroot *root)
{
	static const char *const types[] = { "btrfs", "bcachefs", "ext4" };
	int ret = 0;

	for (size_t i = 0; i < sizeof(types) / sizeof(*types); i++) {
		_cleanup_(string_list_deinit) struct string_list names = { 0 };
		char path[PATH_MAX];

		snprintf(path, sizeof(path), "/sys/fs/%s", types[i]);
		sysroot_list(root, path, &names);
		for (size_t j = 0; !ret && j < names.count; j++) {
			snprintf(path, sizeof(path), "/sys/fs/%s/%s%s",
				 types[i], names.strings[j],
				 i ? "" : "/devices");
			ret = i == 2 ? read_journal(members, root, path,
						    names.strings[j]) :
				       read_devices(members, root, path,
						    i ? "block" : "");
		}
	}
	return ret;
}

/* Makes a group of each ZFS pool, by udev's records. */
static int read_pools(struct members *members, const struct sysroot *root)
{
	_cleanup_(string_list_deinit) struct string_list names = { 0 };
	int ret = 0;

	sysroot_list(root, "/sys/class/block", &names);
	for (size_t i = 0; !ret && i < names.count; i++) {
		_cleanup_(found_device_deinit) struct found_device found;
		struct device_names device = { 0 };
		struct string_list *group;

		if (device_find_kname(root, names.strings[i], &found) < 0)
			continue;
		ret = names_udev_lookup(root, major(found.number),
					minor(found.number), &device);
		if (!ret && device.fstype && device.label &&
		    strcmp(device.fstype, "zfs_member") == 0) {
			group = group_called(members, device.label);
			ret = group ? add_device(group, root,
						 names.strings[i]) :
				      -ENOMEM;
		}
		device_names_deinit(&device);
	}
	return ret;
}

/* Adds what the options name. They are those of XFS, ReiserFS and ext4. */
static int read_options(struct members *members, const struct mount *mount)
{
	static const char *const keys[] = { "logdev=", "rtdev=", "jdev=",
					    "journal_path=" };
	_cleanup_(freep) char *copy = strdup(mount->options);
	char *rest = copy, *option;
	int ret = copy ? 0 : -ENOMEM;

	while (!ret && (option = strsep(&rest, ","))) {
		for (size_t i = 0; i < sizeof(keys) / sizeof(*keys); i++) {
			size_t length = strlen(keys[i]);
			struct string_list *group;

			if (strncmp(option, keys[i], length) != 0)
				continue;
			octal_unescape(option);
			group = group_called(members, mount->source);
			ret = group ? string_list_add(group, option + length) :
				      -ENOMEM;
			break;
		}
	}
	return ret;
}

/*
 * bcachefs names all of them as the source: "/dev/vda:/dev/vdb". A recording
 * has a mount for each device, of its number.
 */
static int read_source(struct members *members, const struct mount *mount)
{
	const char *source = mount->source;
	struct string_list *group = group_called(members, mount->target);
	int ret = group ? 0 : -ENOMEM;

	if (!ret && strstr(source, ":/"))
		ret = string_list_add(group, source);
	while (!ret && source) {
		const char *next = strstr(source, ":/");

		ret = string_list_add_bytes(group, source,
					    next ? (size_t)(next - source) :
						   strlen(source));
		source = next ? next + 1 : NULL;
	}
	return ret;
}

static const struct kind *kind_of(const char *type)
{
	for (size_t i = 0; i < KINDS; i++) {
		if (strcmp(kinds[i].type, type) == 0)
			return &kinds[i];
	}
	return NULL;
}

bool members_is_pool(const char *type)
{
	const struct kind *kind = kind_of(type);

	return kind && kind->is_pool;
}

/* Notes whether all devices are known. A capture lacks options. */
static void note_doubts(struct members *members, const struct mount *mount)
{
	const struct kind *kind = kind_of(mount->type);
	bool is_known = kind &&
			(kind->is_pool ?
				 members_of(members, mount->source) != NULL :
				 kind->is_listed && strlen(mount->options) > 2);

	if (kind && !is_known)
		members->doubts |= 1U << (kind - kinds);
	else if (kind && !kind->is_listed)
		members->named |= 1U << (kind - kinds);
}

int members_init(struct members *members, const struct sysroot *root,
		 const struct mountinfo *info)
{
	bool has_pools = false;
	int ret;

	*members = (struct members){ 0 };
	ret = read_sysfs(members, root);
	for (size_t i = 0; !ret && i < info->count; i++) {
		const struct mount *mount = &info->mounts[i];
		const struct kind *kind = kind_of(mount->type);

		ret = read_options(members, mount);
		if (!ret && mount->major && kind && kind->is_pool)
			ret = read_source(members, mount);
		has_pools |= strcmp(mount->type, "zfs") == 0;
	}
	if (!ret && has_pools)
		ret = read_pools(members, root);
	for (size_t i = 0; !ret && i < info->count; i++)
		note_doubts(members, &info->mounts[i]);
	return ret;
}

void members_deinit(struct members *members)
{
	for (size_t i = 0; i < members->count; i++)
		string_list_deinit(&members->groups[i]);
	free(members->groups);
	*members = (struct members){ 0 };
}

/* What ZFS mounts is POOL/DATASET or POOL@SNAPSHOT. */
const struct string_list *members_of(const struct members *members,
				     const char *source)
{
	char pool[NAME_MAX + 1];

	if (*source == '/')
		return find_group(members, source);
	snprintf(pool, sizeof(pool), "%.*s", (int)strcspn(source, "/@"),
		 source);
	return find_group(members, pool);
}

bool members_may_have(const struct members *members,
		      const struct device_names *device, bool is_open)
{
	for (size_t i = 0; i < KINDS; i++) {
		const struct kind *kind = &kinds[i];
		unsigned int doubts = members->doubts |
				      (device->label ? 0 : members->named);
		/* Without a record of udev it may be of any pool. */
		bool may = device->fstype ?
				   strcmp(device->fstype, kind->member) == 0 :
			   *kind->member ? kind->is_pool && !device->is_probed :
					   is_open;

		if (doubts >> i & may && !device->holders.count)
			return true;
	}
	return false;
}
