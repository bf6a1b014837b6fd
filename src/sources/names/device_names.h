/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The names and uses of one block device. */
#ifndef BUFSTAT_DEVICE_NAMES_H
#define BUFSTAT_DEVICE_NAMES_H

#include <stdbool.h>
#include <stdint.h>

#include "lib/string_list.h"
#include "table/column.h"

struct fields;

/* Unknown members are NULL or empty; has_size is for an unknown size. */
struct device_names {
	char *kname; /* the kernel's name */
	/* The device-mapper name, else kname, else that of the mount. */
	char *name;
	char *fstype;
	char *looks_like; /* "looks like ext4", if that is not proven */
	char *label;
	char *uuid;
	char *partlabel; /* these of the partition, in its disk's table */
	char *partuuid;
	struct string_list mountpoints; /* "[SWAP]" for swap space */
	struct string_list holders; /* devices built on this one */
	uint64_t size_bytes;
	bool has_size;
	bool has_mounts; /* mounts are known: no mountpoint means none */
	bool is_probed; /* udev has a record of it */
	bool in_sysfs; /* the device exists now */
	bool has_hidden_holders; /* not all could be read */
};

void device_names_deinit(struct device_names *device);

/* The mount points, or NULL if it is unknown whether there are any. */
static inline const struct string_list *
device_names_mounts(const struct device_names *device)
{
	if (!device->has_mounts && !device->mountpoints.count)
		return NULL;
	return &device->mountpoints;
}

/* The holders, or NULL if not all of them are known. */
static inline const struct string_list *
device_names_holders(const struct device_names *device)
{
	return device->has_hidden_holders ? NULL : &device->holders;
}

/* These two of struct device_names, as columns and documents have them. */
struct column_value device_names_mounts_value(const void *names);
struct column_value device_names_holders_value(const void *names);

/* And as members: mountpoints, holders. */
extern const struct fields device_users_fields;

#endif
