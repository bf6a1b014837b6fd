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

struct zone {
	unsigned int node;
	char name[16]; /* "DMA32", "Normal"... */
	uint64_t free_pages;
	uint64_t min_pages; /* below this, whoever allocates has to reclaim */
	uint64_t low_pages; /* below this, kswapd reclaims */
	uint64_t high_pages; /* up to this */
	uint64_t managed_pages; /* 0: the zone has no memory */
	/* What the zone keeps back from allocations that could use another. */
	uint64_t reserve_pages;
	uint64_t cpu_lists_pages; /* free, on the processors' own lists */
};

/* Counters of a node that MemAvailable is computed from. */
struct zone_node {
	unsigned int node;
	uint64_t file_pages; /* on the LRU lists of files */
	uint64_t reclaimable_pages; /* slab and other that claims to be */
};

struct zoneinfo {
	struct zone *zones; /* without those that have no memory */
	size_t count;
	struct zone_node *nodes; /* in the order of the file */
	size_t node_count;
};

/*
 * Returns 0 or a negative errno; -EBADMSG if the file has no zone. The caller
 * deinits @info in either case. @err may be NULL.
 */
int zoneinfo_read(struct zoneinfo *info, const struct sysroot *root,
		  struct error *err);
void zoneinfo_deinit(struct zoneinfo *info);

/* All nodes, for the functions below. */
#define ZONEINFO_ALL_NODES (-1)

/* The memory of @node, or of all nodes: MemTotal, if nobody virtualises it. */
uint64_t zoneinfo_managed_pages(const struct zoneinfo *info, int node);

/*
 * What /proc/meminfo calls MemAvailable, of @node or of all nodes, computed as
 * si_mem_available() does in Linux 5.10 to 7.3.
 */
uint64_t zoneinfo_available_pages(const struct zoneinfo *info, int node);

#endif
