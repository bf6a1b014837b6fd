/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a block device stands on, or is cut into, from sysfs. */
#ifndef BUFSTAT_DEVICE_BASE_H
#define BUFSTAT_DEVICE_BASE_H

#include <stdbool.h>
#include <sys/types.h>

struct sysroot;

struct device_base {
	char *loop_file; /* the file below a loop device, else NULL */
	bool loop_direct; /* it is read past the page cache */
	bool has_partitions; /* a whole disk */
	bool has_hidden_partitions; /* or is it? that could not be read */
};

/* Returns 0 or -ENOMEM; the caller deinits @base in either case. */
int device_base_init(struct device_base *base, const struct sysroot *root,
		     unsigned int major, unsigned int minor);
void device_base_deinit(struct device_base *base);

/* In which of free's columns a filesystem's metadata is counted. */
enum fs_metadata {
	FS_METADATA_UNKNOWN,
	FS_METADATA_BUFFERS, /* the device's page cache */
	FS_METADATA_CACHE, /* an internal inode's page cache */
	FS_METADATA_OWN, /* slab and vmalloc: no page cache */
};

/* @fstype as in mountinfo; NULL is unknown. */
enum fs_metadata fs_metadata(const char *fstype);

/*
 * Is the device a ramdisk (brd), a zram device or a partition of one? Its data
 * is nowhere but in memory. Told by the driver's name in /proc/devices, by the
 * number that brd has on every host, and by the kernel's name of the device:
 * any of them is enough, a captured tree may lack the others.
 */
bool is_ramdisk(const struct sysroot *root, dev_t device);

#endif
