/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What is cached of a device, as the classification of its blocks sees it: the
 * pages, their contents where they can be had, and a kind for each part of
 * each. It knows nothing of where the contents come from, and nothing of what
 * is not cached is ever read.
 */
#ifndef BUFSTAT_BLOCK_CACHE_H
#define BUFSTAT_BLOCK_CACHE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "blocks/block_kind.h"
#include "kernel/cached_pages.h"

struct page_look;

struct block_cache {
	/* The caller's. */
	const struct cached_page *pages; /* sorted by index, each once */
	size_t count;
	uint32_t page_size; /* bytes */
	/*
	 * Reads the page at @which into @bytes, and sets a bit in *@valid for
	 * each part of CONTENTS_PART that was read from the disk. Returns 0, or
	 * a negative errno as page_contents_read().
	 */
	int (*read)(void *data, size_t which, void *bytes, uint64_t *valid);
	/*
	 * Tells which of @count pages from @first on are not all read from the
	 * disk, as page_contents_look(). NULL: they all are.
	 */
	int (*look)(void *data, size_t first, size_t count,
		    const struct page_look *look);
	void *data;
	/* CLOCK_MONOTONIC; nothing is read later. 0: there is none. */
	int64_t deadline_ns;
	/* The kinds; see block_cache_set_unit(). */
	uint32_t unit; /* bytes */
	uint32_t units_per_page;
	unsigned char *kinds; /* of each unit; enum block_kind and flags */
	/* For block_cache.c only. */
	unsigned char *page; /* contents of the one read last */
	size_t page_at; /* which that is, or SIZE_MAX */
	uint64_t page_valid;
	unsigned int steps;
	bool is_late;
};

enum {
	UNIT_KIND = 0x1f, /* the bits of enum block_kind */
	UNIT_CONFLICT = 0x20, /* owners of different kinds say it is theirs */
	UNIT_UNREAD = 0x40, /* never read from the disk */
	UNIT_GONE = 0x80, /* not the device's page any more */
};

/*
 * Takes what the caller set of @cache. Returns 0 or -ENOMEM; the caller deinits
 * it in either case.
 */
int block_cache_init(struct block_cache *cache);
void block_cache_deinit(struct block_cache *cache);

/*
 * Makes all kinds BLOCK_UNKNOWN, each for @unit bytes, a power of 2 from 1024
 * on; for a page, if that is less. Returns 0 or -ENOMEM.
 */
int block_cache_set_unit(struct block_cache *cache, uint32_t unit);

/* Sets another deadline, for what comes next. */
void block_cache_set_deadline(struct block_cache *cache, int64_t deadline_ns);

/* Whether nothing more will be read: the time is over. */
bool block_cache_is_late(struct block_cache *cache);

/*
 * Finds out which units were never read or have gone, in an order that is
 * spread over the device. If the time does not suffice for all pages, those
 * left become BLOCK_UNSEEN. Returns 0 or a negative errno.
 */
int block_cache_look(struct block_cache *cache);

/* What the unit at @which is, all things considered. */
enum block_kind block_cache_kind(const struct block_cache *cache, size_t which);

/*
 * A number that has no divisor with @count in common, about three fifths of
 * it: steps of that size lead to all of @count things, and soon to every part.
 */
size_t block_cache_step(size_t count);

/* The first page of at least @index, or @cache->count. */
size_t block_cache_find(const struct block_cache *cache, uint64_t index);

/*
 * Reads @size bytes of the device, at @offset. Returns 0; -ENODATA if not all
 * of them are cached and readable; -ETIMEDOUT if the time is over; or another
 * negative errno, which is about more than these bytes.
 */
int block_cache_read(struct block_cache *cache, uint64_t offset, size_t size,
		     void *bytes);

/* Forgets the page that was read last, so that it is read anew. */
void block_cache_forget(struct block_cache *cache);

enum paint {
	PAINT_LAYOUT, /* wherever no other layout is */
	PAINT_OWNER, /* of what no layout is; two kinds contradict each other */
};

/*
 * Gives the cached units of the @size bytes from @offset on the kind @kind. A
 * unit belongs to where it begins. Returns how many bytes block_cache_kind()
 * then says are of that kind; what was never read is of another.
 */
uint64_t block_cache_paint(struct block_cache *cache, uint64_t offset,
			   uint64_t size, enum block_kind kind,
			   enum paint paint);

/* Where the unit at @which begins in the device, in bytes. */
static inline uint64_t block_cache_offset(const struct block_cache *cache,
					  size_t which)
{
	size_t page = which / cache->units_per_page;

	return cached_page_index(&cache->pages[page]) * cache->page_size +
	       which % cache->units_per_page * cache->unit;
}

/* How many units there are. */
static inline size_t block_cache_units(const struct block_cache *cache)
{
	return cache->count * cache->units_per_page;
}

#endif
