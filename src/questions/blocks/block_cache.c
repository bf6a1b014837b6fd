// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "blocks/block_cache.h"
#include "kernel/page_contents.h"
#include "lib/monotonic.h"

/* Pages that are looked at together. */
#define CHUNK 8192

int block_cache_init(struct block_cache *cache)
{
	cache->page_at = SIZE_MAX;
	cache->page = malloc(cache->page_size);
	return cache->page ? 0 : -ENOMEM;
}

void block_cache_deinit(struct block_cache *cache)
{
	free(cache->page);
	free(cache->kinds);
	cache->page = NULL;
	cache->kinds = NULL;
}

int block_cache_set_unit(struct block_cache *cache, uint32_t unit)
{
	free(cache->kinds);
	cache->unit = unit < cache->page_size ? unit : cache->page_size;
	cache->units_per_page = cache->page_size / cache->unit;
	cache->kinds = calloc(cache->count + 1, cache->units_per_page);
	return cache->kinds ? 0 : -ENOMEM;
}

void block_cache_set_deadline(struct block_cache *cache, int64_t deadline_ns)
{
	cache->deadline_ns = deadline_ns;
	cache->is_late = false;
}

/* Looks at the clock at every 16th call: a step takes some microseconds. */
bool block_cache_is_late(struct block_cache *cache)
{
	if (!cache->is_late && cache->deadline_ns && cache->steps++ % 16 == 0)
		cache->is_late = monotonic_ns() >= cache->deadline_ns;
	return cache->is_late;
}

size_t block_cache_find(const struct block_cache *cache, uint64_t index)
{
	size_t first = 0, end = cache->count;

	while (first < end) {
		size_t middle = first + (end - first) / 2;

		if (cached_page_index(&cache->pages[middle]) < index)
			first = middle + 1;
		else
			end = middle;
	}
	return first;
}

static size_t common_divisor(size_t a, size_t b)
{
	while (b) {
		size_t rest = a % b;

		a = b;
		b = rest;
	}
	return a;
}

size_t block_cache_step(size_t count)
{
	/* The golden section. */
	size_t step = count / 1000 * 618 + count % 1000 * 618 / 1000;

	if (!step)
		step = 1;
	while (common_divisor(step, count) != 1)
		step++;
	return step;
}

static void set_units(struct block_cache *cache, size_t page, uint64_t from,
		      uint64_t size, unsigned int flag)
{
	unsigned char *units = cache->kinds + page * cache->units_per_page;

	for (uint64_t unit = from / cache->unit;
	     unit * cache->unit < from + size && unit < cache->units_per_page;
	     unit++)
		units[unit] |= (unsigned char)flag;
}

static void set_gone(void *data, size_t which)
{
	struct block_cache *cache = data;

	set_units(cache, which, 0, cache->page_size, UNIT_GONE);
}

static void set_unread(void *data, size_t which, uint64_t offset, uint64_t size)
{
	set_units(data, which, offset, size, UNIT_UNREAD);
}

static void set_unseen(struct block_cache *cache, size_t first, size_t count)
{
	memset(cache->kinds + first * cache->units_per_page, BLOCK_UNSEEN,
	       count * cache->units_per_page);
}

int block_cache_look(struct block_cache *cache)
{
	const struct page_look look = { set_gone, set_unread, cache };
	size_t chunks = (cache->count + CHUNK - 1) / CHUNK, chunk = 0;
	size_t step = block_cache_step(chunks);
	int ret = 0;

	if (!cache->look)
		return 0;
	for (size_t i = 0; i < chunks; i++) {
		size_t first = chunk * CHUNK;
		size_t count = cache->count - first;

		if (count > CHUNK)
			count = CHUNK;
		if (!ret && cache->deadline_ns &&
		    monotonic_ns() >= cache->deadline_ns)
			ret = -ETIMEDOUT;
		if (!ret)
			ret = cache->look(cache->data, first, count, &look);
		if (ret == -ETIMEDOUT)
			set_unseen(cache, first, count);
		else if (ret < 0)
			return ret;
		chunk = (chunk + step) % chunks;
	}
	return 0;
}

enum block_kind block_cache_kind(const struct block_cache *cache, size_t which)
{
	unsigned int unit = cache->kinds[which];

	if (unit & UNIT_GONE)
		return BLOCK_GONE;
	if ((unit & UNIT_KIND) == BLOCK_UNSEEN)
		return BLOCK_UNSEEN;
	if (unit & UNIT_UNREAD)
		return BLOCK_UNREAD;
	return unit & UNIT_CONFLICT ? BLOCK_UNKNOWN : unit & UNIT_KIND;
}

/* Reads the page at @which, unless it is the one that was read last. */
static int read_page(struct block_cache *cache, size_t which)
{
	int ret;

	if (cache->page_at == which)
		return 0;
	cache->page_at = SIZE_MAX;
	ret = cache->read(cache->data, which, cache->page, &cache->page_valid);
	if (ret == -ETIMEDOUT)
		cache->is_late = true;
	if (!ret)
		cache->page_at = which;
	return ret == -ESTALE ? -ENODATA : ret;
}

void block_cache_forget(struct block_cache *cache)
{
	cache->page_at = SIZE_MAX;
}

static bool is_valid(uint64_t valid, size_t from, size_t size)
{
	for (size_t part = from / CONTENTS_PART;
	     part * CONTENTS_PART < from + size; part++) {
		if (!(valid >> part & 1))
			return false;
	}
	return true;
}

int block_cache_read(struct block_cache *cache, uint64_t offset, size_t size,
		     void *bytes)
{
	unsigned char *to = bytes;

	while (size) {
		size_t from = (size_t)(offset % cache->page_size);
		size_t part = cache->page_size - from;
		uint64_t index = offset / cache->page_size;
		size_t which = block_cache_find(cache, index);
		int ret;

		if (part > size)
			part = size;
		if (which == cache->count ||
		    cached_page_index(&cache->pages[which]) != index)
			return -ENODATA;
		if (block_cache_is_late(cache))
			return -ETIMEDOUT;
		ret = read_page(cache, which);
		if (ret < 0)
			return ret;
		if (!is_valid(cache->page_valid, from, part))
			return -ENODATA;
		memcpy(to, cache->page + from, part);
		to += part;
		offset += part;
		size -= part;
	}
	return 0;
}

static bool is_layout(unsigned int kind)
{
	return kind >= BLOCK_SUPER && kind <= BLOCK_OTHER;
}

/* Returns whether the unit is of that kind now. */
static bool paint_unit(unsigned char *unit, enum block_kind kind,
		       enum paint paint)
{
	unsigned int old = *unit & UNIT_KIND;

	if (old == kind)
		return true;
	if (old == BLOCK_UNKNOWN) {
		*unit = (unsigned char)((*unit & ~UNIT_KIND) | kind);
		return true;
	}
	if (paint == PAINT_OWNER && !is_layout(old))
		*unit |= UNIT_CONFLICT;
	return false;
}

uint64_t block_cache_paint(struct block_cache *cache, uint64_t offset,
			   uint64_t size, enum block_kind kind,
			   enum paint paint)
{
	uint64_t end = offset + size, painted = 0;
	size_t which = block_cache_find(cache, offset / cache->page_size) *
		       cache->units_per_page;

	if (end < offset)
		return 0;
	for (; which < block_cache_units(cache); which++) {
		uint64_t start = block_cache_offset(cache, which);

		if (start >= end)
			break;
		if (start >= offset &&
		    paint_unit(&cache->kinds[which], kind, paint) &&
		    block_cache_kind(cache, which) == kind)
			painted += cache->unit;
	}
	return painted;
}
