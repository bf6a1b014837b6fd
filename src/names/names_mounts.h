/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef BUFSTAT_NAMES_MOUNTS_H
#define BUFSTAT_NAMES_MOUNTS_H

struct device_names;
struct mounts;
struct string_list;
struct sysroot;

/*
 * Reads /proc/self/mountinfo and /proc/swaps; a file that is not there counts
 * as empty. NULL when out of memory.
 */
struct mounts *mounts_create(const struct sysroot *root);
void mounts_destroy(struct mounts *mounts);

/*
 * Adds where the device is mounted, and its filesystem's type if that is not
 * yet known. kname and name must have been filled in. Returns 0 or -ENOMEM.
 */
int mounts_lookup(const struct mounts *mounts, unsigned int major,
		  unsigned int minor, struct device_names *device);

/*
 * Gives a device that is mounted the name that it was mounted by. Returns 0 or
 * -ENOMEM.
 */
int mounts_name(const struct mounts *mounts, unsigned int major,
		unsigned int minor, struct device_names *device);

/*
 * Adds to @types the type of every filesystem that is mounted, each once.
 * Returns 0 or -ENOMEM.
 */
int mounts_types(const struct mounts *mounts, struct string_list *types);

#endif
