/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef BUFSTAT_ALL_DEVICES_H
#define BUFSTAT_ALL_DEVICES_H

struct error;
struct snapshot;
struct sysroot;

/*
 * Adds the block devices of /sys/class/block that @snapshot lacks. If its
 * source lists every device with pages, these have none, and their figure is
 * set to 0. A captured tree may have none. Returns 0 or a negative errno.
 */
int all_devices_add(const struct sysroot *root, struct snapshot *snapshot,
		    struct error *err);

#endif
