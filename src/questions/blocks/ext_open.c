// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "blocks/ext.h"
#include "lib/byte_order.h"
#include "lib/error.h"

/* The superblock or a descriptor may change while it is read. */
#define ATTEMPTS 3

#define ADDRESS_TEXT 32

/*
 * libext2fs gets what it reads from the cache, through an I/O manager. A
 * manager's open() is given a name and nothing else, so the name is the address
 * of the cache.
 */
static errcode_t io_open(const char *name, int flags __attribute__((unused)),
			 io_channel *channel);

static errcode_t io_close(io_channel channel)
{
	if (--channel->refcount > 0)
		return 0;
	free(channel->name);
	free(channel);
	return 0;
}

static errcode_t io_set_block_size(io_channel channel, int size)
{
	channel->block_size = size;
	return 0;
}

/* A negative @count is a number of bytes. */
static errcode_t io_read64(io_channel channel, unsigned long long block,
			   int count, void *data)
{
	uint64_t unit = (uint64_t)channel->block_size, offset;
	size_t size = count < 0 ? (size_t) - (int64_t)count :
				  (size_t)count * unit;

	if (__builtin_mul_overflow(block, unit, &offset) ||
	    block_cache_read(channel->private_data, offset, size, data) < 0)
		return EXT2_ET_SHORT_READ;
	return 0;
}

static errcode_t io_read(io_channel channel, unsigned long block, int count,
			 void *data)
{
	return io_read64(channel, block, count, data);
}

static errcode_t io_write(io_channel channel __attribute__((unused)),
			  unsigned long block __attribute__((unused)),
			  int count __attribute__((unused)),
			  const void *data __attribute__((unused)))
{
	return EXT2_ET_RO_FILSYS;
}

static errcode_t io_write64(io_channel channel __attribute__((unused)),
			    unsigned long long block __attribute__((unused)),
			    int count __attribute__((unused)),
			    const void *data __attribute__((unused)))
{
	return EXT2_ET_RO_FILSYS;
}

static errcode_t io_flush(io_channel channel __attribute__((unused)))
{
	return 0;
}

static const struct struct_io_manager manager = {
	.magic = EXT2_ET_MAGIC_IO_MANAGER,
	.name = "cached blocks",
	.open = io_open,
	.close = io_close,
	.set_blksize = io_set_block_size,
	.read_blk = io_read,
	.write_blk = io_write,
	.flush = io_flush,
	.read_blk64 = io_read64,
	.write_blk64 = io_write64,
};

static errcode_t io_open(const char *name, int flags __attribute__((unused)),
			 io_channel *channel)
{
	io_channel opened = calloc(1, sizeof(*opened));
	void *cache;

	if (!opened || sscanf(name, "%p", &cache) != 1) {
		free(opened);
		return EXT2_ET_NO_MEMORY;
	}
	opened->magic = EXT2_ET_MAGIC_IO_CHANNEL;
	opened->manager = (io_manager)&manager;
	opened->name = strdup(name);
	opened->block_size = SUPERBLOCK_OFFSET;
	opened->refcount = 1;
	opened->private_data = cache;
	if (!opened->name) {
		free(opened);
		return EXT2_ET_NO_MEMORY;
	}
	*channel = opened;
	return 0;
}

static int explain(const struct ext *ext, errcode_t code, struct error *err)
{
	switch (code) {
	case EXT2_ET_NO_MEMORY:
		return error_errno(err, ENOMEM, NULL, NULL);
	case EXT2_ET_SHORT_READ:
		return error_set(err, ENODATA,
				 "its superblock and group descriptors are not "
				 "all cached");
	case EXT2_ET_UNSUPP_FEATURE:
	case EXT2_ET_RO_UNSUPP_FEATURE:
		return error_advise(err, ERROR_UNUSABLE, NULL, NULL,
				    "a newer libext2fs",
				    "it has features that this "
				    "libext2fs does not know");
	default:
		return error_set(err, ENODATA,
				 "its cached superblock cannot be used: %s",
				 ext->lib.error_message(code));
	}
}

static int open_cached(struct ext *ext, struct error *err)
{
	char name[ADDRESS_TEXT];
	errcode_t code = 0;

	snprintf(name, sizeof(name), "%p", (void *)ext->cache);
	for (int i = 0; i < ATTEMPTS; i++) {
		ext->fs = NULL;
		code = ext->lib.open(name, NULL,
				     EXT2_FLAG_64BITS | EXT2_FLAG_SKIP_MMP |
					     EXT2_FLAG_JOURNAL_DEV_OK,
				     0, 0, (io_manager)&manager, &ext->fs);
		if (!code)
			return 0;
		block_cache_forget(ext->cache);
	}
	ext->fs = NULL;
	return explain(ext, code, err);
}

