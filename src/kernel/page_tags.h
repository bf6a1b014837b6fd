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

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct bdev_layout;
struct bdev_list;
struct btf;
struct kmem;

/* All in bytes. */
enum tags_member {
	TAGS_NODE_SHIFT, /* xa_node.shift */
	TAGS_NODE_OFFSET, /* xa_node.offset */
	TAGS_NODE_COUNT, /* xa_node.count */
	TAGS_NODE_PARENT, /* xa_node.parent */
	TAGS_NODE_ARRAY, /* xa_node.array */
	TAGS_NODE_SLOTS, /* xa_node.slots, 64 of them */
	TAGS_NODE_MARKS, /* xa_node.marks, three times 64 bits */
	/* From a device to the numbers of sysfs' inodes. */
	TAGS_DIRECTORY, /* block_device.bd_device.kobj.sd (5.11) */
	TAGS_DISK_DIRECTORY, /* gendisk.part0.__dev.kobj.sd (to 5.10) */
	TAGS_DIRECTORY_ROOT, /* kernfs_node.dir.root */
	TAGS_ROOT_DIRECTORY, /* kernfs_root.kn */
	TAGS_ROOT_NUMBERS, /* kernfs_root.ino_idr.idr_rt.xa_flags */
	TAGS_MEMBERS
};

struct page_tags_layout {
	uint32_t offset[TAGS_MEMBERS]; /* or BDEV_ABSENT */
};

/*
 * The pages of a mapping, as its address_space said at one time, and what is
 * counted of them.
 */
struct page_tree {
	uint64_t inode; /* address of the mapping's host */
	uint64_t mapping; /* its address */
	uint64_t pages; /* nrpages */
	uint64_t head; /* i_pages.xa_head */
	uint32_t flags; /* i_pages.xa_flags */
	bool has_tags; /* the two below were counted */
	uint64_t dirty; /* pages */
	uint64_t writeback; /* pages */
};

/* Is any of its pages tagged? If not, none is dirty or under writeback. */
bool page_tree_is_tagged(const struct page_tree *tree);

/*
 * Looks up those types that the devices in @list need: they lie far after the
 * others. What is not found is absent.
 */
void page_tags_layout_init(struct page_tags_layout *layout,
			   const struct btf *btf, const struct bdev_list *list);

/*
 * Sets the dirty and writeback pages of the devices of a walk. Those of a
 * device stay unknown if its tree has more nodes to read than is worth it, does
 * not hold still or cannot be read, or if the kernel's is another one.
 */
void page_tags_count(const struct kmem *kmem, const struct bdev_layout *layout,
		     const struct page_tags_layout *tags,
		     struct bdev_list *list);

/* Looks up all types that any mapping needs. */
void page_tags_layout_init_all(struct page_tags_layout *layout,
			       const struct btf *btf);

/* Counts the pages of files. All that it points to is the caller's. */
struct page_tags {
	const struct kmem *kmem;
	/* Of the devices: an address_space is the same everywhere. */
	const struct bdev_layout *layout;
	const struct page_tags_layout *tags;
	/* A walk of them: where the tags are in the flags of a tree is learnt
	 * from their directories in sysfs. */
	const struct bdev_list *devices;
	unsigned int nodes; /* that may still be read */
};

/* As many nodes as may be read of all devices together. */
#define PAGE_TAGS_NODES 32768

/*
 * Sets the dirty and writeback pages of @count trees, and takes the nodes that
 * were read from @page_tags->nodes. What cannot be counted stays unknown, as
 * with devices.
 */
void page_tags_count_trees(struct page_tags *page_tags, struct page_tree *trees,
			   size_t count);

#endif
