/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reads the inodes of one filesystem and their page counts from outside the
 * kernel, without the list's lock. The module counts the same with the lock.
 */
#ifndef BUFSTAT_INODES_H
#define BUFSTAT_INODES_H

#include <stdbool.h>
#include <stdint.h>

#include "kernel/page_tags.h"

struct error;
struct fs_layout;
struct kmem;

/* All pages that 52 bits of physical address make; more are damage. */
#define INODES_MOST_PAGES (1ULL << 40)

/* Some members of an inode, copied with a single read. */
struct inode {
	uint64_t address;
	uint64_t ino;
	uint64_t pages; /* i_data.nrpages; 0 for a DAX file */
	uint64_t size_bytes;
	uint32_t mode; /* as in stat(2) */
	uint32_t links;
	struct page_tree tree; /* dirty and writeback are not counted yet */
	bool is_unevictable; /* AS_UNEVICTABLE: reclaim leaves its pages alone */
	bool is_mapped; /* some process maps it: pages may be mlocked */
	unsigned int write_error; /* errno of the newest failed write, or 0 */
};

/*
 * Called once for each inode, in no particular order. Of an inode without pages
 * only the address is set. Returns 0, or a negative
 * errno with the error filled in, which ends the walk.
 */
typedef int inode_visit_fn(void *data, const struct inode *inode,
			   struct error *err);

/*
 * Walks the inodes of the superblock at the address @superblock. Visits each
 * inode once, as it is at that moment. An inode that is added or removed during
 * the walk may or may not be visited. Sets *@lost to the inodes that a dump
 * lacks: 0, 1, or 2 for two or more. Returns 0, -EAGAIN with the check that
 * failed (the list changed too often, or is not a list), -ENOMEM, the errno of
 * reading, or what @visit returned.
 */
int inodes_walk(const struct kmem *kmem, const struct fs_layout *layout,
		uint64_t superblock, inode_visit_fn *visit, void *data,
		size_t *lost, struct error *err);

/*
 * Reads the inode at @address if it still belongs to that superblock. Returns
 * 0, -ESTALE if it does not, -ENOMEM, or the errno of reading.
 */
int inode_read(const struct kmem *kmem, const struct fs_layout *layout,
	       uint64_t superblock, uint64_t address, struct inode *inode);

#endif