/* Places in the superblock, bytes; struct ext2_super_block. */
enum {
	AT_BLOCKS = 0x04,
	AT_LOG_BLOCK_SIZE = 0x18,
	AT_BLOCKS_PER_GROUP = 0x20,
	AT_INCOMPATIBLE = 0x60,
	AT_BLOCKS_HIGH = 0x150,
};
/* The least that mke2fs makes; a journal's device has none. */
#define LEAST_PER_GROUP 256
#define MOST_LOG_SIZE 6

/*
 * Whether the filesystem fits on the device. The library would believe it, and
 * take memory for all groups that the superblock claims.
 */
static int check_size(struct block_cache *cache, uint64_t device_bytes,
		      struct error *err)
{
	unsigned char super[SUPERBLOCK_SIZE];
	uint32_t log_size, per_group, incompatible;
	uint64_t blocks;

	if (block_cache_read(cache, SUPERBLOCK_OFFSET, sizeof(super), super) <
	    0)
		return error_set(err, ENODATA,
				 "its superblock cannot be read from the "
				 "cache");
	blocks = le32_at(super + AT_BLOCKS);
	log_size = le32_at(super + AT_LOG_BLOCK_SIZE);
	per_group = le32_at(super + AT_BLOCKS_PER_GROUP);
	incompatible = le32_at(super + AT_INCOMPATIBLE);
	if (incompatible & EXT4_FEATURE_INCOMPAT_64BIT)
		blocks |= (uint64_t)le32_at(super + AT_BLOCKS_HIGH) << 32;
	if (log_size > MOST_LOG_SIZE ||
	    (per_group < LEAST_PER_GROUP &&
	     !(incompatible & EXT3_FEATURE_INCOMPAT_JOURNAL_DEV)))
		return error_set(err, ENODATA,
				 "its cached superblock cannot be right");
	if (device_bytes && blocks > device_bytes >> (10 + log_size))
		return error_set(err, ENODATA,
				 "its cached superblock has more blocks than "
				 "the device");
	return 0;
}

static int make_room(struct ext *ext)
{
	ext->table = malloc(ext->block_size);
	ext->block_bitmap.bytes = malloc(ext->block_size);
	ext->inode_bitmap.bytes = malloc(ext->block_size);
	if (!ext->table || !ext->block_bitmap.bytes || !ext->inode_bitmap.bytes)
		return -ENOMEM;
	for (int i = 0; i < EXT_LEVELS; i++) {
		ext->levels[i] = malloc(ext->block_size);
		if (!ext->levels[i])
			return -ENOMEM;
	}
	return 0;
}

int ext_open(struct ext *ext, struct block_cache *cache, uint64_t device_bytes,
	     struct error *err)
{
	int ret;

	*ext = (struct ext){ .cache = cache };
	ret = libext2fs_init(&ext->lib, err);
	if (!ret)
		ret = check_size(cache, device_bytes, err);
	if (!ret)
		ret = open_cached(ext, err);
	if (ret < 0)
		return ret;
	ext->block_size = ext->fs->blocksize;
	ext->blocks = ext->lib.blocks_count(ext->fs->super);
	ext->first_block = ext->fs->super->s_first_data_block;
	ext->inode_size = (uint32_t)EXT2_INODE_SIZE(ext->fs->super);
	ext->cluster_bits = ext->fs->super->s_log_cluster_size -
			    ext->fs->super->s_log_block_size;
	if (make_room(ext) < 0 ||
	    block_cache_set_unit(cache, ext->block_size) < 0)
		return error_errno(err, ENOMEM, NULL, NULL);
	ext->map_reads = 4 * (uint64_t)block_cache_units(cache) + 1024;
	return 0;
}

void ext_close(struct ext *ext)
{
	if (ext->fs)
		ext->lib.free(ext->fs);
	for (int i = 0; i < EXT_LEVELS; i++)
		free(ext->levels[i]);
	free(ext->table);
	free(ext->block_bitmap.bytes);
	free(ext->inode_bitmap.bytes);
	libext2fs_deinit(&ext->lib);
	*ext = (struct ext){ 0 };
}

int ext_read(struct ext *ext, uint64_t block, uint64_t count, void *bytes)
{
	if (!ext_has(ext, block, count))
		return -ENODATA;
	return block_cache_read(ext->cache, block * ext->block_size,
				(size_t)count * ext->block_size, bytes);
}

uint64_t ext_paint(struct ext *ext, uint64_t block, uint64_t count,
		   enum block_kind kind, enum paint paint)
{
	return block_cache_paint(ext->cache, block * ext->block_size,
				 count * ext->block_size, kind, paint);
}
