// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <stdint.h>
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
#include "names/device_find.h"

#define DEV_BLOCK "/sys/dev/block"

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

static bool has_dm_name(const struct sysroot *root, const char *kname,
			const char *wanted)
{
	_cleanup_(freep) char *name = NULL;
	char dir[300];

	snprintf(dir, sizeof(dir), CLASS_BLOCK "/%s", kname);
	return sysfs_attribute(root, dir, "dm/name", &name) == 0 &&
	       text_is_shown_as(name, wanted);
}

static int find_dm_name(const struct sysroot *root, const char *name,
			struct found_device *found)
{
	_cleanup_(string_list_deinit) struct string_list knames = { 0 };
	int ret = sysroot_list(root, CLASS_BLOCK, &knames);

	for (size_t i = 0; i < knames.count; i++) {
		if (strncmp(knames.strings[i], "dm-", 3) == 0 &&
		    has_dm_name(root, knames.strings[i], name))
			return find_sysfs(root, knames.strings[i], found);
	}
	return ret < 0 ? ret : -ENOENT;
}

static int find_number(const struct sysroot *root, dev_t number,
		       struct found_device *found)
{
	_cleanup_(freep) char *name = NULL;
	char path[64];
	int ret;

	snprintf(path, sizeof(path), DEV_BLOCK "/%u:%u", major(number),
		 minor(number));
	ret = sysroot_link_name(root, path, &name);
	if (ret < 0)
		return ret;
	found->number = number;
	return set_node(found, name);
}

static int find_name(const struct sysroot *root, const char *name,
		     struct found_device *found)
{
	int ret = device_find_kname(root, name, found);

	return ret == -ENOENT ? find_dm_name(root, name, found) : ret;
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
			struct found_device *found)
{
	*found = (struct found_device){ 0 };
	if (strncmp(path, "/dev/mapper/", 12) == 0)
		return find_dm_name(root, path + 12, found);
	if (strncmp(path, "/dev/", 5) == 0)
		return device_find_kname(root, path + 5, found);
	return -ENOTBLK;
}

static int find_path(const struct sysroot *root, const char *path,
		     struct found_device *found)
{
	return sysroot_is_live(root) ? find_node(path, found) :
				       device_find_mounted(root, path, found);
}

int device_find(const struct sysroot *root, const char *word,
		struct found_device *found, struct error *err)
{
	bool is_path = *word == '/' || *word == '.';
	dev_t number;
	int ret;

	*found = (struct found_device){ 0 };
	if (is_path)
		ret = find_path(root, word, found);
	else if (parse_number(word, &number))
		ret = find_number(root, number, found);
	else
		ret = find_name(root, word, found);

	if (ret == -ENOTBLK)
		return error_doing(err, ENOTBLK, "finding the device", word,
				   "no block device");
	if (ret == -ENOENT && !is_path)
		return error_doing(err, ENOENT, "finding the device", word,
				   "no block device is called that");
	if (ret < 0)
		return error_errno(err, -ret, "finding the device", word);
	return 0;
}

void found_device_deinit(struct found_device *found)
{
	free(found->node);
	*found = (struct found_device){ 0 };
}
