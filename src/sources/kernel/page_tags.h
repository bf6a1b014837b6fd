/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Counts the dirty and writeback pages of a mapping by the tags in its tree of
 * pages, an XArray (Linux 4.20). The kernel uses these tags when it writes
 * pages back. The tree's flags tell whether any page is tagged, so a clean
 * mapping costs nothing. Otherwise it reads the nodes that lead to such pages.
 *
 * The tree is read without a lock and may change meanwhile. Each node must be
 * where its parent says and belong to this tree; otherwise the whole tree is
 * read again.
 */
#ifndef BUFSTAT_PAGE_TAGS_H
#define BUFSTAT_PAGE_TAGS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct bdev_entry;
struct bdev_layout;
struct bdev_list;
struct btf;
struct kmem;

/* The members; struct page_tags_layout has the offset of each. */
enum tags_member {
	TAGS_NODE_SHIFT, /* xa_node.shift */
	TAGS_NODE_OFFSET, /* xa_node.offset */
	TAGS_NODE_COUNT, /* xa_node.count */
	TAGS_NODE_PARENT, /* xa_node.parent */
	TAGS_NODE_ARRAY, /* xa_node.array */
	TAGS_NODE_SLOTS, /* xa_node.slots, 64 of them */
	TAGS_NODE_MARKS, /* xa_node.marks, three times 64 bits */
	/* These lead from a device to sysfs' allocator of inode numbers. */
	TAGS_DIRECTORY, /* block_device.bd_device.kobj.sd (5.11) */
	TAGS_DISK_DIRECTORY, /* gendisk.part0.__dev.kobj.sd (up to 5.10) */
	TAGS_DIRECTORY_ROOT, /* kernfs_node.dir.root */
	TAGS_ROOT_DIRECTORY, /* kernfs_root.kn */
	TAGS_ROOT_NUMBERS, /* kernfs_root.ino_idr.idr_rt.xa_flags */
	TAGS_MEMBERS
};

/*
 * The types come late in BTF, so they are looked up only when a mapping needs
 * them.
 */
struct page_tags_layout {
	uint32_t offset[TAGS_MEMBERS]; /* bytes, or BDEV_ABSENT */
	unsigned int first_mark; /* the tags' first bit in the flags; or 0 */
	/* For page_tags.c only. */
	const struct btf *btf; /* the caller's; NULL: nothing more is found */
	bool has_nodes; /* whether it has looked for them */
	bool has_marks;
};

/* Looks up nothing yet. @btf must outlive @layout. */
void page_tags_layout_init(struct page_tags_layout *layout,
			   const struct btf *btf);

/*
 * Look up the types of a mapping with nodes, and what shows the tags of one
 * without. A member that is not found is BDEV_ABSENT. The counting functions
 * call these when they need them.
 */
void page_tags_find_nodes(struct page_tags_layout *layout);
void page_tags_find_marks(struct page_tags_layout *layout);

/* A copy of some members of an address_space, and the counts of its tags. */
struct page_tree {
	uint64_t inode; /* address of the mapping's host */
	uint64_t mapping; /* address of the address_space */
	uint64_t pages; /* nrpages */
	uint64_t head; /* i_pages.xa_head */
	uint32_t flags; /* i_pages.xa_flags */
	bool has_tags; /* dirty and writeback are known */
	uint64_t dirty; /* pages */
	uint64_t writeback; /* pages */
};

/* The tree of a device, in a list that bdev_walk() has made. */
struct page_tree page_tree_of(const struct bdev_entry *entry);

/* Whether any page is tagged. If not, none is dirty or under writeback. */
bool page_tree_is_tagged(const struct page_tree *tree);

/*
 * Sets the dirty and writeback pages of the devices in @list. Those of a device
 * stay unknown if its tree has too many nodes to read, does not hold still or
 * cannot be read, or if this kernel's trees are of an unknown form.
 */
void page_tags_count(const struct kmem *kmem, const struct bdev_layout *layout,
		     struct page_tags_layout *tags, struct bdev_list *list);

/* For page_tags_count_trees(). The caller owns all that it points to. */
struct page_tags {
	const struct kmem *kmem;
	/* The devices' layout: every address_space is like theirs. */
	const struct bdev_layout *layout;
	struct page_tags_layout *tags;
	/*
	 * The devices that a walk found. Their sysfs directories show which
	 * bits of a tree's flags are the tags.
	 */
	const struct bdev_list *devices;
	unsigned int nodes; /* how many may still be read */
};

/* How many nodes may be read of all devices together. */
#define PAGE_TAGS_NODES 32768

/*
 * Sets the dirty and writeback pages of @count trees, and subtracts the nodes
 * that it reads from @page_tags->nodes. Pages stay unknown for the same reasons
 * as in page_tags_count().
 */
void page_tags_count_trees(struct page_tags *page_tags, struct page_tree *trees,
			   size_t count);

#endif
