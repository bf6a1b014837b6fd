// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Any memory as the list of block devices: the walk ends, and its total is the
 * sum of the devices it found. Any memory as the trees of their pages: no more
 * pages are dirty than there are.
 */
#include "fuzz.h"
#include "kernel/bdev_layout.h"
#include "kernel/bdev_walk.h"
#include "kernel/page_tags.h"
#include "lib/error.h"
#include "memory.h"

#define BASE 0xffff888000100000ULL

/* As small as possible, so that many devices fit into an input. */
static const struct bdev_layout layout = {
	.bdev_inode_size = 96,
	.inode_size = 80,
	.offset = { [BDEV_SB_INODES] = 0,
		    [BDEV_SB_TYPE] = 16,
		    [BDEV_TYPE_NAME] = 0,
		    [BDEV_INODE_LIST] = 0,
		    [BDEV_INODE_MAPPING] = 16,
		    [BDEV_INODE_SB] = 24,
		    [BDEV_INODE_RDEV] = 32,
		    [BDEV_MAPPING_PAGES] = 8,
		    [BDEV_MAPPING_HOST] = 0,
		    [BDEV_INODE] = 16,
		    [BDEV_BDEV] = 0,
		    [BDEV_DEV] = 0,
		    [BDEV_OPENERS] = 4,
		    [BDEV_DISK] = 8,
		    [BDEV_PARTNO] = BDEV_ABSENT,
		    [BDEV_FLAGS] = 4,
		    [BDEV_DISK_NAME] = 0,
		    [BDEV_TREE] = 16,
		    [BDEV_TREE_FLAGS] = 0,
		    [BDEV_TREE_HEAD] = 8,
		    [BDEV_WRITE_ERROR] = 20 },
};

static struct page_tags_layout tags = {
	.offset = { [TAGS_NODE_SHIFT] = 0,
		    [TAGS_NODE_OFFSET] = 1,
		    [TAGS_NODE_COUNT] = 2,
		    [TAGS_NODE_PARENT] = 8,
		    [TAGS_NODE_ARRAY] = 16,
		    [TAGS_NODE_SLOTS] = 40,
		    [TAGS_NODE_MARKS] = 552,
		    [TAGS_DIRECTORY] = 8,
		    [TAGS_DISK_DIRECTORY] = BDEV_ABSENT,
		    [TAGS_DIRECTORY_ROOT] = 8,
		    [TAGS_ROOT_DIRECTORY] = 0,
		    [TAGS_ROOT_NUMBERS] = 8 },
};

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct memory memory = { BASE, (unsigned char *)data, size };
	struct kmem kmem = memory_kmem(&memory);
	struct bdev_list list = { 0 };
	char name[BDEV_NAME_SIZE];
	uint64_t pages = 0, superblock;
	struct error err;

	bdev_superblock_find(&kmem, &layout, BASE, &superblock);
	if (bdev_walk(&kmem, &layout, BASE, &list, &err) == 0) {
		page_tags_count(&kmem, &layout, &tags, &list);
		for (size_t i = 0; i < list.count; i++) {
			const struct bdev_entry *entry = &list.entries[i];

			fuzz_require(entry->dirty <= entry->pages &&
				     entry->writeback <= entry->pages);
			fuzz_require(entry->has_tags ||
				     !(entry->dirty | entry->writeback));
			pages += list.entries[i].pages;
			bdev_entry_name(&kmem, &layout, &list.entries[i], name);
		}
		fuzz_require(pages == list.pages);
	}
	bdev_list_deinit(&list);
	return 0;
}
