/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The zones of /proc/zoneinfo: what is free in each NUMA node and zone, and the
 * watermarks at which the kernel begins to reclaim. All figures are in pages.
 *
 * The form of the file is that of Linux 4.14 to 7.3.
 */
#ifndef BUFSTAT_ZONEINFO_H
#define BUFSTAT_ZONEINFO_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct error;
struct sysroot;

/* A figure that the file does not have is -1. */
struct zone {
	unsigned int node;
	char name[16]; /* "DMA32", "Normal"... */
	int64_t free_pages;
	int64_t cpu_lists_pages; /* free, on the processors' own lists */
	int64_t min_pages; /* below this, whoever allocates has to reclaim */
	int64_t low_pages; /* below this, kswapd reclaims */
	int64_t high_pages; /* up to this */
	/* What raises these three for now. Linux 5.16 says it. */
	int64_t boost_pages;
	int64_t spanned_pages;
	int64_t present_pages;
	int64_t managed_pages; /* 0: the zone has no memory */
	int64_t cma_pages; /* of free_pages: only for what can be moved */
	/* What the zone keeps back from allocations that could use another. */
	int64_t reserve_pages;
	/* How far one count may be behind, over all processors. */
	int64_t lag_pages;
	int64_t lru_pages; /* on the lists of the kernel's reclaim */
};

/* Counters of a node that MemAvailable is computed from. */
struct zone_node {
	unsigned int node;
	uint64_t file_pages; /* on the LRU lists of files */
	uint64_t reclaimable_pages; /* slab and other that claims to be */
	bool lacks_lists; /* the file does not say either */
};

struct zoneinfo {
	struct zone *zones; /* in the order of the file */
	size_t count;
	struct zone_node *nodes; /* in the order of the file */
	size_t node_count;
	bool takes_low; /* zoneinfo_hold_available() */
};

/*
 * What the kernel compares with the watermarks: free pages without those of CMA,
 * which only movable pages may have (__zone_watermark_ok() in mm/page_alloc.c).
 */
static inline int64_t zone_usable_pages(const struct zone *zone)
{
	return zone->free_pages - (zone->cma_pages > 0 ? zone->cma_pages : 0);
}

/* One is a part of the other, and both are behind by no more than the lag. */
static inline bool zone_is_sound(const struct zone *zone)
{
	return zone->free_pages < 0 ||
	       zone->cma_pages <=
		       zone->free_pages +
			       (zone->lag_pages > 0 ? zone->lag_pages : 0);
}

/* Old kernels (2.6.32) have no "managed": pages that are present, then. */
static inline int64_t zone_pages(const struct zone *zone)
{
	return zone->managed_pages < 0 ? zone->present_pages :
					 zone->managed_pages;
}

static inline bool zone_has_memory(const struct zone *zone)
{
	return zone_pages(zone) > 0;
}

/*
 * Parses the text of the file. Returns 0 or -ENOMEM. The caller deinits @info
 * in either case.
 */
int zoneinfo_parse(struct zoneinfo *info, const char *text);

/*
 * Reads /proc/zoneinfo. Returns 0 or a negative errno; -EBADMSG if no zone in
 * it has memory. The caller deinits @info in either case. @err may be NULL.
 */
int zoneinfo_read(struct zoneinfo *info, const struct sysroot *root,
		  struct error *err);
void zoneinfo_deinit(struct zoneinfo *info);

/*
 * How many pages /proc/vmstat, @vmstat, counts in all zones that are in none of
 * @info: free, and on the lists. 0 if these are no more than change between two
 * reads; else the file is cut off, whatever MemTotal is in a container.
 */
int64_t zoneinfo_missing_pages(const struct zoneinfo *info, const char *vmstat);

/* All nodes, for the functions below. */
#define ZONEINFO_ALL_NODES (-1)

/* The memory of @node, or of all nodes: MemTotal, if nobody virtualises it. */
uint64_t zoneinfo_managed_pages(const struct zoneinfo *info, int node);

/*
 * What the kernel keeps back in this zone (calculate_totalreserve_pages() in
 * mm/page_alloc.c, the same from Linux 3.10 to 7.3), or -1 if that is not
 * known. It works this out while nothing is boosted. Where the file does not
 * say the boost, the figure includes it.
 */
int64_t zone_reserve_pages(const struct zone *zone);

/*
 * What /proc/meminfo calls MemAvailable, and its terms, all in pages
 * (si_mem_available() in mm/page_alloc.c or mm/show_mem.c, the same from Linux
 * 5.10 to 7.3).
 */
struct available {
	bool known; /* all terms are; the others are 0 then */
	int64_t free;
	int64_t reserve; /* taken off */
	int64_t file; /* file pages on the LRU lists */
	int64_t file_kept; /* taken off: half of them, at most the watermarks */
	int64_t reclaimable; /* slab and other kernel memory */
	int64_t reclaimable_kept; /* taken off, as above */
	int64_t result;
	int64_t low; /* the sum of the zones' low watermarks */
};

/* Whether @said is much nearer to them with @low as the reserve (Linux 4.4). */
bool available_takes_low(const struct available *available, int64_t said);

/* Has zoneinfo_available() do so too if MemAvailable, @said_pages, does. */
void zoneinfo_hold_available(struct zoneinfo *info, int64_t said_pages);

/*
 * Works out what is kept and the result from the other terms and the sum of the
 * zones' low watermarks.
 */
void available_compute(struct available *available, int64_t low_pages);

/* MemAvailable of @node or of all nodes. */
void zoneinfo_available(const struct zoneinfo *info, int node,
			struct available *available);

#endif
