// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

#include "lib/cleanup.h"
#include "lib/error.h"
#include "lib/number.h"
#include "lib/string_list.h"
#include "lib/sysroot.h"
#include "lib/utf8.h"
#include "measure/snapshot.h"
#include "names/device_find.h"
#include "names/names.h"
#include "names/recorded_names.h"
#include "worker/reach.h"

#define DOING "finding the device"

/* What mount(8) calls a device, and where the value is in struct device_names. */
static const struct tag {
	const char *name;
	size_t place;
} tags[] = {
	{ "LABEL", offsetof(struct device_names, label) },
	{ "UUID", offsetof(struct device_names, uuid) },
	{ "PARTLABEL", offsetof(struct device_names, partlabel) },
	{ "PARTUUID", offsetof(struct device_names, partuuid) },
};

/* LABEL=value, or the link /dev/disk/by-label/value. NULL: @word is neither. */
static const struct tag *tag_of(const char *word, const char **value)
{
	bool is_link = strncmp(word, "/dev/disk/by-", 13) == 0;

	word += is_link ? 13 : 0;
	for (size_t i = 0; i < sizeof(tags) / sizeof(*tags); i++) {
		size_t length = strlen(tags[i].name);

		*value = word + length + 1;
		if ((is_link ? strncasecmp : strncmp)(word, tags[i].name,
						      length) == 0 &&
		    word[length] == (is_link ? '/' : '='))
			return &tags[i];
	}
	return NULL;
}

bool device_is_tag(const char *word)
{
	const char *value;

	return *word != '/' && tag_of(word, &value);
}

static bool parse_number(const char *text, dev_t *number)
{
	unsigned int major, minor;

	if (!dev_number_parse(text, &major, &minor))
		return false;
	*number = makedev(major, minor);
	return true;
}

/* Nearly all drivers name nodes after devices; callers check the number. */
static int set_node(struct found_device *found, const char *sysfs_name)
{
	if (asprintf(&found->node, "/dev/%s", sysfs_name) < 0) {
		found->node = NULL;
		return -ENOMEM;
	}
	sysfs_name_restore(found->node);
	return 0;
}

/* @name is as in sysfs, with '!' for '/'. */
static int find_sysfs(const struct sysroot *root, const char *name,
		      struct found_device *found)
{
	_cleanup_(freep) char *text = NULL;
	char dir[300];
	int ret;

	if (!*name || strlen(name) > NAME_MAX)
		return -ENOENT;
	snprintf(dir, sizeof(dir), CLASS_BLOCK "/%s", name);
	ret = sysfs_attribute(root, dir, "dev", &text);
	if (ret < 0)
		return ret;
	if (!parse_number(text, &found->number))
		return -ENOENT;
	return set_node(found, name);
}

int device_find_kname(const struct sysroot *root, const char *kname,
		      struct found_device *found)
{
	_cleanup_(freep) char *name = strdup(kname);

	*found = (struct found_device){ 0 };

	if (!name)
		return -ENOMEM;
	for (char *c = name; *c; c++) {
		if (*c == '/')
			*c = '!';
	}
	return find_sysfs(root, name, found);
}

static bool has_tag(struct names *names, dev_t number, const struct tag *tag,
		    const char *value)
{
	const struct sample sample = { .major = major(number),
				       .minor = minor(number) };
	struct device_names device;
	char **text = (char **)((char *)&device + tag->place);
	bool has =
		names_lookup(names, &sample, &device) == 0 && *text &&
		(text_is_shown_as(*text, value) ||
		 /* Some write UUIDs in capitals. */
		 (strstr(tag->name, "UUID") && strcasecmp(*text, value) == 0));

	device_names_deinit(&device);
	return has;
}

/* Looks through all devices: -ENOTUNIQ if two have it. */
static int find_tag(const struct sysroot *root, const char *word,
		    struct found_device *found, struct error *err)
{
	_cleanup_(string_list_deinit) struct string_list knames = { 0 };
	struct names *names = names_create(root);
	int ret = names ? sysroot_list(root, CLASS_BLOCK, &knames) : -ENOMEM;
	const char *value;
	const struct tag *tag = tag_of(word, &value);

	string_list_sort(&knames);
	ret = ret < 0 ? ret : -ENOENT;
	for (size_t i = 0; ret != -ENOTUNIQ && i < knames.count; i++) {
		struct found_device other = { 0 };

		if (find_sysfs(root, knames.strings[i], &other) < 0 ||
		    !has_tag(names, other.number, tag, value)) {
			found_device_deinit(&other);
		} else if (!found->node) {
			*found = other;
			ret = 0;
		} else {
			ret = error_doing(err, ENOTUNIQ, DOING, word,
					  "%s and %s have it: name one of them",
					  found->node + strlen("/dev/"),
					  other.node + strlen("/dev/"));
			found_device_deinit(&other);
			found_device_deinit(found);
		}
	}
	names_destroy(names);
	return ret;
}

/* LVM calls the logical volume VG/LV so, with the hyphens of both doubled. */
static void set_lvm_name(char name[2 * NAME_MAX + 2], const char *path)
{
	for (; *path && strlen(path) <= NAME_MAX; path++) {
		*name++ = (char)(*path == '/' ? '-' : *path);
		if (*path == '-')
			*name++ = '-';
	}
	*name = '\0';
}

/* The name of a node: what follows /dev/ or /dev/mapper/. */
static const char *node_name(const char *path)
{
	if (strncmp(path, "/dev/", 5) != 0)
		return path;
	return path + (strncmp(path, "/dev/mapper/", 12) == 0 ? 12 : 5);
}

