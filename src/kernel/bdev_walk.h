/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Walks the inodes of all block devices, as nr_blockdev_pages() does, but from
 * outside and without the list's lock. What is read may change while it is
 * read: every step is checked, and the caller compares the sum with Buffers,
 * because a few wrong sums pass every check there is (23 of 31,237 walks while
 * devices came and went).
 */
#ifndef BUFSTAT_BDEV_WALK_H
#define BUFSTAT_BDEV_WALK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct bdev_layout;
struct error;
struct kmem;

struct bdev_entry {
	uint64_t inode; /* its address */
	uint64_t bdev; /* address of the block_device */
	uint64_t mapping; /* address of what has its pages */
	uint64_t pages;
	uint64_t disk; /* address of the gendisk, or 0 */
	uint64_t tree_head; /* of the tree that has its pages */
	uint64_t dirty; /* pages; these two are page_tags.h's to fill in */
	uint64_t writeback; /* pages */
	uint32_t tree_flags;
	uint32_t dev; /* the kernel's dev_t: major << 20 | minor */
	uint32_t openers;
	unsigned int partno;
	unsigned int write_error; /* the last one's errno, 0: there was none */
	bool has_openers;
	bool has_tree; /* head and flags are known */
	bool has_tags; /* dirty and writeback are known */
	bool has_write_error;
};

struct bdev_list {
	struct bdev_entry *entries; /* by number */
	size_t count;
	size_t capacity;
	uint64_t pages; /* their sum */
};

void bdev_list_deinit(struct bdev_list *list);

/*
 * Follows the pointer at @symbol and checks that what it leads to is the
 * superblock of type "bdev". Returns 0, -EBADMSG if it is not, or the errno of
 * reading.
 */
int bdev_superblock_find(const struct kmem *kmem,
			 const struct bdev_layout *layout, uint64_t symbol,
			 uint64_t *superblock);

/*
 * Replaces what is in @list. Returns 0, -EAGAIN with which check failed (the
 * list changed, or never was one), -ENOMEM, or the errno of reading.
 */
int bdev_walk(const struct kmem *kmem, const struct bdev_layout *layout,
	      uint64_t superblock, struct bdev_list *list, struct error *err);

#define BDEV_NAME_SIZE 48

/*
 * The kernel's name of a device, from its gendisk: "sda1". False, with nothing
 * in @name, if it cannot be told.
 */
bool bdev_entry_name(const struct kmem *kmem, const struct bdev_layout *layout,
		     const struct bdev_entry *entry, char name[BDEV_NAME_SIZE]);

#endif
