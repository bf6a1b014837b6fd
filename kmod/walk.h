/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The inodes of one filesystem, some at a time, and what is told of them.
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
 * An inode that was wanted. Its figures are of the moment it was met. It is
 * pinned until visit() returns, unless it was being evicted already.
 */
struct bufstat_catch {
	struct inode *inode; /* or NULL: there is nothing but what follows */
	u64 ino;
	u64 pages;
	u64 size_bytes;
	u32 mode;
	u32 links;
};

struct bufstat_walk {
	struct file *file; /* keeps the filesystem from being unmounted */

	/* Which inodes are wanted; visit() may change it as it learns. */
	unsigned long more_than_pages;
	bool tagged; /* also those with dirty pages or under writeback */
	bool mapped; /* also those that some process has mapped */

	/*
	 * Called without locks, once for each catch; it may sleep. Returns 0 or
	 * a negative errno, which ends the walk.
	 */
	int (*visit)(struct bufstat_walk *walk, struct bufstat_catch *found);

	u64 inodes;
	u64 pages;
	u64 with_pages; /* inodes */
	u64 unevictable; /* pages of mappings of which none can be reclaimed */
	u64 missed; /* inodes wanted that there was no room for */
	u64 holds;
	u64 longest_hold_ns;
	u64 walk_ns;

	/* What follows is the walk's own. */
	struct super_block *sb;
	struct bufstat_catch *catches;
	unsigned int caught;
	struct bufstat_late *late;
};

/*
 * walk.c: walks all inodes of the filesystem of @walk->file, of which one walk
 * runs at a time; only that file's where it is on no list. Process context, no
 * locks held. Returns 0, -ERESTARTSYS if a signal came, -ENOMEM or what visit()
 * answered; the figures are then those of a part.
 */
int bufstat_walk_run(struct bufstat_walk *walk);

/*
 * The file behind the caller's descriptor, which pins its filesystem until
 * fput(), if that is one whose pages are in Cached; else ERR_PTR(-EBADF or
 * -EOPNOTSUPP).
 */
struct file *bufstat_filesystem_get(int fd);
struct super_block *bufstat_filesystem_sb(const struct file *file);
/*
 * Is its inode on no list of its superblock? Files without a filesystem are
 * not: memfd_secret(2), a virtual machine's guest_memfd.
 */
bool bufstat_is_loose(const struct file *file);
/* BUFSTAT_FS_SHMEM, BUFSTAT_FS_INTERNAL and BUFSTAT_FS_ONE_FILE. */
u32 bufstat_filesystem_about(const struct file *file);

/*
 * filesystem.c, files.c: one ioctl each. @request is the caller's structure,
 * checked but for its descriptor; on success the answer is in it. Process
 * context. Return 0 or a negative errno of <bufstat/filesystems.h>.
 */
int bufstat_filesystem(struct bufstat_filesystem *request);
int bufstat_files(struct bufstat_files *request);

#endif
