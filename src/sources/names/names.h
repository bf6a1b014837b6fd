/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Names and uses of block devices, from what the system has already recorded:
 * sysfs, the udev database, libblkid's cache file, mountinfo and /proc/swaps.
 * No device is opened and no superblock is probed: a probe reads about 250
 * pages into the very cache that is being measured.
 */
#ifndef BUFSTAT_NAMES_H
#define BUFSTAT_NAMES_H

#include "names/device_names.h"

struct sample;
struct sysroot;

struct names;

/*
 * Reads the mount table; names_lookup() reads the rest. Whatever cannot be read
 * stays unknown. @root must outlive the result. NULL when out of memory.
 */
struct names *names_create(const struct sysroot *root);
void names_destroy(struct names *names);

/*
 * Fills in @device, which the caller deinits, even after an error. Returns 0 or
 * -ENOMEM.
 */
int names_lookup(struct names *names, const struct sample *sample,
		 struct device_names *device);

#endif