bool device_is_called(const char *name, const char *word)
{
	char lvm[2 * NAME_MAX + 2];

	if (!name || text_is_shown_as(name, word))
		return name;
	name = node_name(name);
	if (text_is_shown_as(name, node_name(word)))
		return true;
	set_lvm_name(lvm, node_name(word));
	return node_name(word) != word && strcmp(name, lvm) == 0;
}

static char *dm_name_of(const struct sysroot *root, const char *kname)
{
	char dir[300], *name;

	snprintf(dir, sizeof(dir), CLASS_BLOCK "/%s", kname);
	return strncmp(kname, "dm-", 3) == 0 &&
			       sysfs_attribute(root, dir, "dm/name", &name) ==
				       0 ?
		       name :
		       NULL;
}

/* Finds the device of that name, or the one that a table shows so. */
static int find_dm_name(const struct sysroot *root, const char *word,
			struct found_device *found)
{
	_cleanup_(string_list_deinit) struct string_list knames = { 0 };
	int ret = sysroot_list(root, CLASS_BLOCK, &knames);
	const char *kname = NULL;

	for (size_t i = 0; i < knames.count; i++) {
		_cleanup_(freep) char *name =
			dm_name_of(root, knames.strings[i]);

		if (!name || !device_is_called(name, word))
			continue;
		kname = knames.strings[i];
		if (strcmp(name, word) == 0)
			break;
	}
	if (kname)
		return find_sysfs(root, kname, found);
	return ret < 0 ? ret : -ENOENT;
}

static int set_recorded(struct found_device *found,
			const struct recorded_name *device)
{
	found->number = makedev(device->major, device->minor);
	return set_node(found, device->name);
}

/* A recording has the names of devices, by their numbers. */
static int find_recorded(const struct sysroot *root, const char *word,
			 struct found_device *found)
{
	_cleanup_(recorded_names_deinit) struct recorded_names names;
	int ret = recorded_names_read(&names, root);

	for (size_t i = 0; i < names.device_count; i++) {
		if (device_is_called(names.devices[i].name, word))
			return set_recorded(found, &names.devices[i]);
	}
	return ret < 0 ? ret : -ENOENT;
}

static int find_recorded_number(const struct sysroot *root, dev_t number,
				struct found_device *found)
{
	_cleanup_(recorded_names_deinit) struct recorded_names names;
	int ret = recorded_names_read(&names, root);
	const struct recorded_name *device =
		recorded_names_find(&names, major(number), minor(number));

	if (device && device->name)
		return set_recorded(found, device);
	return ret < 0 ? ret : -ENOENT;
}

static int find_number(const struct sysroot *root, dev_t number,
		       struct found_device *found)
{
	_cleanup_(freep) char *name = NULL;
	char path[64];
	int ret;

	if (root->is_recorded)
		return find_recorded_number(root, number, found);
	snprintf(path, sizeof(path), "/sys/dev/block/%u:%u", major(number),
		 minor(number));
	ret = sysroot_link_name(root, path, &name);
	if (ret < 0)
		return ret;
	found->number = number;
	return set_node(found, name);
}

static int find_name(const struct sysroot *root, const char *word,
		     struct found_device *found, struct error *err)
{
	int ret = device_find_kname(root, word, found);
	const char *value;

	if (ret == -ENOENT)
		ret = find_dm_name(root, word, found);
	if (ret == -ENOENT && root->is_recorded)
		ret = find_recorded(root, word, found);
	return ret == -ENOENT && tag_of(word, &value) ?
		       find_tag(root, word, found, err) :
		       ret;
}

static int find_node(const char *path, struct found_device *found)
{
	struct stat status;

	if (stat(path, &status) < 0)
		return -errno;
	if (!S_ISBLK(status.st_mode))
		return -ENOTBLK;
	found->number = status.st_rdev;
	found->node = strdup(path);
	return found->node ? 0 : -ENOMEM;
}

int device_find_mounted(const struct sysroot *root, const char *path,
			struct found_device *found, struct error *err)
{
	int ret;

	*found = (struct found_device){ 0 };
	if (strncmp(path, "/dev/", 5) != 0)
		return -ENOTBLK;
	ret = device_find_kname(root, path + 5, found);
	return ret == -ENOENT && strchr(path + 5, '/') ?
		       find_name(root, path, found, err) :
		       ret;
}

static int find_path(const struct sysroot *root, const char *path,
		     struct found_device *found, struct error *err)
{
	int ret;

	if (!sysroot_is_live(root))
		return device_find_mounted(root, path, found, err);
	/* Where it leads may not answer. */
	ret = reach(DOING, path, err);
	return ret < 0 ? ret : find_node(path, found);
}

int device_find(const struct sysroot *root, const char *word,
		struct found_device *found, struct error *err)
{
	bool is_path = *word == '/' || *word == '.';
	dev_t number;
	int ret;

	*found = (struct found_device){ 0 };
	if (is_path)
		ret = find_path(root, word, found, err);
	else if (parse_number(word, &number))
		ret = find_number(root, number, found);
	else
		ret = find_name(root, word, found, err);

	/* Then it is said already. */
	if (ret == -ENOTUNIQ || ret == -EBUSY)
		return ret;
	if (ret == -ENOTBLK)
		return error_doing(err, ENOTBLK, DOING, word,
				   "no block device");
	if (ret == -ENOENT && !is_path)
		return error_doing(err, ENOENT, DOING, word,
				   "no block device is called that");
	if (ret < 0)
		return error_errno(err, -ret, DOING, word);
	return 0;
}

void found_device_deinit(struct found_device *found)
{
	free(found->node);
	*found = (struct found_device){ 0 };
}
