// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <string.h>

#include "blocks/ext.h"
#include "lib/byte_order.h"

/* Bytes; struct ext3_extent_header, ext3_extent and ext3_extent_idx. */
#define ENTRY 12
/* The checksum after the entries. There is always room for it. */
#define TAIL 4
/* What an extent's length has if its blocks are not written yet. */
#define UNWRITTEN 32768
/* The first of the indirect blocks in i_block. */
#define DIRECT 12

struct walk {
	struct ext *ext;
	const struct ext_inode *inode;
	ext_map_fn *visit;
	void *data;
};

/* Visits blocks, if the filesystem has them. */
static int visit(const struct walk *walk, uint64_t logical, uint64_t block,
		 uint64_t count, bool is_map)
{
	if (!count || !ext_has(walk->ext, block, count))
		return 0;
	return walk->visit(walk->data, logical, block, count, is_map);
}

/*
 * Reads a block of a map into the buffer of @level. Returns 0, -ENODATA if it
 * is not cached or one too many, or another errno.
 */
static int read_map(const struct walk *walk, uint64_t block, unsigned int level)
{
	struct ext *ext = walk->ext;

	/* Damaged maps may share blocks, and so be without an end. */
	if (!ext->map_reads)
		return -ENODATA;
	ext->map_reads--;
	return ext_read(ext, block, 1, ext->levels[level]);
}

static int walk_extents(const struct walk *walk, unsigned char *node,
			size_t size, unsigned int depth);

static int walk_below(const struct walk *walk, uint64_t block,
		      unsigned int depth)
{
	struct ext *ext = walk->ext;
	unsigned char *node = ext->levels[depth];
	int ret = visit(walk, 0, block, 1, true);

	if (!ret)
		ret = read_map(walk, block, depth);
	if (ret < 0)
		return ret == -ENODATA ? 0 : ret;
	if (le16_at(node + 6) != depth ||
	    (le16_at(node + 4) + 1U) * ENTRY + TAIL > ext->block_size ||
	    !ext->lib.extents_are_right(ext->fs, walk->inode->number,
					(void *)node))
		return 0;
	return walk_extents(walk, node, ext->block_size, depth);
}

/* @depth is that of the node; below each it is one less, so this ends. */
static int walk_extents(const struct walk *walk, unsigned char *node,
			size_t size, unsigned int depth)
{
	size_t entries = le16_at(node + 2);
	int ret = 0;

	if (le16_at(node) != EXT3_EXT_MAGIC || (entries + 1) * ENTRY > size)
		return 0;
	for (size_t i = 1; !ret && i <= entries; i++) {
		const unsigned char *entry = node + i * ENTRY;
		uint32_t count = le16_at(entry + 4);

		if (depth) {
			ret = walk_below(walk,
					 le32_at(entry + 4) |
						 (uint64_t)le16_at(entry + 8)
							 << 32,
					 depth - 1);
			continue;
		}
		if (count > UNWRITTEN)
			count -= UNWRITTEN;
		ret = visit(walk, le32_at(entry),
			    le32_at(entry + 8) | (uint64_t)le16_at(entry + 6)
							 << 32,
			    count, false);
	}
	return ret;
}

/*
 * Visits what an indirect block leads to; at level 0 data. The pointers begin
 * with the one for the block @logical of the file.
 */
static int walk_indirect(const struct walk *walk, uint64_t block,
			 unsigned int level, uint64_t logical)
{
	struct ext *ext = walk->ext;
	uint64_t pointers = ext->block_size / 4, span = 1;
	int ret = visit(walk, 0, block, 1, true);

	for (unsigned int i = 0; i < level; i++)
		span *= pointers;
	if (!ret)
		ret = read_map(walk, block, level);
	for (size_t i = 0; !ret && i < pointers; i++, logical += span) {
		uint64_t next = le32_at(ext->levels[level] + 4 * i);

		if (!next)
			continue;
		ret = level ? walk_indirect(walk, next, level - 1, logical) :
			      visit(walk, logical, next, 1, false);
	}
	return ret == -ENODATA ? 0 : ret;
}

static int walk_blocks(const struct walk *walk)
{
	uint64_t pointers = walk->ext->block_size / 4, span = 1, logical = 0;
	int ret = 0;

	for (; !ret && logical < DIRECT; logical++) {
		uint64_t block = le32_at(walk->inode->map + 4 * logical);

		if (block)
			ret = visit(walk, logical, block, 1, false);
	}
	for (unsigned int level = 0; !ret && level < 3; level++) {
		uint64_t block =
			le32_at(walk->inode->map + 4UL * (DIRECT + level));

		span *= pointers;
		if (block)
			ret = walk_indirect(walk, block, level, logical);
		logical += span;
	}
	return ret;
}

int ext_map_walk(struct ext *ext, const struct ext_inode *inode,
		 ext_map_fn *visit_blocks, void *data)
{
	const struct walk walk = { ext, inode, visit_blocks, data };
	unsigned char root[sizeof(inode->map)];
	unsigned int depth;

	if (!(inode->flags & EXT4_EXTENTS_FL))
		return walk_blocks(&walk);
	memcpy(root, inode->map, sizeof(root));
	depth = le16_at(root + 6);
	return depth <= EXT_LEVELS ?
		       walk_extents(&walk, root, sizeof(root), depth) :
		       0;
}
