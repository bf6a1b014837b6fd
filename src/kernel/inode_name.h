/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What an inode is called, by the dentries that lead to it. Only for the few
 * that are shown: each level of a path is two reads.
 */
#ifndef BUFSTAT_INODE_NAME_H
#define BUFSTAT_INODE_NAME_H

#include <stdbool.h>
#include <stdint.h>

struct fs_layout;
struct kmem;

#define INODE_NAME_SIZE 4096

struct inode_name {
	/* From the root of its filesystem if it begins with a slash; else only
	 * a name by which nothing is found, "memfd:NAME" or that of a file that
	 * was deleted, or whose path is not all there; "" if none. */
	char text[INODE_NAME_SIZE];
};

/*
 * Finds the name of the inode at @inode, which has that many @links. What is
 * read may change meanwhile: only a name that was read twice counts. Returns 0,
 * also for an inode without a name, -EAGAIN if it changed each time, or the
 * errno of reading.
 */
int inode_name_read(const struct kmem *kmem, const struct fs_layout *layout,
		    uint64_t inode, uint32_t links, struct inode_name *name);

#endif
