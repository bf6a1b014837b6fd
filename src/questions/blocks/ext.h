/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Classifies the cached blocks of an ext2, ext3 or ext4 filesystem. All that is
 * known of it is what is cached: a mounted one keeps its superblock and all
 * group descriptors cached, and what else is there depends on who read it.
 *
 * Nothing in the cache is trusted. What has a checksum is used only if that is
 * right, and every place is checked against the size of the filesystem.
 */
#ifndef BUFSTAT_EXT_H
#define BUFSTAT_EXT_H

#include <stdbool.h>
#include <stdint.h>

#include "blocks/block_cache.h"
#include "blocks/libext2fs.h"

struct error;

/* Levels of an extent tree (EXT4_MAX_EXTENT_DEPTH) or of indirect blocks. */
#define EXT_LEVELS 5

/* A bitmap of a group, as it was read last. */
struct ext_bitmap {
	unsigned char *bytes; /* a block */
	uint32_t group;
	bool is_there; /* @group is set */
	bool is_known; /* it is cached and its checksum is right */
	bool is_unused; /* the group has no bitmap: nothing is in use */
};

struct ext {
	struct libext2fs lib;
	ext2_filsys fs; /* NULL: not open */
	struct block_cache *cache;
	uint64_t blocks; /* of the whole filesystem */
	uint64_t first_block; /* s_first_data_block */
	uint32_t block_size; /* bytes */
	uint32_t inode_size; /* bytes */
	unsigned int cluster_bits; /* blocks of a cluster, as a power of 2 */
	unsigned char *levels[EXT_LEVELS]; /* a block each, for ext_map.c */
	unsigned char *table; /* a block of inodes */
	struct ext_bitmap block_bitmap;
	struct ext_bitmap inode_bitmap;
	uint64_t map_reads; /* how many extent blocks may still be read */
};

/* An inode, as far as it is needed here. */
struct ext_inode {
	uint32_t number;
	uint16_t mode;
	uint16_t links;
	uint32_t flags;
	uint64_t xattr_block; /* or 0 */
	uint64_t size; /* bytes */
	unsigned char map[60]; /* i_block */
};

/*
 * Opens the filesystem in what is cached. Sets the units of @cache, which must
 * outlive @ext. Returns 0; -ENODATA with the reason if its superblock or
 * descriptors are not cached or not sound; -EOPNOTSUPP without the library or
 * with features that it does not know; -ENOMEM; -ETIMEDOUT. The caller closes
 * @ext in any case.
 */
int ext_open(struct ext *ext, struct block_cache *cache, uint64_t device_bytes,
	     struct error *err);
void ext_close(struct ext *ext);

/* Whether the filesystem has all of these blocks. */
static inline bool ext_has(const struct ext *ext, uint64_t block,
			   uint64_t count)
{
	return block >= ext->first_block && block < ext->blocks &&
	       count <= ext->blocks - block;
}

/* Reads @count blocks. Returns as block_cache_read(). */
int ext_read(struct ext *ext, uint64_t block, uint64_t count, void *bytes);

/* The same as block_cache_paint(), in blocks. */
uint64_t ext_paint(struct ext *ext, uint64_t block, uint64_t count,
		   enum block_kind kind, enum paint paint);

/*
 * Reads a group's descriptor once more. It has the checksums of the bitmaps,
 * which change with them. Returns as block_cache_read().
 */
int ext_group_refresh(struct ext *ext, uint32_t group);

/* Whether the group's descriptor can be believed. Reads it again if not. */
bool ext_group_is_right(struct ext *ext, uint32_t group);

/* Where the group's inode table begins; how many blocks it has is the same
 * for all groups: @ext->fs->inode_blocks_per_group. */
uint64_t ext_inode_table(struct ext *ext, uint32_t group);

/* Paints what the layout alone tells, the journal too. Returns 0 or -errno. */
int ext_layout_paint(struct ext *ext);

/*
 * Paints what no inode has, by the bitmaps, and what is outside. What an inode
 * has and a bitmap calls free becomes a conflict. Returns 0 or -errno.
 */
int ext_free_paint(struct ext *ext);

/*
 * Reads a bitmap of @group, unless it is the one that was read last. Returns 0,
 * also if it is not known, or a negative errno.
 */
int ext_bitmap_read(struct ext *ext, struct ext_bitmap *bitmap, uint32_t group);

/* Called with a run of blocks of an inode, or with a block of its map. */
typedef int ext_map_fn(void *data, uint64_t logical, uint64_t block,
		       uint64_t count, bool is_map);

/*
 * Visits the blocks of an inode, as far as its map is cached. Leaves out what
 * is damaged. Returns 0, what @visit returned, -ETIMEDOUT, or another errno.
 */
int ext_map_walk(struct ext *ext, const struct ext_inode *inode,
		 ext_map_fn *visit, void *data);

/*
 * Reads an inode. Returns 0, -ENODATA if it is not cached or its checksum is
 * wrong, or another errno.
 */
int ext_inode_read(struct ext *ext, uint32_t number, struct ext_inode *inode);

/* An inode with many cached blocks. */
struct ext_owner {
	uint64_t inode;
	enum block_kind kind; /* of its data */
	uint64_t bytes; /* cached, with its map and xattr blocks */
	char *path; /* of a directory, from the filesystem's root; or NULL */
};

#define EXT_OWNERS 10

struct ext_owners {
	struct ext_owner list[EXT_OWNERS]; /* the most bytes first */
	size_t count;
	/* Pages of inode tables that are cached, and how many were read. */
	uint64_t table_blocks;
	uint64_t read_blocks;
};

/*
 * Paints the blocks of all inodes that are cached, in an order that is spread
 * over the whole filesystem, until the time is over. Returns 0, or a negative
 * errno. The caller deinits @owners in either case.
 */
int ext_owners_paint(struct ext *ext, struct ext_owners *owners);

/* Finds the paths of the directories among @owners. Returns 0 or -ENOMEM. */
int ext_owners_name(struct ext *ext, struct ext_owners *owners);
void ext_owners_deinit(struct ext_owners *owners);

/*
 * Finds the path of a directory in cached directories: each names its parent,
 * and the parent it. Returns 0, with *@path NULL if something on the way is not
 * cached, and the caller frees *@path; or -ENOMEM.
 */
int ext_path(struct ext *ext, uint32_t directory, char **path);

#endif
