/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reads the kernel's own page counts (enum node_stat_item), including what each
 * processor has not added to them yet. /proc/meminfo leaves that out.
 */
#ifndef BUFSTAT_NODE_STATS_H
#define BUFSTAT_NODE_STATS_H

#include <stdint.h>

struct error;
struct kernel;

/* All in pages. */
struct node_stats {
	int64_t file; /* NR_FILE_PAGES: Cached, Buffers and the swap cache */
	int64_t swap_cache; /* NR_SWAPCACHE */
};

/* What /proc/meminfo calls Cached, from @buffers, which it calls Buffers. */
static inline int64_t node_stats_cached(const struct node_stats *stats,
					uint64_t buffers)
{
	return stats->file - stats->swap_cache - (int64_t)buffers;
}

/* Where a kernel has the counts; for node_stats.c only. */
struct node_stats_place {
	const struct kernel *kernel; /* the caller's; NULL: places unknown */
	uint32_t items[2]; /* indexes into vm_stat and vm_node_stat_diff */
	uint32_t stats; /* pglist_data.vm_stat, bytes */
	uint32_t per_cpu; /* pglist_data.per_cpu_nodestats, bytes */
	uint32_t differences; /* per_cpu_nodestat.vm_node_stat_diff, bytes */
	uint32_t cpus;
	uint64_t offsets; /* address of __per_cpu_offset */
};

/*
 * Finds the counts. If the kernel does not say where they are, or does not have
 * one (the swap cache before Linux 5.12), node_stats_read() reports that.
 */
void node_stats_find(struct node_stats_place *place, struct kernel *kernel);

/*
 * Reads the counts and adds up all nodes. Returns 0, -EOPNOTSUPP if their
 * places are not known, or the errno of reading.
 */
int node_stats_read(struct node_stats *stats,
		    const struct node_stats_place *place, struct error *err);

#endif
