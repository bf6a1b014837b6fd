/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Walks the inodes of all block devices, as nr_blockdev_pages() does, but from
 * outside the kernel and without the list's lock. The list may change during
 * the walk, so every step is checked. A few wrong sums pass all checks (23 of
 * 31,237 walks while devices came and went), so the caller also compares the
 * sum with Buffers.
 */
#ifndef BUFSTAT_BDEV_WALK_H
#define BUFSTAT_BDEV_WALK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct bdev_layout;
struct error;
struct kernel;
struct kmem;

struct bdev_entry {
	uint64_t inode; /* address of the inode */
	uint64_t bdev; /* address of the block_device */
	uint64_t mapping; /* address of the address_space */
	uint64_t pages;
	uint64_t disk; /* address of the gendisk, or 0 */
	uint64_t tree_head; /* xa_head of the mapping's i_pages */
	uint64_t dirty; /* pages; page_tags.h fills in these two */
	uint64_t writeback; /* pages */
	uint32_t tree_flags; /* xa_flags of i_pages */
	uint32_t dev; /* the kernel's dev_t: major << 20 | minor */
	uint32_t openers;
	unsigned int partno;
	unsigned int write_error; /* errno of the last one; 0: none */
	bool has_openers;
	bool has_tree; /* tree_head and tree_flags are known */
	bool has_tags; /* dirty and writeback are known */
	bool has_write_error;
};

struct bdev_list {
	struct bdev_entry *entries; /* sorted by dev */
	size_t count;
	size_t capacity;
	uint64_t pages; /* sum over all entries */
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
 * Replaces what is in @list, which must be all zero before the first walk.
 * Returns 0, -EAGAIN with the check that failed (the list changed, or is not a
 * list), -ENOMEM, or the errno of reading. The caller deinits @list in any
 * case.
 */
int bdev_walk(const struct kmem *kmem, const struct bdev_layout *layout,
	      uint64_t superblock, struct bdev_list *list, struct error *err);

/*
 * The same of an open kernel, again if the list changes while it is read: while
 * devices come and go, one walk in 30 has to be repeated.
 */
int bdev_walk_kernel(const struct kernel *kernel, struct bdev_list *list,
		     struct error *err);

static inline unsigned int bdev_entry_major(const struct bdev_entry *entry)
{
	return entry->dev >> 20;
}

static inline unsigned int bdev_entry_minor(const struct bdev_entry *entry)
{
	return entry->dev & ((1U << 20) - 1);
}

#define BDEV_NAME_SIZE 48

/*
 * Writes the kernel's name of a device, such as "sda1", from its gendisk.
 * Returns false, with an empty @name, if the name is not known.
 */
bool bdev_entry_name(const struct kmem *kmem, const struct bdev_layout *layout,
		     const struct bdev_entry *entry, char name[BDEV_NAME_SIZE]);

#endif
