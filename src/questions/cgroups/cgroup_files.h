/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Reads the files of one cgroup. */
#ifndef BUFSTAT_CGROUP_FILES_H
#define BUFSTAT_CGROUP_FILES_H

#include <stdbool.h>
#include <stdint.h>

#include "cgroups/hierarchy.h"

/* Bytes, unless it says otherwise. Each includes all cgroups below. */
enum cgroup_figure {
	CGROUP_CURRENT, /* what is charged to it */
	CGROUP_HIGH, /* limits; absent if there is none */
	CGROUP_MAX,
	CGROUP_MIN, /* protection; absent if the kernel has none */
	CGROUP_LOW,
	CGROUP_SWAP,
	CGROUP_ANON,
	CGROUP_FILE, /* page cache, with shmem */
	CGROUP_SHMEM,
	CGROUP_MAPPED, /* of file: mapped by a process */
	CGROUP_DIRTY,
	CGROUP_WRITEBACK,
	CGROUP_INACTIVE_FILE, /* LRU lists, without what cannot be evicted */
	CGROUP_ACTIVE_FILE,
	CGROUP_KERNEL, /* since Linux 5.18; version 1: kmem */
	CGROUP_KERNEL_STACK, /* of kernel, this and the next */
	CGROUP_PAGE_TABLES,
	CGROUP_SEC_PAGE_TABLES,
	CGROUP_PERCPU,
	CGROUP_VMALLOC,
	CGROUP_SLAB,
	CGROUP_SLAB_RECLAIMABLE, /* of slab */
	CGROUP_ZSWAP,
	CGROUP_REFAULTS_FILE, /* counts */
	CGROUP_REFAULTS_ANON,
	/* Times that the kernel forgot what it had evicted, so that it does
	 * not count as refaulted. */
	CGROUP_FORGOTTEN,
	CGROUP_LOW_EVENTS,
	CGROUP_HIGH_EVENTS,
	CGROUP_MAX_EVENTS,
	CGROUP_OOM_EVENTS,
	CGROUP_OOM_KILLS,
	CGROUP_DEAD, /* cgroups below it that were removed but not freed */
	CGROUP_SOME, /* pressure: hundredths of a percent of the last 10 s */
	CGROUP_FULL,
	CGROUP_NODES, /* NUMA nodes that it may allocate from: bit per node */
	/* Version 1: limits beside CGROUP_MAX, and what is held against one. */
	CGROUP_MEMSW, /* memory and swap together */
	CGROUP_MEMSW_MAX,
	CGROUP_KERNEL_MAX,
	CGROUP_TCP, /* buffers of sockets, which are not in CGROUP_CURRENT */
	CGROUP_TCP_MAX,
	CGROUP_MAX_ABOVE, /* the lowest of its own and of all above it */
	CGROUP_MEMSW_MAX_ABOVE,
	CGROUP_HIERARCHY, /* 0: what is below counts for itself */
	CGROUP_FIGURES
};

struct cgroup_figures {
	uint64_t values[CGROUP_FIGURES];
	uint64_t present; /* bit per figure */
};

static inline bool cgroup_has(const struct cgroup_figures *figures,
			      enum cgroup_figure figure)
{
	return figures->present >> figure & 1;
}

/* The figure, or 0 if it is absent. */
static inline uint64_t cgroup_or_0(const struct cgroup_figures *figures,
				   enum cgroup_figure figure)
{
	return cgroup_has(figures, figure) ? figures->values[figure] : 0;
}

static inline void cgroup_set(struct cgroup_figures *figures,
			      enum cgroup_figure figure, uint64_t value)
{
	figures->values[figure] = value;
	figures->present |= UINT64_C(1) << figure;
}

/*
 * The file with a figure alone, such as "memory.max", or the line of version
 * 1's memory.stat; NULL if the version has neither.
 */
const char *cgroup_file_name(enum cgroup_figure figure,
			     enum cgroup_version version);

/*
 * Bytes on the lists of file pages, which leave out shared memory and what
 * cannot be evicted. A figure that is absent counts as 0.
 */
uint64_t cgroup_file_lists(const struct cgroup_figures *figures);

/* Of these, what reclaim can take: it does not write, so dirty pages stay. */
uint64_t cgroup_clean(const struct cgroup_figures *figures);

/*
 * Reads the figures of the cgroup whose directory is @dir, and its pressure
 * from @pressure, the directory of version 2 or -1. CGROUP_NODES is in version
 * 2 only, because version 1 has it in a hierarchy of its own. What a kernel or
 * cgroup does not have is absent. Returns 0, or a negative errno if a file is
 * there and cannot be read; -ENODEV means that the cgroup is gone, and -EBADMSG
 * that there is no number where the kernel writes one.
 */
int cgroup_files_read(struct cgroup_figures *figures,
		      enum cgroup_version version, int dir, int pressure);

/* The parts, for texts as the kernel writes them. Each adds what it finds. */
void cgroup_parse_stat(struct cgroup_figures *figures,
		       enum cgroup_version version, const char *text);
void cgroup_parse_events(struct cgroup_figures *figures, const char *text);
void cgroup_parse_pressure(struct cgroup_figures *figures, const char *text);
/* A list such as "0-1,3"; absent if it is empty or has a node above 63. */
void cgroup_parse_nodes(struct cgroup_figures *figures, const char *text);

#endif
