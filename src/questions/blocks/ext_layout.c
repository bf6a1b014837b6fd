// SPDX-License-Identifier: GPL-2.0-or-later
#include <endian.h>
#include <errno.h>
#include <string.h>

#include "blocks/ext.h"

/* A descriptor may change while it is read. */
#define ATTEMPTS 3

static void paint(struct ext *ext, uint64_t block, uint64_t count,
		  enum block_kind kind)
{
	/* 0: the group has no such thing. */
	if (block && ext_has(ext, block, count))
		ext_paint(ext, block, count, kind, PAINT_LAYOUT);
}

/* The library keeps descriptors as they are on the disk. */
int ext_group_refresh(struct ext *ext, uint32_t group)
{
	uint32_t size = (uint32_t)EXT2_DESC_SIZE(ext->fs->super);
	uint32_t per_block = ext->block_size / size;
	uint64_t block = ext->lib.descriptor_block(ext->fs, ext->first_block,
						   group / per_block);

	block_cache_forget(ext->cache);
	if (!ext_has(ext, block, 1))
		return -ENODATA;
	return block_cache_read(
		ext->cache,
		block * ext->block_size + (uint64_t)(group % per_block) * size,
		size, ext->lib.descriptor(ext->fs, ext->fs->group_desc, group));
}

bool ext_group_is_right(struct ext *ext, uint32_t group)
{
	for (int i = 0; i < ATTEMPTS; i++) {
		if (ext->lib.descriptor_is_right(ext->fs, group))
			return true;
		if (ext_group_refresh(ext, group) < 0)
			return false;
	}
	return false;
}

uint64_t ext_inode_table(struct ext *ext, uint32_t group)
{
	return ext->lib.inode_table(ext->fs, group);
}

/* The blocks of descriptors that are one after the other, with reserved ones. */
static uint64_t old_descriptors(const struct ext *ext)
{
	const struct ext2_super_block *super = ext->fs->super;

	return ext2fs_has_feature_meta_bg(ext->fs->super) ?
		       super->s_first_meta_bg :
		       ext->fs->desc_blocks + super->s_reserved_gdt_blocks;
}

static void paint_group(struct ext *ext, uint32_t group)
{
	blk64_t super = 0, old_table = 0, new_table = 0;

	ext->lib.super_and_descriptors(ext->fs, group, &super, &old_table,
				       &new_table, NULL);
	paint(ext, super, 1, BLOCK_SUPER);
	paint(ext, old_table, old_descriptors(ext), BLOCK_SUPER);
	paint(ext, new_table, 1, BLOCK_SUPER);
	if (!ext_group_is_right(ext, group))
		return;
	paint(ext, ext->lib.block_bitmap(ext->fs, group), 1, BLOCK_BITMAP);
	paint(ext, ext->lib.inode_bitmap(ext->fs, group), 1, BLOCK_BITMAP);
	paint(ext, ext_inode_table(ext, group), ext->fs->inode_blocks_per_group,
	      BLOCK_INODE_TABLE);
}

static int paint_journal(void *data, uint64_t logical __attribute__((unused)),
			 uint64_t block, uint64_t count, bool is_map)
{
	ext_paint(data, block, count, is_map ? BLOCK_MAP : BLOCK_JOURNAL,
		  PAINT_LAYOUT);
	return 0;
}

/* The superblock has a copy of the map of the journal's inode. */
static int find_journal(struct ext *ext)
{
	const struct ext2_super_block *super = ext->fs->super;
	struct ext_inode journal = { .number = super->s_journal_inum };

	if (!ext2fs_has_feature_journal(ext->fs->super) ||
	    !super->s_journal_inum ||
	    super->s_jnl_backup_type != EXT3_JNL_BACKUP_BLOCKS)
		return 0;
	for (size_t i = 0; i < sizeof(journal.map) / 4; i++) {
		uint32_t word = htole32(super->s_jnl_blocks[i]);

		memcpy(journal.map + 4 * i, &word, sizeof(word));
	}
	if (journal.map[0] == (EXT3_EXT_MAGIC & 0xff) &&
	    journal.map[1] == EXT3_EXT_MAGIC >> 8)
		journal.flags = EXT4_EXTENTS_FL;
	return ext_map_walk(ext, &journal, paint_journal, ext);
}

int ext_layout_paint(struct ext *ext)
{
	struct block_cache *cache = ext->cache;

	/* A journal's device has a superblock, and its log after that. */
	if (ext2fs_has_feature_journal_dev(ext->fs->super)) {
		uint64_t block = SUPERBLOCK_OFFSET / ext->block_size;

		ext_paint(ext, block, 1, BLOCK_SUPER, PAINT_LAYOUT);
		if (block)
			ext_paint(ext, 0, block, BLOCK_OTHER, PAINT_LAYOUT);
		ext_paint(ext, block + 1, ext->blocks - 1, BLOCK_JOURNAL,
			  PAINT_LAYOUT);
		return 0;
	}
	/* The first one: block 0 is there even if it is not the first. */
	ext_paint(ext, SUPERBLOCK_OFFSET / ext->block_size, 1, BLOCK_SUPER,
		  PAINT_LAYOUT);
	ext_paint(ext, 0, 1, BLOCK_OTHER, PAINT_LAYOUT);
	for (uint32_t group = 0; group < ext->fs->group_desc_count; group++) {
		if (block_cache_is_late(cache))
			return -ETIMEDOUT;
		paint_group(ext, group);
	}
	if (ext2fs_has_feature_mmp(ext->fs->super))
		paint(ext, ext->fs->super->s_mmp_block, 1, BLOCK_OTHER);
	return find_journal(ext);
}
