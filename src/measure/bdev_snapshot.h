/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef BUFSTAT_BDEV_SNAPSHOT_H
#define BUFSTAT_BDEV_SNAPSHOT_H

struct bdev_layout;
struct bdev_list;
struct kmem;
struct snapshot;

/* Adds the devices of a walk that have pages. Returns 0 or -ENOMEM. */
int bdev_snapshot_fill(struct snapshot *snapshot, const struct bdev_list *list);

/*
 * Adds all of them, and their names as that kernel has them: for a kernel
 * without a sysfs to ask. Returns 0 or -ENOMEM.
 */
int bdev_snapshot_fill_named(struct snapshot *snapshot,
			     const struct bdev_list *list,
			     const struct kmem *kmem,
			     const struct bdev_layout *layout);

#endif
