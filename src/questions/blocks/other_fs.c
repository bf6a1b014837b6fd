// SPDX-License-Identifier: GPL-2.0-or-later
#include <stdbool.h>
#include <string.h>

#include "blocks/block_cache.h"
#include "blocks/other_fs.h"
#include "lib/byte_order.h"
#include "lib/crc32c.h"

/* XFS; struct xfs_dsb, bytes. */
enum {
	XFS_BLOCK_SIZE = 4,
	XFS_BLOCKS = 8,
	XFS_LOG_START = 48,
	XFS_GROUP_BLOCKS = 84,
	XFS_GROUPS = 88,
	XFS_LOG_BLOCKS = 96,
	XFS_VERSION = 100,
	XFS_SECTOR = 102,
	XFS_GROUP_BITS = 124,
	XFS_CHECKSUM = 224,
	XFS_SECTOR_MOST = 32768,
};
/* Sectors at the start of a group: superblock, free space, inodes, free list. */
#define XFS_HEADERS 4

/* btrfs; struct btrfs_super_block, bytes. */
enum {
	BTRFS_SUPER = 65536,
	BTRFS_SIZE = 4096,
	BTRFS_CHECKED = 32, /* from there on */
	BTRFS_MAGIC = 64,
	BTRFS_CHECKSUM_TYPE = 196,
};

/* The checksum is of the whole sector, with zeros in its own place. */
static bool xfs_is_right(struct block_cache *cache, const unsigned char *super)
{
	static const unsigned char zeros[4];
	unsigned char sector[XFS_SECTOR_MOST];
	size_t size = be16_at(super + XFS_SECTOR);
	uint32_t sum;

	if (size < 512 || size > sizeof(sector) || size & (size - 1))
		return false;
	if ((be16_at(super + XFS_VERSION) & 0xf) < 5)
		return true;
	if (block_cache_read(cache, 0, size, sector) < 0)
		return false;
	sum = crc32c(0, sector, XFS_CHECKSUM);
	sum = crc32c(sum, zeros, sizeof(zeros));
	sum = crc32c(sum, sector + XFS_CHECKSUM + 4, size - XFS_CHECKSUM - 4);
	return sum == le32_at(sector + XFS_CHECKSUM);
}

static bool paint_xfs(struct block_cache *cache, uint64_t device_bytes)
{
	unsigned char super[512];
	uint64_t block, blocks, group_blocks, log, log_group, headers;
	unsigned int group_bits;
	uint32_t groups;

	if (block_cache_read(cache, 0, sizeof(super), super) < 0 ||
	    memcmp(super, "XFSB", 4) != 0 || !xfs_is_right(cache, super))
		return false;
	block = be32_at(super + XFS_BLOCK_SIZE);
	blocks = be64_at(super + XFS_BLOCKS);
	groups = be32_at(super + XFS_GROUPS);
	group_blocks = be32_at(super + XFS_GROUP_BLOCKS);
	group_bits = super[XFS_GROUP_BITS];
	if (block < 512 || block > 65536 || block & (block - 1) || !groups ||
	    !group_blocks || group_bits > 31 ||
	    blocks > (device_bytes ?: INT64_MAX) / block ||
	    groups > blocks / group_blocks + 1)
		return false;
	headers = XFS_HEADERS * (uint64_t)be16_at(super + XFS_SECTOR);
	for (uint32_t i = 0; i < groups; i++)
		block_cache_paint(cache, i * group_blocks * block, headers,
				  BLOCK_SUPER, PAINT_LAYOUT);
	/* An external log starts at 0. */
	log = be64_at(super + XFS_LOG_START);
	log_group = log >> group_bits;
	if (log && log_group < groups)
		block_cache_paint(cache,
				  (log_group * group_blocks +
				   (log & ((1ULL << group_bits) - 1))) *
					  block,
				  be32_at(super + XFS_LOG_BLOCKS) * block,
				  BLOCK_JOURNAL, PAINT_LAYOUT);
	return true;
}

static bool paint_btrfs(struct block_cache *cache)
{
	static const uint64_t supers[] = { BTRFS_SUPER, 64ULL << 20,
					   256ULL << 30 };
	unsigned char super[BTRFS_SIZE];

	if (block_cache_read(cache, BTRFS_SUPER, sizeof(super), super) < 0 ||
	    memcmp(super + BTRFS_MAGIC, "_BHRfS_M", 8) != 0)
		return false;
	/* CRC32C; others are not computed here. */
	if (!le16_at(super + BTRFS_CHECKSUM_TYPE) &&
	    crc32c(0, super + BTRFS_CHECKED, sizeof(super) - BTRFS_CHECKED) !=
		    le32_at(super))
		return false;
	for (size_t i = 0; i < sizeof(supers) / sizeof(*supers); i++)
		block_cache_paint(cache, supers[i], BTRFS_SIZE, BLOCK_SUPER,
				  PAINT_LAYOUT);
	return true;
}

static bool paint_swap(struct block_cache *cache)
{
	char magic[10];

	if (block_cache_read(cache, cache->page_size - sizeof(magic),
			     sizeof(magic), magic) < 0 ||
	    memcmp(magic, "SWAPSPACE2", sizeof(magic)) != 0)
		return false;
	block_cache_paint(cache, 0, cache->page_size, BLOCK_SUPER,
			  PAINT_LAYOUT);
	return true;
}

void other_fs_paint(struct block_cache *cache, uint64_t device_bytes,
		    const char **fstype)
{
	*fstype = NULL;
	if (paint_xfs(cache, device_bytes))
		*fstype = "xfs";
	else if (paint_btrfs(cache))
		*fstype = "btrfs";
	else if (paint_swap(cache))
		*fstype = "swap";
	block_cache_paint(cache, 0, UINT64_MAX, BLOCK_RAW, PAINT_LAYOUT);
}
