/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef BUFSTAT_CAPTURE_DEVICES_H
#define BUFSTAT_CAPTURE_DEVICES_H

#include <stdbool.h>

struct capture_out;
struct sysroot;

/*
 * Writes what sysfs and udev say about every block device. The directories are
 * /sys/devices/block/DISK/PARTITION, whatever bus the host has them on: where a
 * disk is plugged in is left out. Without @paths, so are the backing files of
 * loop devices. Returns 0 or a negative errno.
 */
int capture_devices(const struct capture_out *to, const struct sysroot *root,
		    bool paths);

/*
 * Writes which processes have a block device open: their pids, names and those
 * descriptors. Returns 0 or a negative errno. Writes nothing if some could not
 * be read, and sets *@failed to that errno.
 */
int capture_openers(const struct capture_out *to, const struct sysroot *root,
		    int *failed);

#endif
