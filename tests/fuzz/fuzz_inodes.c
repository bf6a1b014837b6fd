// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Takes any memory for the list of filesystems, their inodes and their names.
 * Every walk must end and visit nothing twice, and every name must be a string.
 */
#include <string.h>

#include "fuzz.h"
#include "kernel/fs_layout.h"
#include "kernel/inode_name.h"
#include "kernel/inodes.h"
#include "kernel/kmem.h"
#include "kernel/superblocks.h"
#include "lib/error.h"
#include "memory.h"

#define BASE 0xffff888000100000ULL
/* The node before the first superblock is the head, wherever it is. */
#define IMAGE BASE

/* As small as possible, so that many inodes fit into an input. */
static const struct fs_layout layout = {
	.super_block_size = 96,
	.inode_size = 128,
	.dentry_size = 64,
	.offset = { [FS_SB_LIST] = 0,
		    [FS_SB_DEV] = 16,
		    [FS_SB_FLAGS] = 24,
		    [FS_SB_MAGIC] = 32,
		    [FS_SB_TYPE] = 40,
		    [FS_SB_INODES] = 48,
		    [FS_SB_ID] = 64,
		    [FS_TYPE_NAME] = 0,
		    [FS_INODE_MODE] = 16,
		    [FS_INODE_FLAGS] = 20,
		    [FS_INODE_SB] = 24,
		    [FS_INODE_INO] = 32,
		    [FS_INODE_LINKS] = 40,
		    [FS_INODE_SIZE] = 48,
		    [FS_INODE_LIST] = 0,
		    [FS_INODE_DATA] = 64,
		    [FS_INODE_ALIASES] = 56,
		    [FS_MAPPING_HOST] = 0,
		    [FS_MAPPING_PAGES] = 8,
		    [FS_MAPPING_FLAGS] = 16,
		    [FS_MAPPING_MAPPED] = 24,
		    [FS_MAPPING_TREE_FLAGS] = 32,
		    [FS_MAPPING_WRITE_ERROR] = 36,
		    [FS_MAPPING_TREE_HEAD] = 40,
		    [FS_DENTRY_PARENT] = 0,
		    [FS_DENTRY_NAME] = 8,
		    [FS_DENTRY_LENGTH] = 16,
		    [FS_DENTRY_INODE] = 24,
		    [FS_DENTRY_HASHED] = 32,
		    [FS_DENTRY_ALIAS] = 40 },
};

/* Far more inodes than an input can have. */
#define MOST 65536

struct visits {
	const struct kmem *kmem;
	uint64_t superblock;
	size_t count;
	uint64_t inodes[MOST];
};

static int visit(void *data, const struct inode *inode,
		 struct error *err __attribute__((unused)))
{
	struct visits *visits = data;

	fuzz_require(visits->count < MOST);
	visits->inodes[visits->count++] = inode->address;
	return 0;
}

static int compare(const void *left, const void *right)
{
	const uint64_t *a = left, *b = right;

	return (*a > *b) - (*a < *b);
}

static void walk(struct visits *visits)
{
	struct inode_name name;
	struct error err;

	visits->count = 0;
	if (inodes_walk(visits->kmem, &layout, visits->superblock, visit,
			visits, &err) < 0)
		return;
	if (visits->count)
		qsort(visits->inodes, visits->count, sizeof(*visits->inodes),
		      compare);
	for (size_t i = 0; i < visits->count; i++) {
		struct inode inode;

		fuzz_require(!i || visits->inodes[i - 1] != visits->inodes[i]);
		fuzz_require(inode_read(visits->kmem, &layout,
					visits->superblock, visits->inodes[i],
					&inode) == 0);
		inode_name_read(visits->kmem, &layout, inode.address,
				inode.links, &name);
		fuzz_require(memchr(name.text, '\0', sizeof(name.text)));
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct memory memory = { BASE, (unsigned char *)data, size };
	struct kmem kmem = memory_kmem(&memory);
	struct superblocks superblocks = { 0 };
	static struct visits visits;
	struct error err;

	visits.kmem = &kmem;
	if (superblocks_read(&superblocks, &kmem, &layout, BASE, IMAGE, &err) ==
	    0) {
		for (size_t i = 0; i < superblocks.count && i < 16; i++) {
			visits.superblock = superblocks.list[i].address;
			walk(&visits);
		}
	}
	superblocks_deinit(&superblocks);
	return 0;
}
