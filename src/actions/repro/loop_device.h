/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Our own loop devices, made with the driver's ioctls: see loop(4). */
#ifndef BUFSTAT_LOOP_DEVICE_H
#define BUFSTAT_LOOP_DEVICE_H

#include <stdbool.h>
#include <sys/types.h>

struct error;
struct sysroot;

struct loop_device {
	char node[32];
	dev_t number;
	int held; /* read-only descriptor of the device, or -1 */
	dev_t file_device; /* of the backing file */
	ino_t file_inode;
	bool direct; /* the driver uses direct I/O on the file */
	bool added; /* the device did not exist before */
};

/*
 * Checks that the kernel has the driver: opening its control device must not
 * load it. Returns 0, -EOPNOTSUPP with a remedy, or another negative errno.
 */
int loop_check(const struct sysroot *root, struct error *err);

/*
 * Attaches a free loop device to @file, a descriptor open for reading and
 * writing, and holds the device open. While it is held it is locked, so that
 * udev does not read from it. With @autoclear, the last close frees it, even
 * that of a process that dies. Returns 0, or a negative errno and leaves
 * nothing behind.
 */
int loop_device_create(struct loop_device *loop, const struct sysroot *root,
		       int file, bool autoclear, struct error *err);

/* Closes the held descriptor. */
void loop_device_release(struct loop_device *loop);

/*
 * Leaves the device to the user: clears autoclear. Returns 0 or a negative
 * errno.
 */
int loop_device_keep(struct loop_device *loop, struct error *err);

/*
 * Frees the device, waits until it is free, and removes it if it did not exist
 * before. Returns 0, even if it is gone or has another file by now, or a
 * negative errno.
 */
int loop_device_destroy(struct loop_device *loop, struct error *err);

/*
 * Frees every loop device that a dead process left on a file in a directory
 * called @directory, a name without a path. The file itself may be unlinked.
 * Returns 0 or a negative errno.
 */
int loop_free_in(const struct sysroot *root, const char *directory,
		 struct error *err);

#endif
