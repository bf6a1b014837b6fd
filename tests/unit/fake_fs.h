/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The structs of filesystems in a kernel that a test or a fuzzer makes, as
 * small as possible, so that many inodes fit into an input.
 */
#ifndef BUFSTAT_TESTS_FAKE_FS_H
#define BUFSTAT_TESTS_FAKE_FS_H

#include "kernel/fs_layout.h"
#include "memory.h"

static const struct fs_layout fake_layout = {
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

static inline void fake_link(struct memory *memory, uint64_t node,
			     uint64_t previous, uint64_t next)
{
	memory_put_word(memory, node, next);
	memory_put_word(memory, node + 8, previous);
}

static inline void fake_put_inode(struct memory *memory, uint64_t inode,
				  uint64_t superblock, uint64_t ino,
				  uint64_t pages)
{
	memory_put_word(memory, inode + 24, superblock);
	memory_put_word(memory, inode + 32, ino);
	memory_put_half(memory, inode + 40, 1);
	memory_put_word(memory, inode + 64, inode);
	memory_put_word(memory, inode + 72, pages);
}

static inline void fake_put_superblock(struct memory *memory,
				       uint64_t superblock, uint32_t dev,
				       uint64_t type, const char *id)
{
	memory_put_half(memory, superblock + 16, dev);
	memory_put_word(memory, superblock + 32, 0xef53);
	memory_put_word(memory, superblock + 40, type);
	fake_link(memory, superblock + 48, superblock + 48, superblock + 48);
	memory_put(memory, superblock + 64, id, strlen(id) + 1);
}

/* A dentry without a name yet. */
static inline void fake_put_dentry(struct memory *memory, uint64_t dentry,
				   uint64_t parent, uint64_t inode)
{
	memory_put_word(memory, dentry, parent);
	memory_put_word(memory, dentry + 24, inode);
	memory_put_word(memory, dentry + 32, parent == dentry ? 0 : dentry);
}

#endif
