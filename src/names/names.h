/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a block device is called and used for, from what the system already
 * wrote down: sysfs, the udev database, libblkid's cache file, mountinfo and
 * /proc/swaps. No device is opened and no superblock is probed: a probe reads
 * about 250 pages into the very cache that is being measured.
 */
#ifndef BUFSTAT_NAMES_H
#define BUFSTAT_NAMES_H

#include <stdbool.h>
#include <stdint.h>

#include "lib/string_list.h"

struct sample;
struct sysroot;

/* What is not known is NULL, empty or, for the size, marked so. */
struct device_names {
	char *kname; /* the kernel's name */
	/* The device-mapper name, else as kname, else as it was mounted. */
	char *name;
	char *fstype;
	char *label;
	char *uuid;
	struct string_list mountpoints; /* "[SWAP]" for swap space */
	struct string_list holders; /* devices built on this one */
	uint64_t size_bytes;
	bool has_size;
	bool has_mounts; /* known: without a mountpoint it has none */
	bool in_sysfs; /* the device is there now */
	bool has_hidden_holders; /* not all could be read */
};

struct names;

/*
 * Reads the mount table; the rest is read when a device is looked up. What
 * cannot be read stays unknown. @root must outlive the result. NULL when out
 * of memory.
 */
struct names *names_create(const struct sysroot *root);
void names_destroy(struct names *names);

/*
 * Returns 0 or -ENOMEM. The caller deinits @device, also after an error.
 */
int names_lookup(struct names *names, const struct sample *sample,
		 struct device_names *device);
void device_names_deinit(struct device_names *device);

/* The mount points; NULL: it is not known whether there are any. */
static inline const struct string_list *
device_names_mounts(const struct device_names *device)
{
	if (!device->has_mounts && !device->mountpoints.count)
		return NULL;
	return &device->mountpoints;
}

/* The holders; NULL: it is not known which there are. */
static inline const struct string_list *
device_names_holders(const struct device_names *device)
{
	return device->has_hidden_holders ? NULL : &device->holders;
}

#endif
