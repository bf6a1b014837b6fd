/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * How many pages of a device are dirty, and how many under writeback, by the
 * tags of the tree that has its pages, an XArray (Linux 4.20): what the kernel
 * itself goes by when it writes them. The flags of the tree tell whether any
 * page is tagged, so that a clean device costs nothing; else the nodes below
 * which there is a tagged page are read.
 *
 * There is no lock, and the tree may change while it is read. Each node has to
 * be where its parent says and of this tree, or all of it is read again.
 */
#ifndef BUFSTAT_PAGE_TAGS_H
#define BUFSTAT_PAGE_TAGS_H

struct bdev_layout;
struct bdev_list;
struct kmem;

/*
 * Sets the dirty and writeback pages of the devices of a walk. Those of a
 * device stay unknown if its tree has more nodes to read than is worth it, does
 * not hold still or cannot be read, or if the kernel's is another one.
 */
void page_tags_count(const struct kmem *kmem, const struct bdev_layout *layout,
		     struct bdev_list *list);

#endif
