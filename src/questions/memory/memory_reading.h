/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a kernel says about all of its memory, as plain data in pages. What is
 * made of it (memory_heads.h and others) opens no file.
 */
#ifndef BUFSTAT_MEMORY_READING_H
#define BUFSTAT_MEMORY_READING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "measure/zoneinfo.h"
#include "memory/memory_fields.h"

struct error;
struct sysroot;

/* Huge pages of one size, in huge pages. */
struct memory_pool {
	uint64_t size_kib;
	int64_t total; /* with those beyond the pool's own size (surplus) */
	int64_t free; /* reserved ones included */
	int64_t reserved;
	int64_t surplus;
};

#define MEMORY_POOLS_ROOM 8

/* Whether all its figures can be, in pages of @page_size. */
static inline bool memory_pool_is_sound(const struct memory_pool *pool,
					uint64_t page_size)
{
	int64_t pages = (int64_t)(pool->size_kib * 1024 / page_size), all;

	return pages > 0 && pool->free <= pool->total &&
	       pool->reserved <= pool->free && pool->surplus <= pool->total &&
	       !__builtin_mul_overflow(pool->total, pages, &all) &&
	       all <= MEMORY_MOST_PAGES;
}

/* Where the pages are that a balloon has taken out of use. */
enum memory_balloon {
	MEMORY_BALLOON_NONE, /* no driver that is known here */
	MEMORY_BALLOON_INSIDE, /* in MemTotal */
	MEMORY_BALLOON_OUTSIDE, /* MemTotal is smaller by them */
};

/* Who vmalloc() allocated for, by the function that asked. */
enum memory_vmalloc {
	MEMORY_VMALLOC_STACKS,
	MEMORY_VMALLOC_MODULES,
	MEMORY_VMALLOC_BPF,
	MEMORY_VMALLOC_CHUNKS, /* lists of the per-CPU allocator */
	MEMORY_VMALLOC_OTHER,
	MEMORY_VMALLOC_KINDS
};

/* What was unaccounted at the first run since the boot. */
struct memory_baseline {
	bool known;
	int64_t rest_bytes;
	char taken_at[32]; /* RFC 3339, UTC */
};

/* All zero bytes is empty. */
struct memory_reading {
	uint64_t page_size; /* bytes */
	bool is_dump; /* kernel_memory.h has read it */
	struct memory_fields fields;
	struct zoneinfo zones;
	bool lacks_zones; /* zoneinfo_missing_pages() */
	int zoneinfo_failed; /* errno of reading its file, or 0 */
	struct memory_pool pools[MEMORY_POOLS_ROOM];
	size_t pool_count;
	struct memory_pool default_pool; /* what /proc/meminfo says */
	bool has_default_pool_only; /* it is the one in pools */
	/* One whose figures cannot all be, so it is not in pools. */
	struct memory_pool wrong_pool;
	bool has_wrong_pool;
	enum memory_balloon balloon;
	int64_t vmalloc[MEMORY_VMALLOC_KINDS]; /* pages */
	bool has_vmalloc; /* needs root */
	const char *vmalloc_short; /* how its list is cut off, or NULL */
	/* The size of the first per-CPU chunk is an estimate. */
	bool estimated_first_chunk;
	struct memory_baseline baseline;
	unsigned int processors; /* possible ones; 0: not known */
	/* How the counts were taken. */
	unsigned int samples;
	bool settled; /* two samples agreed, or one left nothing to explain */
	int64_t spread_pages; /* how far the rest moved between samples */
};

/*
 * Reads the files that move: /proc/meminfo, vmstat and zoneinfo, one after the
 * other. Up to three times, 0.3 s apart, while the counts contradict each other
 * by more than processors may hold back; keeps the sample that contradicts
 * itself least. Then reads what hardly moves. Nothing in it needs root; what
 * only root may read is absent without. From a capture, takes what was read
 * then (memory_saved.h).
 *
 * Returns 0, -EOPNOTSUPP if there is no MemTotal, or another negative errno.
 * The caller deinits @reading in any case.
 */
int memory_read(struct memory_reading *reading, const struct sysroot *root,
		struct error *err);
void memory_reading_deinit(struct memory_reading *reading);

/*
 * The page size of this host or of a captured one: what the capture says, or
 * what its counts have in common. Returns 0 or a negative errno with
 * *@page_size 0. @err may be NULL.
 */
int memory_page_size(const struct sysroot *root, uint64_t *page_size,
		     struct error *err);

/*
 * Adds what /proc/slabinfo says, for root. Counting objects may hold a
 * slab cache's lock for a while, so memory_read() leaves it out. Returns 0 or
 * -ENOMEM.
 */
int memory_read_slab(struct memory_reading *reading,
		     const struct sysroot *root);

/*
 * File and anonymous pages without those on the LRU lists. Positive: pages that
 * count twice, being mapped and in the swap cache. Negative: pages that are on
 * the lists but no longer in any cache. Returns false if a count is absent.
 */
bool memory_overlap(const struct memory_reading *reading, int64_t *pages);

/*
 * How far the overlap may be off because processors hold back what they count
 * and what they add to the lists, in pages. INT64_MAX if that is not known.
 */
int64_t memory_overlap_bound(const struct memory_reading *reading);

/*
 * Whether /proc/meminfo is about the same memory as /proc/zoneinfo. In some
 * containers it is not. True if that is not known.
 */
bool memory_is_whole_host(const struct memory_reading *reading);

/*
 * Whether a dump told of vmalloc, per-CPU memory and pools of huge pages, which
 * are in no node's or zone's counters. True if @reading is not from a dump.
 */
bool memory_has_variables(const struct memory_reading *reading);

#endif
