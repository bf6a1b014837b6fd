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

/*
 * Reads those of all nodes. Returns 0, -EOPNOTSUPP where the kernel does not
 * say where they are or does not count them so (the swap cache before Linux
 * 5.12), or the errno of reading.
 */
int node_stats_read(struct node_stats *stats, const struct kernel *kernel,
		    struct error *err);

#endif
