// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "blocks/ext.h"
#include "lib/byte_order.h"

/* Places in an inode on the disk, bytes; struct ext2_inode_large. */
enum {
	AT_MODE = 0x00,
	AT_SIZE = 0x04,
	AT_LINKS = 0x1a,
	AT_FLAGS = 0x20,
	AT_MAP = 0x28,
	AT_XATTR = 0x68,
	AT_SIZE_HIGH = 0x6c,
	AT_XATTR_HIGH = 0x76,
};

/*
 * Decodes the inode @number at @bytes. Returns false if its checksum is wrong.
 */
static bool ext_inode_decode(struct ext *ext, uint32_t number,
			     const unsigned char *bytes,
			     struct ext_inode *inode)
{
	*inode = (struct ext_inode){
		.number = number,
		.mode = le16_at(bytes + AT_MODE),
		.links = le16_at(bytes + AT_LINKS),
		.flags = le32_at(bytes + AT_FLAGS),
		.xattr_block = le32_at(bytes + AT_XATTR),
		.size = le32_at(bytes + AT_SIZE) |
			(uint64_t)le32_at(bytes + AT_SIZE_HIGH) << 32,
	};
	/* With less blocks the place is not always zero. */
	if (ext2fs_has_feature_64bit(ext->fs->super))
		inode->xattr_block |= (uint64_t)le16_at(bytes + AT_XATTR_HIGH)
				      << 32;
	memcpy(inode->map, bytes + AT_MAP, sizeof(inode->map));
	/* The library does not change it, whatever its type says. */
	return ext->lib.inode_is_right(ext->fs, number, (void *)bytes);
}

int ext_inode_read(struct ext *ext, uint32_t number, struct ext_inode *inode)
{
	const struct ext2_super_block *super = ext->fs->super;
	uint32_t per_block = ext->block_size / ext->inode_size;
	uint32_t group, within;
	int ret;

	if (!number || number > super->s_inodes_count)
		return -ENODATA;
	group = (number - 1) / super->s_inodes_per_group;
	within = (number - 1) % super->s_inodes_per_group;
	ret = ext_read(ext, ext_inode_table(ext, group) + within / per_block, 1,
		       ext->table);
	if (ret < 0)
		return ret;
	return ext_inode_decode(ext, number,
				ext->table + (size_t)(within % per_block) *
						     ext->inode_size,
				inode) ?
		       0 :
		       -ENODATA;
}

/* What the data of an inode is; BLOCK_UNKNOWN: it has none. */
static enum block_kind kind_of(const struct ext *ext,
			       const struct ext_inode *inode)
{
	const struct ext2_super_block *super = ext->fs->super;
	uint32_t number = inode->number;

	if (inode->flags & EXT4_INLINE_DATA_FL)
		return BLOCK_UNKNOWN;
	if (number == super->s_journal_inum &&
	    ext2fs_has_feature_journal(ext->fs->super))
		return BLOCK_JOURNAL;
	if (number == EXT2_RESIZE_INO)
		return BLOCK_SUPER;
	if (number == EXT2_BAD_INO || number == super->s_usr_quota_inum ||
	    number == super->s_grp_quota_inum ||
	    number == super->s_prj_quota_inum ||
	    (number == super->s_orphan_file_inum &&
	     ext2fs_has_feature_orphan_file(ext->fs->super)))
		return BLOCK_OTHER;
	if (inode->flags & EXT4_EA_INODE_FL)
		return BLOCK_XATTR;
	if (S_ISDIR(inode->mode))
		return BLOCK_DIRECTORY;
	if (S_ISREG(inode->mode))
		return BLOCK_DATA;
	/* A short target is in the inode. */
	if (S_ISLNK(inode->mode) && (inode->flags & EXT4_EXTENTS_FL ||
				     inode->size >= sizeof(inode->map)))
		return BLOCK_SYMLINK;
	return BLOCK_UNKNOWN;
}

/* One inode, while its blocks are painted. */
struct painting {
	struct ext *ext;
	enum block_kind kind;
	uint64_t bytes;
};

static int paint_blocks(void *data, uint64_t logical __attribute__((unused)),
			uint64_t block, uint64_t count, bool is_map)
{
	struct painting *painting = data;

	painting->bytes += ext_paint(painting->ext, block, count,
				     is_map ? BLOCK_MAP : painting->kind,
				     PAINT_OWNER);
	return block_cache_is_late(painting->ext->cache) ? -ETIMEDOUT : 0;
}

/*
 * The resize inode has one block of its own. What that leads to, the layout
 * knows: the blocks reserved for descriptors.
 */
static void paint_resize(struct painting *painting,
			 const struct ext_inode *inode)
{
	uint64_t block = le32_at(inode->map + 4UL * EXT2_DIND_BLOCK);

	if (block && ext_has(painting->ext, block, 1))
		painting->bytes += ext_paint(painting->ext, block, 1, BLOCK_MAP,
					     PAINT_OWNER);
}

static void add_owner(struct ext_owners *owners, const struct ext_owner *owner)
{
	size_t place = owners->count;

	if (!owner->bytes)
		return;
	if (place == EXT_OWNERS) {
		if (owners->list[place - 1].bytes >= owner->bytes)
			return;
		place--;
	} else {
		owners->count++;
	}
	while (place && owners->list[place - 1].bytes < owner->bytes) {
		owners->list[place] = owners->list[place - 1];
		place--;
	}
	owners->list[place] = *owner;
}

static int paint_inode(struct ext *ext, const struct ext_inode *inode,
		       struct ext_owners *owners)
{
	struct painting painting = {
		.ext = ext,
		.kind = kind_of(ext, inode),
	};
	int ret = 0;

