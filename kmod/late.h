/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Giving back references to inodes. Whoever drops the last one evicts the inode
 * and may wait uninterruptibly for a frozen filesystem, a disk or a server.
 * Normally the last user does that, but our reference may outlive his. So the
 * caller never drops a last reference: a work item does, and not while the
 * filesystem is frozen. One put of a filesystem waits at a time.
 */
#ifndef BUFSTAT_LATE_H
#define BUFSTAT_LATE_H

#include <linux/types.h>

struct bufstat_held;
struct bufstat_late;
struct inode;
struct super_block;
struct vfsmount;

/* Returns 0 or -ENOMEM. Held inodes pin the module: none is left at exit. */
int bufstat_late_init(void);
void bufstat_late_exit(void);

/*
 * Allocates room for @capacity inodes of @sb. @mount keeps @sb mounted; it is
 * NULL for the block devices' superblock. Takes its own references to @mount
 * and the module only at bufstat_late_finish(), if there is something to drop
 * late: until then the caller keeps @mount. Process context. Returns NULL if
 * there is no memory. The caller gives it back with bufstat_late_finish().
 */
struct bufstat_late *bufstat_late_create(struct super_block *sb,
					 struct vfsmount *mount,
					 size_t capacity);

/* Inodes for which there is room. */
size_t bufstat_late_room(const struct bufstat_late *late);

/*
 * Takes over the caller's reference to @inode, which may be NULL. Drops it at
 * once if it is not the last one; otherwise keeps it, and there must be room.
 * Does not sleep.
 */
void bufstat_late_put(struct bufstat_late *late, struct inode *inode);

/*
 * Hands @late, which may be NULL, to the work item and waits until it is done,
 * but not for a frozen filesystem and no longer than a tenth of a second.
 * Process context, no locks held. Nobody may use @late afterwards.
 */
void bufstat_late_finish(struct bufstat_late *late);

/* Adds the references still to be dropped, by filesystem, to @held. */
void bufstat_late_report(struct bufstat_held *held);

#endif
