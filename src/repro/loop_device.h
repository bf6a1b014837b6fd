/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Loop devices of our own, by the driver's ioctls: loop(4). */
#ifndef BUFSTAT_LOOP_DEVICE_H
#define BUFSTAT_LOOP_DEVICE_H

#include <stdbool.h>
#include <sys/types.h>

struct error;
struct sysroot;

struct loop_device {
	char node[32];
	dev_t number;
	int held; /* the device, open for reading; -1 */
	dev_t file_device; /* the file below it */
	ino_t file_inode;
	bool direct; /* the file is read past the page cache */
	bool added; /* there was no such device before */
};

/*
 * Is the driver in the kernel? Opening its control device would load it.
 * Returns 0, or -EOPNOTSUPP with what to do.
 */
int loop_check(const struct sysroot *root, struct error *err);

/*
 * Puts a free device on top of @file, open for reading and writing, and holds
 * it open. As long as it is held it is locked, so that udev does not read from
 * it. With @autoclear the last close, that of a process that dies among them,
 * frees it again. Returns 0 or a negative errno with nothing left.
 */
int loop_device_create(struct loop_device *loop, const struct sysroot *root,
		       int file, bool autoclear, struct error *err);

/* Closes the descriptor. */
void loop_device_release(struct loop_device *loop);
/* Opens it again. */
int loop_device_hold(struct loop_device *loop, struct error *err);

/* Leaves the device to the user: it stays when it is closed. */
int loop_device_keep(struct loop_device *loop, struct error *err);

/*
 * Frees the device and waits until it is free. One that was not there before
 * is removed. Returns 0, also if it is gone or on another file by now, or a
 * negative errno.
 */
int loop_device_destroy(struct loop_device *loop, struct error *err);

/*
 * Frees every device that stands on a file in a directory called @directory, a
 * name without its path: what a dead process left. The file may have lost its
 * own name. Returns 0 or a negative errno.
 */
int loop_free_in(const struct sysroot *root, const char *directory,
		 struct error *err);

#endif
