/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef BUFSTAT_NAMES_SYSFS_H
#define BUFSTAT_NAMES_SYSFS_H

struct device_names;
struct sysroot;

/*
 * Fills in name, size and holders, and kname if it is not yet known, from
 * /sys/dev/block/@major:@minor. Returns 0 or -ENOMEM.
 */
int names_sysfs_lookup(const struct sysroot *root, unsigned int major,
		       unsigned int minor, struct device_names *device);

/*
 * Fills in fstype, label and uuid, where they are not yet known, from udev's
 * record of the device. Returns 0 or -ENOMEM.
 */
int names_udev_lookup(const struct sysroot *root, unsigned int major,
		      unsigned int minor, struct device_names *device);

#endif
