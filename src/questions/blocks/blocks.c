// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "blocks/blocks.h"
#include "blocks/looks.h"
#include "blocks/other_fs.h"
#include "lib/byte_order.h"
#include "lib/error.h"

/* The ends of the phases, in percent of the time. */
enum { END_LOOK = 40, END_OWNERS = 75, END_ALL = 95 };

/* The superblock's magic number, bytes. */
#define EXT_MAGIC_AT (SUPERBLOCK_OFFSET + 56)

struct classifying {
	struct blocks *blocks;
	struct block_cache *cache;
	uint64_t device_bytes;
	int64_t began_ns;
	int64_t budget_ns;
	struct ext ext;
};

static void begin_phase(const struct classifying *all, int percent)
{
	block_cache_set_deadline(all->cache,
				 all->budget_ns ?
					 all->began_ns + all->budget_ns / 100 *
								 percent :
					 0);
}

static const char *ext_name(const struct ext *ext)
{
	struct ext2_super_block *super = ext->fs->super;

	if (ext2fs_has_feature_extents(super) ||
	    ext2fs_has_feature_64bit(super) ||
	    ext2fs_has_feature_flex_bg(super) ||
	    ext2fs_has_feature_gdt_csum(super) ||
	    ext2fs_has_feature_metadata_csum(super) ||
	    ext2fs_has_feature_journal_dev(super))
		return "ext4";
	return ext2fs_has_feature_journal(super) ? "ext3" : "ext2";
}

static void count_inodes(struct classifying *all)
{
	struct ext *ext = &all->ext;
	uint64_t free_inodes = 0;

	for (uint32_t i = 0; i < ext->fs->group_desc_count; i++)
		free_inodes += ext->lib.free_inodes(ext->fs, i);
	all->blocks->has_inodes = ext->fs->group_desc_count &&
				  free_inodes <= ext->fs->super->s_inodes_count;
	if (all->blocks->has_inodes)
		all->blocks->inodes =
			ext->fs->super->s_inodes_count - free_inodes;
}

/* The time being over, less is known, but what is known is right. */
static int unless_late(int ret)
{
	return ret == -ETIMEDOUT ? 0 : ret;
}

static int look_at_all(const struct classifying *all)
{
	begin_phase(all, END_LOOK);
	return block_cache_look(all->cache);
}

static int paint_ext(struct classifying *all)
{
	struct ext *ext = &all->ext;
	int ret = look_at_all(all);

	all->blocks->fstype = ext_name(ext);
	count_inodes(all);
	begin_phase(all, END_OWNERS);
	if (!ret)
		ret = unless_late(ext_layout_paint(ext));
	if (!ret)
		ret = unless_late(ext_owners_paint(ext, &all->blocks->owners));
	begin_phase(all, END_ALL);
	if (!ret)
		ret = unless_late(ext_free_paint(ext));
	return ret ? ret : ext_owners_name(ext, &all->blocks->owners);
}

static bool is_ext(const struct classifying *all)
{
	unsigned char magic[2];

	return block_cache_read(all->cache, EXT_MAGIC_AT, sizeof(magic),
				magic) == 0 &&
	       le16_at(magic) == EXT2_SUPER_MAGIC;
}

/* Whether the page with the superblock of most filesystems is cached. */
static bool has_start(const struct block_cache *cache)
{
	return cache->count && cached_page_index(&cache->pages[0]) == 0;
}

static int paint_others(struct classifying *all)
{
	struct block_cache *cache = all->cache;
	int ret = block_cache_set_unit(cache, cache->page_size);

	if (!ret)
		ret = look_at_all(all);
	begin_phase(all, END_OWNERS);
	if (!ret && has_start(cache))
		other_fs_paint(cache, all->device_bytes, &all->blocks->fstype);
	else if (!ret && cache->count)
		snprintf(all->blocks->why, sizeof(all->blocks->why),
			 "its first page is not cached, so nothing tells what "
			 "is on it");
	return ret;
}

static void explain(struct classifying *all, const struct error *err)
{
	char text[ERROR_TEXT_SIZE];

	error_text(err, text);
	if (strlen(text) >= sizeof(all->blocks->why))
		text[sizeof(all->blocks->why) - 1] = '\0';
	memcpy(all->blocks->why, text, strlen(text) + 1);
}

