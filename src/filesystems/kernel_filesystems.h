/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The filesystems as a kernel's memory has them. No module is asked, no lock is
 * taken and nothing is opened but the memory.
 */
#ifndef BUFSTAT_KERNEL_FILESYSTEMS_H
#define BUFSTAT_KERNEL_FILESYSTEMS_H

#include <stddef.h>

#include "kernel/fs_layout.h"
#include "kernel/superblocks.h"

struct all_mounts;
struct error;
struct filesystems;
struct kernel;
struct mounted;

/* The filesystems of a kernel, before their inodes are walked. */
struct kernel_filesystems {
	struct fs_layout layout;
	struct superblocks superblocks;
};

/*
 * Finds all filesystems, mounted or not. Returns 0, -EOPNOTSUPP if this kernel
 * is one that cannot be walked, -EAGAIN if their list did not hold still, or
 * another negative errno. The caller deinits in any case.
 */
int kernel_filesystems_init(struct kernel_filesystems *found,
			    const struct kernel *kernel, struct error *err);
void kernel_filesystems_deinit(struct kernel_filesystems *found);

/* What a superblock is to who asks what Cached is made of. */
enum superblock_kind {
	SUPERBLOCK_MOUNTED,
	SUPERBLOCK_OWN, /* the kernel's own tmpfs: shared memory and memfds */
	SUPERBLOCK_UNMOUNTED, /* of interest only if it has pages */
	SUPERBLOCK_OTHER, /* its pages are not in Cached: hugetlbfs, devices */
};

/*
 * Tells what the superblock at @index is, and sets *@mounted to its mount, an
 * element of @mounts or NULL.
 */
enum superblock_kind
kernel_filesystems_kind(const struct kernel_filesystems *found,
			const struct kernel *kernel,
			const struct all_mounts *mounts, size_t index,
			const struct mounted **mounted);

/*
 * Adds a row to @all, whose mounts were read before, for each filesystem that
 * is mounted or has pages, and one for the kernel's own tmpfs. A filesystem
 * that could not be walked says why in its row. Returns 0, or a negative errno
 * as kernel_filesystems_init().
 */
int kernel_filesystems_measure(struct filesystems *all,
			       const struct kernel *kernel, struct error *err);

#endif
