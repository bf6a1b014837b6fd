// SPDX-License-Identifier: GPL-2.0-or-later
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cleanup.h"
#include "names.h"
#include "names_sysfs.h"
#include "number.h"
#include "sysfs.h"
#include "sysroot.h"

#define SECTOR_SIZE 512 /* the unit of sysfs "size", whatever the device's */

/* Only running out of memory is an error: what is not there is not known. */
static int only_enomem(int ret)
{
	return ret == -ENOMEM ? ret : 0;
}

static int read_kname(const struct sysroot *root, const char *dir,
		      struct device_names *device)
{
	int ret;

	if (device->kname)
		return 0;
	ret = sysroot_link_name(root, dir, &device->kname);
	if (ret < 0)
		return only_enomem(ret);
	sysfs_name_restore(device->kname);
	return 0;
}

static int read_size(const struct sysroot *root, const char *dir,
		     struct device_names *device)
{
	_cleanup_(freep) char *text = NULL;
	uint64_t sectors;
	int ret;

	ret = sysfs_attribute_if_any(root, dir, "size", &text);
	if (ret < 0 || !text)
		return ret;
	device->in_sysfs = true;
	device->has_size =
		number_parse(text, INT64_MAX / SECTOR_SIZE, &sectors);
	if (device->has_size)
		device->size_bytes = sectors * SECTOR_SIZE;
	return 0;
}

/* A holder is known by its kernel name; show what the user calls it. */
static int add_holder(const struct sysroot *root, const char *kname,
		      struct string_list *holders)
{
	_cleanup_(freep) char *name = NULL;
	char dir[300];
	int ret;

	snprintf(dir, sizeof(dir), "/sys/class/block/%s", kname);
	ret = sysfs_attribute_if_any(root, dir, "dm/name", &name);
	if (ret < 0)
		return ret;
	if (!name) {
		name = strdup(kname);
		if (!name)
			return -ENOMEM;
		sysfs_name_restore(name);
	}
	return string_list_add(holders, name);
}

static int read_holders(const struct sysroot *root, const char *dir,
			struct device_names *device)
{
	_cleanup_(closedirp) DIR *holders = NULL;
	const struct dirent *item;
	char path[64];
	int ret;

	snprintf(path, sizeof(path), "%s/holders", dir);
	holders = sysroot_opendir(root, path);
	if (!holders)
		return only_enomem(-errno);
	while ((item = readdir(holders))) {
		if (item->d_name[0] == '.')
			continue;
		ret = add_holder(root, item->d_name, &device->holders);
		if (ret < 0)
			return ret;
	}
	/* A directory has them in whatever order the filesystem keeps. */
	string_list_sort(&device->holders);
	return 0;
}

int names_sysfs_lookup(const struct sysroot *root, unsigned int major,
		       unsigned int minor, struct device_names *device)
{
	char dir[48];
	int ret;

	snprintf(dir, sizeof(dir), "/sys/dev/block/%u:%u", major, minor);
	ret = read_kname(root, dir, device);
	if (!ret)
		ret = sysfs_attribute_if_any(root, dir, "dm/name",
					     &device->name);
	if (!ret)
		ret = read_size(root, dir, device);
	if (!ret)
		ret = read_holders(root, dir, device);
	if (!ret && !device->name && device->kname) {
		device->name = strdup(device->kname);
		ret = device->name ? 0 : -ENOMEM;
	}
	return ret;
}
