/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Which limit is next. All figures are in bytes.
 *
 * A limit holds a cgroup and all below it. What is *left* of it is
 *	limit - memory.current + reclaimable
 * where reclaimable is clean, unmapped page cache, and the slab that has names
 * and inodes: the kernel can let go of it at once. After that much more is
 * allocated, the kernel has to write, swap, slow down (memory.high) or kill
 * (memory.max). Where nobody knows how much is reclaimable, at least so much is
 * left as if nothing were. What is left of the host is what /proc/meminfo calls
 * MemAvailable.
 *
 * A cgroup that cpuset.mems binds to some NUMA nodes is held by what is
 * available on those, computed in the same way.
 *
 * In a container the limits above it cannot be seen, but version 1 tells the
 * lowest of them. Of that at most so much is left: others are held by it too.
 *
 * A cgroup is held by each limit above it; the one of which the least is left
 * is reached first. The next limit of the host is the fullest one that some
 * cgroup reaches first, or that several below it can reach together. Without
 * cgroups it is the host's.
 */
#ifndef BUFSTAT_CGROUP_LIMITS_H
#define BUFSTAT_CGROUP_LIMITS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "cgroups/cgroup_files.h"
#include "lib/number.h"

struct cgroup;
struct cgroups;
struct zone;
struct sentence;
struct zoneinfo;

enum limit_kind {
	LIMIT_NONE, /* none is known */
	LIMIT_HOST, /* what is available on the host */
	LIMIT_NODES, /* what is available on the nodes of a cgroup */
	LIMIT_CGROUP, /* one of a cgroup's own */
};

/* A limit, of which a cgroup is held by several. */
struct limit {
	enum limit_kind kind;
	size_t cgroup; /* its index, for the last two kinds */
};

/* What is known of one cgroup's limits. */
struct cgroup_limit {
	bool has_reclaimable;
	uint64_t reclaimable_bytes;
	/* Of its own, the one of which the least is left. */
	bool has_limit;
	enum cgroup_figure limit; /* the figure that it is */
	/* What it is about has a part that can be reclaimed, and how much. */
	bool has_own_reclaimable;
	uint64_t used_bytes, limit_bytes;
	int64_t left_bytes; /* of it; negative if even that is exceeded */
	/* Whether it is bound to fewer nodes than its parent, and to which;
	 * false if what is available there is not known. */
	bool has_nodes;
	char *nodes; /* "node 1", "nodes 0,2"; owned, or NULL */
	uint64_t nodes_bytes; /* their memory */
	uint64_t nodes_available_bytes;
	/* The limit that is reached first: the least left, its own or above. */
	struct limit nearest;
	int64_t nearest_left_bytes;
};

struct limits {
	struct cgroup_limit *cgroups; /* by index in struct cgroups */
	bool has_host;
	uint64_t host_bytes;
	uint64_t host_available_bytes;
	/* What /proc/meminfo says of it, if that contradicts; else 0. */
	int64_t said_available_bytes;
	/* A zone with less free (zone_usable_pages()) than its low watermark,
	 * or NULL; the one that lacks most. Points into the struct zoneinfo.
	 * It is the next limit before that of the host. */
	const struct zone *low_zone;
	struct limit next;
	size_t count; /* of cgroups */
};

/*
 * @page_size is in bytes; 0 if that of @zones is not known, or if they could
 * not be read. @said_bytes is MemAvailable, or -1: it is held against what the
 * zones say, and taken where they do not. @zones and @cgroups must outlive
 * @limits. Returns 0 or -ENOMEM; the caller deinits in either case.
 */
int limits_init(struct limits *limits, const struct cgroups *cgroups,
		const struct zoneinfo *zones, uint64_t page_size,
		int64_t said_bytes);
void limits_deinit(struct limits *limits);

/* Whether the cgroup's usage is known wherever it has a limit. */
bool limits_can_be_held(const struct cgroup_figures *figures);

/* Its file, such as "memory.high" or "cpuset.mems", or "host". */
const char *limit_name(const struct limits *limits,
		       const struct cgroups *cgroups, struct limit limit);

struct limits_style {
	struct size_unit unit; /* of sizes */
	size_t width; /* columns of the terminal; 0: a single line */
};

/*
 * Says what the next limit is, without a full stop. @page_size is as for
 * limits_init().
 */
void limits_say_next(struct sentence *out, const struct limits *limits,
		     const struct cgroups *cgroups, uint64_t page_size,
		     struct size_unit unit);

/* Its path and container; valid until the sentence ends. */
const char *limit_cgroup_name(struct sentence *out,
			      const struct cgroup *cgroup);

/*
 * Prints the sentence about the next limit, in lines; nothing if none is known.
 * Returns 0 or -ENOMEM.
 */
int limits_print_next(FILE *out, const struct limits *limits,
		      const struct cgroups *cgroups, uint64_t page_size,
		      const struct limits_style *style);

#endif
