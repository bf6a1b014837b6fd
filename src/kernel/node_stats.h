/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a kernel counts itself (enum node_stat_item), with what its processors
 * have not added yet: /proc/meminfo leaves that out.
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

/* Where a kernel has them; for node_stats.c only. */
struct node_stats_place {
	const struct kernel *kernel; /* the caller's; NULL: not known */
	uint32_t items[2]; /* places in the arrays */
	uint32_t stats; /* pglist_data.vm_stat, bytes */
	uint32_t per_cpu; /* pglist_data.per_cpu_nodestats, bytes */
	uint32_t differences; /* per_cpu_nodestat.vm_node_stat_diff, bytes */
	uint32_t cpus;
	uint64_t offsets; /* address of __per_cpu_offset */
};

/*
 * Finds out where they are. Where the kernel does not say, or does not count
 * them so (the swap cache before Linux 5.12), node_stats_read() will say so.
 */
void node_stats_find(struct node_stats_place *place,
		     const struct kernel *kernel);

/*
 * Reads those of all nodes. Returns 0, -EOPNOTSUPP where it is not known where
 * they are, or the errno of reading.
 */
int node_stats_read(struct node_stats *stats,
		    const struct node_stats_place *place, struct error *err);

#endif
