/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef BUFSTAT_ALL_DEVICES_H
#define BUFSTAT_ALL_DEVICES_H

struct error;
struct snapshot;
struct sysroot;

/*
 * Adds the block devices of /sys/class/block that @snapshot does not have. For
 * a source that lists every device with pages, the others have none; that is
 * then their figure. Returns 0 or a negative errno.
 */
int all_devices_add(const struct sysroot *root, struct snapshot *snapshot,
		    struct error *err);

#endif
