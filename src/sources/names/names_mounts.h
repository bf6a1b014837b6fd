/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef BUFSTAT_NAMES_MOUNTS_H
#define BUFSTAT_NAMES_MOUNTS_H

#include <stdbool.h>

struct device_names;
struct mounts;
struct recorded_name;
struct sample;
struct string_list;
struct sysroot;

/*
 * Reads /proc/self/mountinfo and /proc/swaps. A file that cannot be read counts
 * as empty. NULL when out of memory.
 */
struct mounts *mounts_create(const struct sysroot *root);
void mounts_destroy(struct mounts *mounts);

/*
 * Adds the device's mount points and "[SWAP]", and its filesystem's type if
 * that is not yet known. kname and name must be filled in. Returns 0 or
 * -ENOMEM.
 */
int mounts_lookup(const struct mounts *mounts, unsigned int major,
		  unsigned int minor, struct device_names *device);

/* What a recorded host knows of a device, or NULL; *@known: whether it has any.
 */
const struct recorded_name *mounts_recorded(const struct mounts *mounts,
					    unsigned int major,
					    unsigned int minor, bool *known);

/*
 * Takes back that a device is known to be mounted nowhere, if its filesystem
 * may have several devices and not all are known. The rest of @device must be
 * filled in.
 */
void mounts_doubt(const struct mounts *mounts, const struct sample *sample,
		  struct device_names *device);

/*
 * Fills in the name that a mounted device was mounted by. Returns 0 or -ENOMEM.
 */
int mounts_name(const struct mounts *mounts, unsigned int major,
		unsigned int minor, struct device_names *device);

/*
 * Adds the type of each mounted filesystem to @types, once. Returns 0 or
 * -ENOMEM.
 */
int mounts_types(const struct mounts *mounts, struct string_list *types);

#endif
