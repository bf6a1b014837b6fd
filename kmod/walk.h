/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Walking the inodes of one filesystem, some at a time.
 */
#ifndef BUFSTAT_WALK_H
#define BUFSTAT_WALK_H

#include <linux/types.h>

#include <bufstat/filesystems.h>

struct bufstat_late;
struct file;
struct inode;
struct super_block;

/*
 * A wanted inode. Its figures are from when the walk met it. It is pinned until
 * visit() returns, unless it was already being evicted.
 */
struct bufstat_catch {
	struct inode *inode; /* NULL if it was being evicted */
	u64 ino;
	u64 pages;
	u64 size_bytes;
	u32 mode;
	u32 links;
};

struct bufstat_walk {
	struct file *file; /* keeps the filesystem from being unmounted */

	/* Which inodes are wanted. visit() may change it. */
	unsigned long more_than_pages;
	bool tagged; /* also those with pages dirty or under writeback */
	bool mapped; /* also those that some process has mapped */
	bool one; /* only the file's own inode; the others are not walked */

	/*
	 * Called once for each catch, without locks. May sleep. Returns 0 or a
	 * negative errno, which ends the walk.
	 */
	int (*visit)(struct bufstat_walk *walk, struct bufstat_catch *found);

	u64 inodes;
	u64 pages;
	u64 with_pages; /* inodes */
	u64 unevictable; /* pages of mappings with AS_UNEVICTABLE */
	u64 missed; /* wanted inodes for which there was no room */
	u64 holds;
	u64 longest_hold_ns;
	u64 walk_ns;

	/* Private to the walk. */
	struct super_block *sb;
	struct bufstat_catch *catches;
	unsigned int caught;
	struct bufstat_late *late;
};

/*
 * walk.c: walks all inodes of the filesystem of @walk->file, or only that
 * file's if it is loose or @walk->one is set; of an overlay none. One walk of a
 * filesystem runs at a time; others wait. Process context, no locks held.
 * Returns 0, -ERESTARTSYS if a signal came, -ENOMEM or the error of visit().
 * After an error the figures are incomplete.
 */
int bufstat_walk_run(struct bufstat_walk *walk);

/*
 * Returns the file of the caller's descriptor, which pins its filesystem until
 * the caller's fput(). ERR_PTR: -EBADF, or -EOPNOTSUPP if the filesystem's
 * pages are not in Cached.
 */
struct file *bufstat_filesystem_get(int fd);
struct super_block *bufstat_filesystem_sb(const struct file *file);
/*
 * Whether @file is a regular file whose inode is not on its superblock's list,
 * as with memfd_secret(2) and a virtual machine's guest_memfd.
 */
bool bufstat_is_loose(const struct file *file);
/* Returns bits: BUFSTAT_FS_SHMEM, BUFSTAT_FS_INTERNAL, BUFSTAT_FS_ONE_FILE. */
u32 bufstat_filesystem_about(const struct file *file);

/*
 * filesystem.c, files.c: one ioctl each. @request is a copy of the caller's
 * structure, checked except for its descriptor and the address of the rows. On
 * success the answer is in it. Process context. Return 0, or a negative errno
 * as <bufstat/filesystems.h> lists them or -ERESTARTSYS.
 */
int bufstat_filesystem(struct bufstat_filesystem *request);
int bufstat_files(struct bufstat_files *request);

#endif
