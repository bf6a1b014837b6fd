/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef BUFSTAT_DEVICE_FIND_H
#define BUFSTAT_DEVICE_FIND_H

#include <sys/types.h>

struct error;
struct sysroot;

struct found_device {
	dev_t number;
	char *node; /* what to open; its number is still to be checked */
};

/*
 * The block device that a user calls @word: a path (with a slash or a dot in
 * front), major:minor, the kernel's name or, if no device has that name, a
 * device-mapper name. In a captured tree, which has no nodes, /dev/X and
 * /dev/mapper/X are those names. Nothing is opened but what sysfs has.
 *
 * Returns 0, -ENOTBLK if @word is something else, or another negative errno.
 * The caller deinits @found after success.
 */
int device_find(const struct sysroot *root, const char *word,
		struct found_device *found, struct error *err);

/* The same for the kernel's name alone. */
int device_find_kname(const struct sysroot *root, const char *kname,
		      struct found_device *found);
void found_device_deinit(struct found_device *found);

#endif
