// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>

#include "blocks/ext.h"

/* Both may change while they are read, and then do not agree. */
#define ATTEMPTS 3

/* Bits of a group's bitmap. */
static uint32_t bits_of(const struct ext *ext, const struct ext_bitmap *bitmap)
{
	return bitmap == &ext->block_bitmap ?
		       ext->fs->super->s_clusters_per_group :
		       ext->fs->super->s_inodes_per_group;
}

static bool is_right(struct ext *ext, const struct ext_bitmap *bitmap)
{
	int size = (int)(bits_of(ext, bitmap) / 8);
	int (*check)(ext2_filsys fs, dgrp_t group, char *bytes, int length) =
		bitmap == &ext->block_bitmap ? ext->lib.block_bitmap_is_right :
					       ext->lib.inode_bitmap_is_right;

	return check(ext->fs, bitmap->group, (char *)bitmap->bytes, size);
}

static bool is_unused(struct ext *ext, const struct ext_bitmap *bitmap)
{
	return ext2fs_has_group_desc_csum(ext->fs) &&
	       ext->lib.group_flags(ext->fs, bitmap->group,
				    bitmap == &ext->block_bitmap ?
					    EXT2_BG_BLOCK_UNINIT :
					    EXT2_BG_INODE_UNINIT);
}

static int read_bitmap(struct ext *ext, struct ext_bitmap *bitmap)
{
	uint64_t block = bitmap == &ext->block_bitmap ?
				 ext->lib.block_bitmap(ext->fs, bitmap->group) :
				 ext->lib.inode_bitmap(ext->fs, bitmap->group);
	int ret = 0;

	for (int i = 0; !ret && i < ATTEMPTS; i++) {
		if (i)
			ret = ext_group_refresh(ext, bitmap->group);
		bitmap->is_unused = is_unused(ext, bitmap);
		if (!ret && !bitmap->is_unused)
			ret = ext_read(ext, block, 1, bitmap->bytes);
		bitmap->is_known = !ret &&
				   (bitmap->is_unused || is_right(ext, bitmap));
		if (bitmap->is_known)
			break;
	}
	return ret == -ENODATA ? 0 : ret;
}

int ext_bitmap_read(struct ext *ext, struct ext_bitmap *bitmap, uint32_t group)
{
	if (bitmap->is_there && bitmap->group == group)
		return 0;
	*bitmap = (struct ext_bitmap){
		.bytes = bitmap->bytes,
		.group = group,
		.is_there = true,
	};
	/* A bitmap is a block at most; the library checks that too. */
	if (bits_of(ext, bitmap) / 8 > ext->block_size ||
	    !ext_group_is_right(ext, group))
		return 0;
	return read_bitmap(ext, bitmap);
}

/* Whether the bitmap, which is known, says that a block is in use. */
static bool is_in_use(const struct ext *ext, uint64_t in_group)
{
	uint64_t bit = in_group >> ext->cluster_bits;
	const struct ext_bitmap *bitmap = &ext->block_bitmap;

	return !bitmap->is_unused && bit < bits_of(ext, bitmap) &&
	       bitmap->bytes[bit / 8] >> bit % 8 & 1;
}

static bool is_owned(unsigned int kind)
{
	return kind >= BLOCK_DIRECTORY && kind <= BLOCK_DATA;
}

static int paint_unit(struct ext *ext, size_t which)
{
	unsigned char *unit = &ext->cache->kinds[which];
	unsigned int kind = *unit & UNIT_KIND;
	uint64_t block =
		block_cache_offset(ext->cache, which) / ext->block_size;
	uint64_t per_group = ext->fs->super->s_blocks_per_group;
	bool in_use;
	int ret;

	if (kind != BLOCK_UNKNOWN && !is_owned(kind))
		return 0;
	if (!ext_has(ext, block, 1)) {
		*unit = (unsigned char)((*unit & ~UNIT_KIND) | BLOCK_OUTSIDE);
		return 0;
	}
	ret = ext_bitmap_read(
		ext, &ext->block_bitmap,
		(uint32_t)((block - ext->first_block) / per_group));
	if (ret < 0 || !ext->block_bitmap.is_known)
		return ret;
	in_use = is_in_use(ext, (block - ext->first_block) % per_group);
	if (kind == BLOCK_UNKNOWN)
		*unit = (unsigned char)((*unit & ~UNIT_KIND) |
					(in_use ? BLOCK_IN_USE : BLOCK_FREE));
	else if (!in_use)
		*unit |= UNIT_CONFLICT;
	return 0;
}

int ext_free_paint(struct ext *ext)
{
	int ret = 0;

	for (size_t i = 0; !ret && i < block_cache_units(ext->cache); i++)
		ret = paint_unit(ext, i);
	return ret;
}
