/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Measures the filesystems in a kernel's memory. This asks no module, takes no
 * lock and opens nothing but the memory.
 */
#ifndef BUFSTAT_KERNEL_FILESYSTEMS_H
#define BUFSTAT_KERNEL_FILESYSTEMS_H

#include <stddef.h>
#include <stdint.h>

#include "kernel/fs_layout.h"
#include "kernel/inodes.h"
#include "kernel/superblocks.h"

struct all_mounts;
struct error;
struct filesystems;
struct kernel;
struct mounted;

/* Bytes; see kernel_filesystems_walk(). */
#define KERNEL_FILESYSTEMS_WHY 256

/* What a walk of a filesystem's inodes found. */
struct inode_sums {
	uint64_t inodes;
	uint64_t pages;
	/*
	 * Why these are not all of them, or why there are none; "" if neither.
	 */
	char why[KERNEL_FILESYSTEMS_WHY];
	bool is_late; /* why: the user's time was over */
};

/* The filesystems of a kernel, before their inodes are walked. */
struct kernel_filesystems {
	struct fs_layout layout;
	struct superblocks superblocks;
};

/*
 * Finds all filesystems, mounted or not. Returns 0, -EOPNOTSUPP if this kernel
 * cannot be walked, -EAGAIN if the list did not hold still, or another negative
 * errno. The caller deinits in any case.
 */
int kernel_filesystems_init(struct kernel_filesystems *found,
			    const struct kernel *kernel, struct error *err);
void kernel_filesystems_deinit(struct kernel_filesystems *found);

/* How a superblock's pages relate to Cached. */
enum superblock_kind {
	SUPERBLOCK_MOUNTED,
	SUPERBLOCK_OWN, /* the kernel's own tmpfs: shared memory and memfds */
	SUPERBLOCK_UNMOUNTED, /* gets a row only if it has pages */
	SUPERBLOCK_OTHER, /* its pages are not in Cached: hugetlbfs, devices */
};

/*
 * Returns the kind of the superblock at @index, and sets *@mounted to its
 * mount, an element of @mounts, or to NULL if it has none.
 */
enum superblock_kind
kernel_filesystems_kind(const struct kernel_filesystems *found,
			const struct kernel *kernel,
			const struct all_mounts *mounts, size_t index,
			const struct mounted **mounted);

/*
 * Walks the inodes of the superblock at @index, which messages call @where.
 * Calls @visit for those that have pages. Tries again if the list changed too
 * often, and calls @begin before each attempt, to forget the last one. Returns
 * 0, also if a dump lacks some of the inodes; -ETIMEDOUT if the user's time is
 * over; or another negative errno. Unless it is -ENOMEM, @sums->why then says
 * why.
 */
int kernel_filesystems_walk(const struct kernel_filesystems *found,
			    const struct kernel *kernel, size_t index,
			    const char *where, void (*begin)(void *data),
			    inode_visit_fn *visit, void *data,
			    struct inode_sums *sums);

/*
 * Adds a row to @all for each filesystem that is mounted or has pages, and one
 * for the kernel's own tmpfs. In a dump, any that could be mounted counts. The
 * caller has read @mounts, unless the kernel is in a dump. The row of a
 * filesystem that could not be walked says why, and so does that of one that a
 * dump lacks inodes of. Returns 0, or a negative errno as
 * kernel_filesystems_init().
 */
int kernel_filesystems_measure(struct filesystems *all,
			       const struct all_mounts *mounts,
			       const struct kernel *kernel, struct error *err);

#endif
