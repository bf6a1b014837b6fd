/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef BUFSTAT_DEVICE_FIND_H
#define BUFSTAT_DEVICE_FIND_H

#include <sys/types.h>

struct error;
struct sysroot;

struct found_device {
	dev_t number;
	char *node; /* path to open; the caller checks its number */
};

/*
 * Finds the block device that a user calls @word: a path (it begins with a
 * slash or a dot), major:minor, the kernel's name or, if no device has that
 * name, a device-mapper name. A captured tree has no nodes, so /dev/X and
 * /dev/mapper/X stand for those names there. Opens no device, only files in
 * sysfs.
 *
 * Returns 0, -ENOTBLK if @word is something else, or another negative errno.
 * The caller deinits @found after success.
 */
int device_find(const struct sysroot *root, const char *word,
		struct found_device *found, struct error *err);

/*
 * Like device_find(), for /dev/X and /dev/mapper/X by these names alone. It
 * looks up no path: what a mount says was mounted may be any text, and lead to
 * a server that does not answer.
 */
int device_find_mounted(const struct sysroot *root, const char *path,
			struct found_device *found);

/* Like device_find(), for the kernel's name only. */
int device_find_kname(const struct sysroot *root, const char *kname,
		      struct found_device *found);
void found_device_deinit(struct found_device *found);

#endif
