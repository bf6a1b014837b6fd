/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reads the path of an inode from the dentries that lead to it. Each level of a
 * path costs two reads, so this is only for the few inodes that are shown.
 */
#ifndef BUFSTAT_INODE_NAME_H
#define BUFSTAT_INODE_NAME_H

#include <stdbool.h>
#include <stdint.h>

struct fs_layout;
struct kmem;

#define INODE_NAME_SIZE 4096

struct inode_name {
	/*
	 * If it begins with a slash, the path from the root of the filesystem.
	 * Otherwise a bare name, which no lookup finds: "memfd:NAME", or that
	 * of a file that is deleted or whose path is too long or not all in a
	 * dump. "" if there is none.
	 */
	char text[INODE_NAME_SIZE];
};

/*
 * Finds the name of the inode at @inode, which has @links links (i_nlink). The
 * dentries may change meanwhile, so only a name that was read twice counts.
 * Returns 0, also for an inode without a name, -EAGAIN if the name changed each
 * time or is damaged, -ENOMEM, or the errno of reading.
 */
int inode_name_read(const struct kmem *kmem, const struct fs_layout *layout,
		    uint64_t inode, uint32_t links, struct inode_name *name);

#endif