static int paint(struct classifying *all)
{
	struct block_cache *cache = all->cache;
	struct error err = { 0 };
	int ret;

	begin_phase(all, END_LOOK);
	if (!is_ext(all))
		return paint_others(all);
	ret = ext_open(&all->ext, cache, all->device_bytes, &err);
	if (!ret)
		return paint_ext(all);
	if (ret == -ENOMEM)
		return ret;
	explain(all, &err);
	ret = block_cache_set_unit(cache, cache->page_size);
	return ret ? ret : look_at_all(all);
}

static bool is_unowned(enum block_kind kind)
{
	return kind == BLOCK_UNKNOWN || kind == BLOCK_IN_USE;
}

static void count_units(struct classifying *all)
{
	struct blocks *blocks = all->blocks;

	for (size_t i = 0; i < block_cache_units(all->cache); i++) {
		enum block_kind kind = block_cache_kind(all->cache, i);

		blocks->bytes[kind] += all->cache->unit;
		blocks->unowned_units += is_unowned(kind);
	}
}

/* Looks into blocks without an owner, a few neighbours here and there. */
static int look_into_unowned(struct classifying *all)
{
	struct block_cache *cache = all->cache;
	const size_t run = 64;
	size_t units = block_cache_units(cache);
	size_t chunks = (units + run - 1) / run, chunk = 0;
	size_t step = block_cache_step(chunks);
	unsigned char *bytes = malloc(cache->unit);
	int ret = bytes ? 0 : -ENOMEM;

	for (size_t i = 0; !ret && i < chunks; i++) {
		size_t end = chunk * run + run;

		for (size_t unit = chunk * run;
		     !ret && unit < end && unit < units; unit++) {
			enum block_kind kind = block_cache_kind(cache, unit);

			if (!is_unowned(kind))
				continue;
			ret = block_cache_read(cache,
					       block_cache_offset(cache, unit),
					       cache->unit, bytes);
			if (ret == -ENODATA)
				ret = 0;
			else if (!ret)
				all->blocks->looks[kind][block_look_of(
					bytes, cache->unit)] += cache->unit;
			all->blocks->looked_units += !ret;
		}
		chunk = (chunk + step) % chunks;
	}
	free(bytes);
	return unless_late(ret);
}

int blocks_init(struct blocks *blocks, struct block_cache *cache,
		uint64_t device_bytes, int64_t began_ns, int64_t budget_ns)
{
	struct classifying all = {
		.blocks = blocks,
		.cache = cache,
		.device_bytes = device_bytes,
		.began_ns = began_ns,
		.budget_ns = budget_ns,
	};
	int ret;

	*blocks = (struct blocks){ 0 };
	ret = paint(&all);
	ext_close(&all.ext);
	if (ret < 0)
		return ret;
	count_units(&all);
	begin_phase(&all, END_ALL);
	return look_into_unowned(&all);
}

void blocks_deinit(struct blocks *blocks)
{
	ext_owners_deinit(&blocks->owners);
}

bool blocks_are_whole(const struct blocks *blocks)
{
	return !blocks->bytes[BLOCK_UNSEEN] &&
	       blocks->owners.read_blocks == blocks->owners.table_blocks;
}

void blocks_strip(const struct block_cache *cache, uint64_t device_bytes,
		  struct blocks_part *parts, size_t count)
{
	uint64_t size = device_bytes / count + 1, bytes[BLOCK_KINDS] = { 0 };
	size_t part = 0;

	memset(parts, 0, count * sizeof(*parts));
	for (size_t i = 0; i < block_cache_units(cache); i++) {
		enum block_kind kind = block_cache_kind(cache, i);
		size_t at = (size_t)(block_cache_offset(cache, i) / size);

		if (at >= count)
			at = count - 1;
		if (at != part)
			memset(bytes, 0, sizeof(bytes));
		part = at;
		bytes[kind] += cache->unit;
		parts[at].bytes += cache->unit;
		if (bytes[kind] >= bytes[parts[at].kind])
			parts[at].kind = kind;
	}
}

bool blocks_next_run(const struct block_cache *cache, size_t *which,
		     struct blocks_run *run)
{
	size_t units = block_cache_units(cache);

	if (*which >= units)
		return false;
	*run = (struct blocks_run){
		.offset = block_cache_offset(cache, *which),
		.kind = block_cache_kind(cache, *which),
	};
	do {
		run->bytes += cache->unit;
		++*which;
	} while (*which < units &&
		 block_cache_kind(cache, *which) == run->kind &&
		 block_cache_offset(cache, *which) == run->offset + run->bytes);
	return true;
}
