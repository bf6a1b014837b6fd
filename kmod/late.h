/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Giving back references to inodes. Whoever drops the last one evicts the inode
 * and may wait for a frozen filesystem, a disk or a server in a state that no
 * signal ends. The last user ought to have done that, and his reference may be
 * gone by the time that ours goes. So a last reference is never dropped by the
 * caller but by a work item, and not while the filesystem is frozen.
 */
#ifndef BUFSTAT_LATE_H
#define BUFSTAT_LATE_H

#include <linux/types.h>

struct bufstat_held;
struct bufstat_late;
struct file;
struct inode;
struct super_block;

/* Returns 0 or -ENOMEM. Exit waits for nothing: held inodes pin the module. */
int bufstat_late_init(void);
void bufstat_late_exit(void);

/*
 * Room for @capacity inodes of @sb. Takes references of its own to @file, which
 * keeps @sb mounted and is NULL for the block devices' superblock, and to the
 * module, once there is something to drop late. Process context. Returns it or
 * NULL. The caller gives it back with bufstat_late_finish().
 */
struct bufstat_late *bufstat_late_create(struct super_block *sb,
					 struct file *file, size_t capacity);

/* Inodes for which there is room. */
size_t bufstat_late_room(const struct bufstat_late *late);

/*
 * Takes over the caller's reference to @inode, which may be NULL. Drops it here
 * if it is not the last one; else there must be room. Neither sleeps nor waits.
 */
void bufstat_late_put(struct bufstat_late *late, struct inode *inode);

/*
 * Hands @late, which may be NULL, over to the work item; then waits until it is
 * done, but not for a frozen filesystem and no longer than a tenth of a second.
 * Process context, no locks held. Nobody may use @late afterwards.
 */
void bufstat_late_finish(struct bufstat_late *late);

/* What is still to be dropped, by filesystem, in the caller's structure. */
void bufstat_late_report(struct bufstat_held *held);

#endif
