/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Releases page cache that is charged to one cgroup (memory.reclaim). */
#ifndef BUFSTAT_DROP_CGROUP_H
#define BUFSTAT_DROP_CGROUP_H

#include <stdbool.h>
#include <stdint.h>

#include "cgroups/cgroup_files.h"
#include "drop/drop_result.h"
#include "lib/string_list.h"

struct sysroot;

struct drop_cgroup {
	struct drop_result result; /* its figures are below */
	const char *path; /* as the user named it; owned by the caller */
	uint64_t size_bytes; /* how much to release; 0: all of it */
	/* Results. All figures are in bytes and include the cgroups below. */
	char *directory;
	/*
	 * The kernel can leave anonymous memory alone: memory.reclaim takes
	 * swappiness= (Linux 6.9). Without it, and with swap, it may be swapped
	 * out in place of page cache.
	 */
	bool spares_anonymous;
	bool has_swap; /* the host has any */
	struct cgroup_figures before;
	struct cgroup_figures after; /* only if done */
	/* Cgroups below keep this much for themselves: memory.min and .low. */
	uint64_t protected_bytes;
	uint64_t least_bytes; /* that will be released, at least */
	uint64_t most_bytes; /* and at most */
	struct string_list users; /* "comm(pid)" of some of its processes */
};

/*
 * Measures the cgroup and, unless @dry_run, has the kernel reclaim its
 * page cache with memory.reclaim (Linux 5.19), which writes no dirty pages. It
 * takes processor time for as long as it takes, so a worker (ask.h) does it; if
 * the user's time is over, the rest stays. Returns 0, or a negative errno with
 * the error in the result; its class is ERROR_UNUSABLE if this host has no
 * memory.reclaim. The caller deinits @drop in either case.
 */
int drop_cgroup_run(struct drop_cgroup *drop, const struct sysroot *root);
void drop_cgroup_deinit(struct drop_cgroup *drop);

/* Sets @least_bytes and @most_bytes; part of drop_cgroup_run(), for tests. */
void drop_cgroup_forecast(struct drop_cgroup *drop);

#endif