	if (inode->number == EXT2_RESIZE_INO)
		paint_resize(&painting, inode);
	else if (painting.kind != BLOCK_UNKNOWN)
		ret = ext_map_walk(ext, inode, paint_blocks, &painting);
	if (inode->xattr_block && ext_has(ext, inode->xattr_block, 1))
		painting.bytes += ext_paint(ext, inode->xattr_block, 1,
					    BLOCK_XATTR, PAINT_OWNER);
	add_owner(owners, &(struct ext_owner){ .inode = inode->number,
					       .kind = painting.kind,
					       .bytes = painting.bytes });
	return ret;
}

/*
 * Whether the inode has blocks. One that was unlinked while it was open has no
 * links, and neither has one that is left from a file that is gone.
 */
static int is_used(struct ext *ext, const struct ext_inode *inode,
		   uint32_t group, uint32_t within, bool *used)
{
	const struct ext_bitmap *bitmap = &ext->inode_bitmap;
	int ret;

	*used = inode->links;
	if (*used || !inode->mode)
		return 0;
	ret = ext_bitmap_read(ext, &ext->inode_bitmap, group);
	*used = bitmap->is_known && !bitmap->is_unused &&
		bitmap->bytes[within / 8] >> within % 8 & 1;
	return ret;
}

/* Paints what the inodes in ext->table have, from @within in @group on. */
static int paint_table(struct ext *ext, uint32_t group, uint32_t within,
		       uint32_t end, struct ext_owners *owners)
{
	uint32_t first = group * ext->fs->super->s_inodes_per_group + 1;
	const unsigned char *bytes = ext->table;
	int ret = 0;

	for (size_t left = ext->block_size / ext->inode_size;
	     !ret && left && within < end;
	     left--, within++, bytes += ext->inode_size) {
		struct ext_inode inode;
		bool used = false;

		/* Most of a table is not in use, or of small files. */
		if (!le16_at(bytes + AT_MODE) && first + within > EXT2_BAD_INO)
			continue;
		if (ext_inode_decode(ext, first + within, bytes, &inode))
			ret = is_used(ext, &inode, group, within, &used);
		/* The list of bad blocks has no links. */
		if (!ret && (used || inode.number == EXT2_BAD_INO))
			ret = paint_inode(ext, &inode, owners);
	}
	return ret;
}

/* How many inodes of a group may be in use. */
static uint32_t inodes_of(struct ext *ext, uint32_t group)
{
	uint32_t all = ext->fs->super->s_inodes_per_group, unused;

	if (!ext2fs_has_group_desc_csum(ext->fs))
		return all;
	if (ext->lib.group_flags(ext->fs, group, EXT2_BG_INODE_UNINIT))
		return 0;
	unused = ext->lib.unused_inodes(ext->fs, group);
	return unused < all ? all - unused : 0;
}

/* The first block from @block on that is cached, in part at least, or @end. */
static uint64_t next_cached(const struct ext *ext, uint64_t block, uint64_t end)
{
	const struct block_cache *cache = ext->cache;
	size_t which = block_cache_find(cache, block * ext->block_size /
						       cache->page_size);
	uint64_t next = end;

	if (block < end && which < cache->count)
		next = cached_page_index(&cache->pages[which]) *
		       cache->page_size / ext->block_size;
	if (next < block)
		next = block;
	return next < end ? next : end;
}

/* Counts the cached blocks of the group's inode table, or reads them. */
static int paint_group(struct ext *ext, uint32_t group, bool reads,
		       struct ext_owners *owners)
{
	uint32_t per_block = ext->block_size / ext->inode_size;
	uint64_t table = ext_inode_table(ext, group);
	uint32_t inodes = inodes_of(ext, group);
	uint64_t end = table + (inodes + per_block - 1) / per_block;
	int ret = 0;

	if (!ext_has(ext, table, ext->fs->inode_blocks_per_group) ||
	    !ext_group_is_right(ext, group))
		return 0;
	for (uint64_t block = next_cached(ext, table, end); !ret && block < end;
	     block = next_cached(ext, block + 1, end)) {
		if (!reads) {
			owners->table_blocks++;
			continue;
		}
		ret = ext_read(ext, block, 1, ext->table);
		if (ret == -ETIMEDOUT)
			break;
		owners->read_blocks++;
		if (!ret)
			ret = paint_table(ext, group,
					  (uint32_t)(block - table) * per_block,
					  inodes, owners);
		if (ret == -ENODATA)
			ret = 0;
	}
	return ret;
}

int ext_owners_paint(struct ext *ext, struct ext_owners *owners)
{
	uint32_t groups = ext->fs->group_desc_count;
	size_t step = block_cache_step(groups), group = 0;
	int ret = 0;

	*owners = (struct ext_owners){ 0 };
	for (uint32_t i = 0; !ret && i < groups; i++)
		ret = paint_group(ext, i, false, owners);
	for (uint32_t i = 0; !ret && i < groups; i++) {
		ret = paint_group(ext, (uint32_t)group, true, owners);
		group = (group + step) % groups;
	}
	return ret;
}

int ext_owners_name(struct ext *ext, struct ext_owners *owners)
{
	int ret = 0;

	for (size_t i = 0; !ret && i < owners->count; i++) {
		struct ext_owner *owner = &owners->list[i];

		if (owner->kind == BLOCK_DIRECTORY)
			ret = ext_path(ext, owner->inode, &owner->path);
	}
	return ret;
}

void ext_owners_deinit(struct ext_owners *owners)
{
	for (size_t i = 0; i < owners->count; i++)
		free(owners->list[i].path);
	*owners = (struct ext_owners){ 0 };
}
