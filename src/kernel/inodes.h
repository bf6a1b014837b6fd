/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The inodes of one filesystem and their pages: what the module counts under
 * the list's lock, from outside and without it.
 */
#ifndef BUFSTAT_INODES_H
#define BUFSTAT_INODES_H

#include <stdbool.h>
#include <stdint.h>

#include "kernel/page_tags.h"

struct error;
struct fs_layout;
struct kmem;

/* Some members of an inode, read at one time. */
struct inode {
	uint64_t address;
	uint64_t ino;
	uint64_t pages; /* i_data.nrpages; 0 for a DAX file */
	uint64_t size_bytes;
	uint32_t mode; /* as in stat(2) */
	uint32_t links;
	struct page_tree tree; /* without its counts */
	bool is_unevictable; /* AS_UNEVICTABLE: reclaim leaves its pages alone */
	bool is_mapped; /* some process has mapped it: pages may be mlocked */
};

/*
 * Called once for each inode, in no order. Returns 0, or a negative errno with
 * the error filled in, which ends the walk.
 */
typedef int inode_visit_fn(void *data, const struct inode *inode,
			   struct error *err);

/*
 * Walks the inodes of the superblock at the address @superblock. An inode that
 * is made meanwhile is not visited; the others are, once, each as it was at
 * that moment. Returns 0, -EAGAIN with which check failed (the list changed
 * too often, or never was one), -ENOMEM, the errno of reading, or what @visit
 * returned.
 */
int inodes_walk(const struct kmem *kmem, const struct fs_layout *layout,
		uint64_t superblock, inode_visit_fn *visit, void *data,
		struct error *err);

/*
 * Reads the inode at @address if it is one of that superblock now. Returns 0,
 * -ESTALE if it is not, or the errno of reading.
 */
int inode_read(const struct kmem *kmem, const struct fs_layout *layout,
	       uint64_t superblock, uint64_t address, struct inode *inode);

#endif
