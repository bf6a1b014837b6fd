// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "lib/cleanup.h"
#include "lib/error.h"
#include "lib/number.h"
#include "lib/sysroot.h"
#include "lib/utf8.h"
#include "names/device_names.h"
#include "names/names_sysfs.h"

#define SECTOR_SIZE 512 /* the unit of sysfs "size", whatever the device's */

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
	_cleanup_(string_list_deinit) struct string_list names = { 0 };
	char path[64];
	int ret;

	snprintf(path, sizeof(path), "%s/holders", dir);
	ret = sysroot_list(root, path, &names);
	device->has_hidden_holders = ret < 0 && ret != -ENOENT &&
				     ret != -ENOTDIR;
	if (ret == -ENOMEM)
		return ret;
	ret = 0;
	for (size_t i = 0; !ret && i < names.count; i++)
		ret = add_holder(root, names.strings[i], &device->holders);
	/* readdir() returns them in no particular order. */
	string_list_sort(&device->holders);
	return ret;
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

#define MAX_RECORD (1U << 20)

/* Parses one "E:KEY=value" line. */
static int read_property(const char *line, struct device_names *device)
{
	const struct {
		const char *key;
		char **place;
	} properties[] = {
		{ "E:ID_FS_TYPE=", &device->fstype },
		{ "E:ID_FS_LABEL_ENC=", &device->label },
		{ "E:ID_FS_UUID_ENC=", &device->uuid },
		{ "E:ID_PART_ENTRY_NAME=", &device->partlabel },
		{ "E:ID_PART_ENTRY_UUID=", &device->partuuid },
	};

	for (size_t i = 0; i < sizeof(properties) / sizeof(*properties); i++) {
		size_t length = strlen(properties[i].key);
		char **place = properties[i].place;

		if (*place || strncmp(line, properties[i].key, length) != 0 ||
		    !line[length])
			continue;
		*place = strdup(line + length);
		if (!*place)
			return -ENOMEM;
		/* Of what is unsafe in a link of /dev/disk/by-label. */
		text_unescape(*place);
	}
	return 0;
}

int names_udev_lookup(const struct sysroot *root, unsigned int major,
		      unsigned int minor, struct device_names *device)
{
	_cleanup_(freep) char *record = NULL;
	char path[64];
	const char *label = NULL;
	char *rest, *line;
	int ret;

	snprintf(path, sizeof(path), "/run/udev/data/b%u:%u", major, minor);
	ret = sysroot_read(root, path, MAX_RECORD, &record, NULL);
	if (ret < 0)
		return only_enomem(ret);

	device->is_probed = true;
	rest = record;
	while ((line = strsep(&rest, "\n"))) {
		ret = read_property(line, device);
		if (ret < 0)
			return ret;
		/* In it, what is unsafe became an underscore. */
		if (strncmp(line, "E:ID_FS_LABEL=", 14) == 0)
			label = line + 14;
	}
	if (label && *label && !device->label)
		device->label = strdup(label);
	return label && *label && !device->label ? -ENOMEM : 0;
}
