/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A loop device's backing file and a disk's partitions, from sysfs. */
#ifndef BUFSTAT_DEVICE_BASE_H
#define BUFSTAT_DEVICE_BASE_H

#include <stdbool.h>
#include <sys/types.h>

struct sysroot;

struct device_base {
	char *loop_file; /* a loop device's backing file, or NULL */
	bool loop_direct; /* the loop device uses direct I/O */
	bool has_partitions; /* it is a partitioned disk */
	bool has_hidden_partitions; /* unknown: sysfs could not be read */
};

/* Returns 0 or -ENOMEM; the caller deinits @base in either case. */
int device_base_init(struct device_base *base, const struct sysroot *root,
		     unsigned int major, unsigned int minor);
void device_base_deinit(struct device_base *base);

/* Which of free's columns counts a filesystem's metadata. */
enum fs_metadata {
	FS_METADATA_UNKNOWN,
	FS_METADATA_BUFFERS, /* the device's page cache */
	FS_METADATA_CACHE, /* an internal inode's page cache */
	FS_METADATA_OWN, /* slab and vmalloc: no page cache */
};

/* @fstype as in mountinfo; NULL is unknown. */
enum fs_metadata fs_metadata(const char *fstype);

/*
 * Whether the device is a ramdisk (brd), a zram device or a partition of one:
 * its data is only in memory. Checks the driver's name in /proc/devices, brd's
 * fixed major and the kernel's name for the device. Any of them is enough: a
 * captured tree may lack the others.
 */
bool is_ramdisk(const struct sysroot *root, dev_t device);

#endif
