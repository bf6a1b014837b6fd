// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "cgroups/cgroup_limits.h"
#include "cgroups/cgroups.h"
#include "lib/cleanup.h"
#include "lib/lesser.h"
#include "lib/number.h"
#include "lib/sentence.h"
#include "lib/wrap.h"
#include "measure/zoneinfo.h"

/*
 * The kinds of limits, and the figures that they are held against. Of two that
 * are reached at once the first counts.
 */
static const struct own_limit {
	enum cgroup_figure used, limit;
} own_limits[] = {
	{ CGROUP_CURRENT, CGROUP_MAX },
	{ CGROUP_CURRENT, CGROUP_HIGH },
	{ CGROUP_MEMSW, CGROUP_MEMSW_MAX },
	{ CGROUP_KERNEL, CGROUP_KERNEL_MAX },
	{ CGROUP_TCP, CGROUP_TCP_MAX },
	{ CGROUP_CURRENT, CGROUP_MAX_ABOVE },
	{ CGROUP_MEMSW, CGROUP_MEMSW_MAX_ABOVE },
};

/* Whether it may be the limit of a cgroup that cannot be seen. */
static bool is_above(enum cgroup_figure limit)
{
	return limit == CGROUP_MAX_ABOVE || limit == CGROUP_MEMSW_MAX_ABOVE;
}

bool limits_can_be_held(const struct cgroup_figures *figures)
{
	for (size_t i = 0; i < sizeof(own_limits) / sizeof(*own_limits); i++) {
		if (cgroup_has(figures, own_limits[i].limit) &&
		    !cgroup_has(figures, own_limits[i].used))
			return false;
	}
	return true;
}

/*
 * Clean page cache that no process has mapped. The lists are without shared
 * memory and without what cannot be evicted. Mapped counts shared memory too,
 * so this is a lower bound. With it, slab of names and inodes, whose shrinkers
 * know cgroups; version 1 does not tell.
 */
static bool unprotected(const struct cgroup_figures *figures, uint64_t *bytes)
{
	static const enum cgroup_figure needed[] = {
		CGROUP_INACTIVE_FILE, CGROUP_ACTIVE_FILE, CGROUP_MAPPED,
		CGROUP_DIRTY,	      CGROUP_WRITEBACK,
	};
	const uint64_t *values = figures->values;

	for (size_t i = 0; i < sizeof(needed) / sizeof(*needed); i++) {
		if (!cgroup_has(figures, needed[i]))
			return false;
	}
	*bytes = less(values[CGROUP_INACTIVE_FILE] + values[CGROUP_ACTIVE_FILE],
		      values[CGROUP_MAPPED] + values[CGROUP_DIRTY] +
			      values[CGROUP_WRITEBACK]) +
		 cgroup_or_0(figures, CGROUP_SLAB_RECLAIMABLE);
	if (cgroup_has(figures, CGROUP_CURRENT))
		*bytes = lesser_unsigned(*bytes, values[CGROUP_CURRENT]);
	return true;
}

/*
 * A cgroup's limit takes nothing from a child that memory.min protects. How
 * much that is depends on the parents too, but it is never more than this.
 * (mem_cgroup_protection() in Linux 5.10 to 7.3. memory.low is only a wish.)
 */
static void subtract_protected(struct limits *limits,
			       const struct cgroups *cgroups)
{
	for (size_t i = cgroups->count; i-- > 1;) {
		const struct cgroup *cgroup = &cgroups->cgroups[i];
		const struct cgroup_figures *figures = &cgroup->figures;
		const struct cgroup_limit *limit = &limits->cgroups[i];
		struct cgroup_limit *above = &limits->cgroups[cgroup->parent];
		uint64_t all, left = limit->reclaimable_bytes;

		if (!limit->has_reclaimable || !unprotected(figures, &all))
			continue;
		if (cgroup_has(figures, CGROUP_MIN) &&
		    cgroup_has(figures, CGROUP_CURRENT))
			left = lesser_unsigned(
				left, less(figures->values[CGROUP_CURRENT],
					   figures->values[CGROUP_MIN]));
		above->reclaimable_bytes =
			less(above->reclaimable_bytes, less(all, left));
	}
}

static void find_reclaimable(struct limits *limits,
			     const struct cgroups *cgroups)
{
	for (size_t i = 0; i < cgroups->count; i++) {
		struct cgroup_limit *limit = &limits->cgroups[i];

		limit->has_reclaimable =
			unprotected(&cgroups->cgroups[i].figures,
				    &limit->reclaimable_bytes);
	}
	/* Children come after their parents, so the deepest are done first. */
	subtract_protected(limits, cgroups);
}

/*
 * What can be reclaimed counts in memory, and in memory with swap. Of kernel
 * memory alone it is not known. Where the parent is seen, so is its limit.
 */
static void find_own_limit(struct cgroup_limit *limit,
			   const struct cgroups *cgroups, size_t index)
{
	const struct cgroup_figures *figures = &cgroups->cgroups[index].figures;
	size_t parent = cgroups->cgroups[index].parent;
	bool sees_parent = parent != CGROUP_NONE &&
			   cgroups->cgroups[parent].is_read;

	for (size_t i = 0; i < sizeof(own_limits) / sizeof(*own_limits); i++) {
		const struct own_limit *own = &own_limits[i];
		uint64_t used = figures->values[own->used];
		uint64_t most = figures->values[own->limit];
		bool frees = limit->has_reclaimable &&
			     own->used != CGROUP_KERNEL &&
			     own->used != CGROUP_TCP;
		int64_t left = (int64_t)most - (int64_t)used;

		if (!cgroup_has(figures, own->used) ||
		    !cgroup_has(figures, own->limit) ||
		    (sees_parent && is_above(own->limit)))
			continue;
		left += frees ? (int64_t)limit->reclaimable_bytes : 0;
		if (limit->has_limit && left >= limit->left_bytes)
			continue;
		limit->has_limit = true;
		limit->limit = own->limit;
		limit->has_own_reclaimable = frees;
		limit->used_bytes = used;
		limit->limit_bytes = most;
		limit->left_bytes = left;
	}
}

/* Takes a limit into account of which so much is left. */
static void hold(struct cgroup_limit *cgroup, struct limit limit,
		 int64_t left_bytes)
{
	if (cgroup->nearest.kind != LIMIT_NONE &&
	    cgroup->nearest_left_bytes < left_bytes)
		return;
	cgroup->nearest = limit;
	cgroup->nearest_left_bytes = left_bytes;
}

/* Begins with the nearest limit of the parent, or with the host. */
static void find_nearest(struct limits *limits, const struct cgroups *cgroups)
{
	for (size_t i = 0; i < cgroups->count; i++) {
		struct cgroup_limit *cgroup = &limits->cgroups[i];
		size_t parent = cgroups->cgroups[i].parent;

		/* Its own limits are not known. */
		if (!cgroups->cgroups[i].is_read)
			continue;
		if (parent != CGROUP_NONE && cgroups_holds(cgroups, parent)) {
			const struct cgroup_limit *above =
				&limits->cgroups[parent];

			cgroup->nearest = above->nearest;
			cgroup->nearest_left_bytes = above->nearest_left_bytes;
		} else if (limits->has_host) {
			hold(cgroup, (struct limit){ LIMIT_HOST, 0 },
			     (int64_t)limits->host_available_bytes);
		}
		if (cgroup->has_nodes)
			hold(cgroup, (struct limit){ LIMIT_NODES, i },
			     (int64_t)cgroup->nodes_available_bytes);
		if (cgroup->has_limit)
			hold(cgroup, (struct limit){ LIMIT_CGROUP, i },
			     cgroup->left_bytes);
	}
}

static double part_used(uint64_t available_bytes, uint64_t bytes)
{
	return 1 - (double)available_bytes / (double)bytes;
}

/* How much of a limit cannot be reclaimed, from 0 to 1 and above. */
static double fullness(const struct limits *limits, struct limit limit)
{
	const struct cgroup_limit *cgroup = &limits->cgroups[limit.cgroup];

	switch (limit.kind) {
	case LIMIT_NONE:
		break;
	case LIMIT_HOST:
		return part_used(limits->host_available_bytes,
				 limits->host_bytes);
	case LIMIT_NODES:
		return part_used(cgroup->nodes_available_bytes,
				 cgroup->nodes_bytes);
	case LIMIT_CGROUP:
		if (!cgroup->limit_bytes)
			return 1;
		return 1 -
		       (double)cgroup->left_bytes / (double)cgroup->limit_bytes;
	}
	return -1;
}

/*
 * In version 2 only the root has both processes and children with memory files.
 */
static bool may_have_processes(const struct cgroups *cgroups, size_t index)
{
	return index == 0 || !cgroups->cgroups[index].has_children ||
	       cgroups->hierarchy.version == CGROUP_V1;
}

/*
 * Of each cgroup, from the deepest: how much it and those below may still take
 * together. What that cannot reach is not next, however full it is.
 */
static int find_next(struct limits *limits, const struct cgroups *cgroups)
{
	_cleanup_(freep)
		uint64_t *room = calloc(cgroups->count + 1, sizeof(*room));

	if (!room)
		return -ENOMEM;
	if (!cgroups->count && limits->has_host)
		limits->next.kind = LIMIT_HOST;
	for (size_t i = cgroups->count; i-- > 0;) {
		const struct cgroup_limit *cgroup = &limits->cgroups[i];
		size_t parent = cgroups->cgroups[i].parent;
		uint64_t left = cgroup->nearest_left_bytes > 0 ?
					(uint64_t)cgroup->nearest_left_bytes :
					0;

		if (may_have_processes(cgroups, i))
			room[i] = UINT64_MAX;
		if (room[i] >= left && fullness(limits, cgroup->nearest) >=
					       fullness(limits, limits->next))
			limits->next = cgroup->nearest;
		if (cgroup->nearest.kind != LIMIT_NONE)
			room[i] = lesser_unsigned(room[i], left);
		if (parent != CGROUP_NONE)
			room[parent] += lesser_unsigned(
				room[i], UINT64_MAX - room[parent]);
	}
	return 0;
}

/* "node 1" or "nodes 0,2". Returns NULL when out of memory. */
static char *nodes_text(uint64_t nodes)
{
	const char *separator = nodes & (nodes - 1) ? "nodes " : "node ";
	struct sentence list;
	char *text;

	sentence_begin(&list);
	for (int node = 0; node < 64; node++) {
		if (!(nodes >> node & 1))
			continue;
		say(&list, "%s%d", separator, node);
		separator = ",";
	}
	sentence_end(&list, &text);
	return text;
}

/* The nodes that have memory; 0 if there are too many for a word. */
static uint64_t all_nodes(const struct zoneinfo *zones)
{
	uint64_t nodes = 0;

	for (size_t i = 0; i < zones->count; i++) {
		if (!zone_has_memory(&zones->zones[i]))
			continue;
		if (zones->zones[i].node > 63)
			return 0;
		nodes |= UINT64_C(1) << zones->zones[i].node;
	}
	return nodes;
}

static void add_up_nodes(struct cgroup_limit *cgroup, uint64_t nodes,
			 const struct zoneinfo *zones, uint64_t page_size)
{
	cgroup->has_nodes = true;
	for (int node = 0; node < 64; node++) {
		struct available available;

		if (!(nodes >> node & 1))
			continue;
		zoneinfo_available(zones, node, &available);
		cgroup->has_nodes &= available.known;
		cgroup->nodes_bytes +=
			zoneinfo_managed_pages(zones, node) * page_size;
		cgroup->nodes_available_bytes +=
			(uint64_t)available.result * page_size;
	}
}

/* A cgroup without a list of its own has that of its parent. */
static int find_nodes(struct limits *limits, const struct cgroups *cgroups,
		      const struct zoneinfo *zones, uint64_t page_size)
{
	uint64_t all = all_nodes(zones);
	_cleanup_(freep)
		uint64_t *nodes = calloc(cgroups->count + 1, sizeof(*nodes));

	if (!nodes)
		return -ENOMEM;
	for (size_t i = 0; i < cgroups->count; i++) {
		const struct cgroup *cgroup = &cgroups->cgroups[i];
		struct cgroup_limit *limit = &limits->cgroups[i];
		uint64_t above = cgroup->parent == CGROUP_NONE ?
					 all :
					 nodes[cgroup->parent];

		nodes[i] = above;
		if (cgroup_has(&cgroup->figures, CGROUP_NODES))
			nodes[i] &= cgroup->figures.values[CGROUP_NODES];
		if (nodes[i] == above || !nodes[i])
			continue;
		limit->nodes = nodes_text(nodes[i]);
		if (!limit->nodes)
			return -ENOMEM;
		add_up_nodes(limit, nodes[i], zones, page_size);
	}
	return 0;
}

/* How much of the host's memory the two may differ by, being read apart. */
#define MOVES_PART 16

/* The zones are the kernel's own; /proc/meminfo may be a container's. */
static void take_host(struct limits *limits, const struct zoneinfo *zones,
		      uint64_t page_size, int64_t said_bytes)
{
	struct available available;
	int64_t most = 0;

	zoneinfo_available(zones, ZONEINFO_ALL_NODES, &available);
	limits->has_host = available.known;
	limits->host_bytes =
		zoneinfo_managed_pages(zones, ZONEINFO_ALL_NODES) * page_size;
	limits->host_available_bytes = (uint64_t)available.result * page_size;
	if (said_bytes >= 0 && !available.known) {
		limits->has_host = true;
		limits->host_available_bytes = (uint64_t)said_bytes;
	} else if (said_bytes >= 0 &&
		   llabs(said_bytes - (int64_t)limits->host_available_bytes) >
			   (int64_t)limits->host_bytes / MOVES_PART) {
		limits->said_available_bytes = said_bytes;
	}
	for (size_t i = 0; i < zones->count; i++) {
		const struct zone *zone = &zones->zones[i];
		int64_t lacks = zone->low_pages - zone_usable_pages(zone);

		if (zone_has_memory(zone) && zone->free_pages >= 0 &&
		    zone_is_sound(zone) && lacks > most) {
			limits->low_zone = zone;
			most = lacks;
		}
	}
}

int limits_init(struct limits *limits, const struct cgroups *cgroups,
		const struct zoneinfo *zones, uint64_t page_size,
		int64_t said_bytes)
{
	*limits = (struct limits){ 0 };
	limits->cgroups = calloc(cgroups->count + 1, sizeof(*limits->cgroups));
	if (!limits->cgroups)
		return -ENOMEM;
	limits->count = cgroups->count;
	if (page_size) {
		take_host(limits, zones, page_size, said_bytes);
		if (find_nodes(limits, cgroups, zones, page_size) < 0)
			return -ENOMEM;
	}
	find_reclaimable(limits, cgroups);
	for (size_t i = 0; i < cgroups->count; i++)
		find_own_limit(&limits->cgroups[i], cgroups, i);
	find_nearest(limits, cgroups);
	return find_next(limits, cgroups);
}

void limits_deinit(struct limits *limits)
{
	for (size_t i = 0; i < limits->count; i++)
		free(limits->cgroups[i].nodes);
	free(limits->cgroups);
	*limits = (struct limits){ 0 };
}

const char *limit_name(const struct limits *limits,
		       const struct cgroups *cgroups, struct limit limit)
{
	switch (limit.kind) {
	case LIMIT_NONE:
		break;
	case LIMIT_HOST:
		return "host";
	case LIMIT_NODES:
		return "cpuset.mems";
	case LIMIT_CGROUP:
		return cgroup_file_name(limits->cgroups[limit.cgroup].limit,
					cgroups->hierarchy.version);
	}
	return NULL;
}

/* "node 0, zone DMA: 40M free and not in CMA, less than its min watermark ..." */
static const char *zone_text(struct sentence *out, const struct zone *zone,
			     uint64_t page_size, struct size_unit unit)
{
	int64_t usable = zone_usable_pages(zone);
	bool is_below_min = usable < zone->min_pages;

	return piece(
		out,
		"node %u, zone %s: %s free%s, less than its %s watermark of %s",
		zone->node, zone->name,
		SIZE_IN(usable * (int64_t)page_size, unit),
		zone->cma_pages > 0 ? " and not in CMA" : "",
		is_below_min ? "min" : "low",
		SIZE_IN((is_below_min ? zone->min_pages : zone->low_pages) *
				(int64_t)page_size,
			unit));
}

static void print_host(struct sentence *out, const struct limits *limits,
		       uint64_t page_size, struct size_unit unit)
{
	if (limits->low_zone)
		say(out, "%s; ",
		    zone_text(out, limits->low_zone, page_size, unit));
	say(out, "the host: %s of %s are available",
	    SIZE_IN((int64_t)limits->host_available_bytes, unit),
	    SIZE_IN((int64_t)limits->host_bytes, unit));
	if (limits->said_available_bytes)
		say(out,
		    " by the zones, and %s by MemAvailable: these are not "
		    "about the same memory",
		    SIZE_IN(limits->said_available_bytes, unit));
	if (!limits->low_zone)
		say(out, "; no zone is below its low watermark");
}

const char *limit_cgroup_name(struct sentence *out, const struct cgroup *cgroup)
{
	const char *path = safe_name(out, cgroup->path);

	return cgroup->container ? piece(out, "%s (%s)", path,
					 safe_name(out, cgroup->container)) :
				   path;
}

/* "NUMA node 1, to which /db is bound: 300M of 4G are available" */
static void print_nodes(struct sentence *out, const struct limits *limits,
			const struct cgroups *cgroups, struct size_unit unit)
{
	size_t index = limits->next.cgroup;
	const struct cgroup_limit *limit = &limits->cgroups[index];

	say(out, "NUMA %s, to which %s is bound: %s of %s are available",
	    limit->nodes, limit_cgroup_name(out, &cgroups->cgroups[index]),
	    SIZE_IN((int64_t)limit->nodes_available_bytes, unit),
	    SIZE_IN((int64_t)limit->nodes_bytes, unit));
}

/* "/web.slice: 93 % of memory.max 2G, 1.1G of it can be reclaimed; ..." */
static void print_cgroup(struct sentence *out, const struct limits *limits,
			 const struct cgroups *cgroups, struct size_unit unit)
{
	size_t index = limits->next.cgroup;
	const struct cgroup_limit *limit = &limits->cgroups[index];
	bool above = is_above(limit->limit);

	say(out, "%s: ", limit_cgroup_name(out, &cgroups->cgroups[index]));
	if (limit->limit_bytes)
		say(out, "%s%.0f %%", above ? "at least " : "",
		    100 * (double)limit->used_bytes /
			    (double)limit->limit_bytes);
	else
		say(out, "all");
	say(out, " of %s %s%s", limit_name(limits, cgroups, limits->next),
	    SIZE_IN((int64_t)limit->limit_bytes, unit),
	    above ? " (of a cgroup above it that cannot be seen)" : "");
	if (limit->has_own_reclaimable) {
		say(out, ", %s of it can be reclaimed; %s",
		    SIZE_IN((int64_t)limit->reclaimable_bytes, unit),
		    above && limit->left_bytes > 0 ? "at most " : "");
	} else if (limit->left_bytes > 0 && !above) {
		say(out, "; how much of it can be reclaimed is not known; at "
			 "least ");
	} else {
		if (limit->left_bytes < 0)
			say(out, "; it is exceeded by %s",
			    SIZE_IN(-limit->left_bytes, unit));
		say(out, "; how much of it can be reclaimed is not known%s",
		    limit->left_bytes < 0 ? "" : ", nor what is left");
		return;
	}
	say(out, "%s left",
	    limit->left_bytes > 0 ? SIZE_IN(limit->left_bytes, unit) :
				    "nothing");
}

void limits_say_next(struct sentence *out, const struct limits *limits,
		     const struct cgroups *cgroups, uint64_t page_size,
		     struct size_unit unit)
{
	if (limits->next.kind == LIMIT_NONE)
		return;
	say(out, "Next limit: ");
	if (limits->next.kind == LIMIT_HOST)
		print_host(out, limits, page_size, unit);
	else if (limits->next.kind == LIMIT_NODES)
		print_nodes(out, limits, cgroups, unit);
	else
		print_cgroup(out, limits, cgroups, unit);
	/* There the kernel cannot allocate for itself, whatever the cgroup. */
	if (limits->next.kind != LIMIT_HOST && limits->low_zone &&
	    zone_usable_pages(limits->low_zone) < limits->low_zone->min_pages)
		say(out, "; %s",
		    zone_text(out, limits->low_zone, page_size, unit));
}

int limits_print_next(FILE *out, const struct limits *limits,
		      const struct cgroups *cgroups, uint64_t page_size,
		      const struct limits_style *style)
{
	const struct wrap wrap = {
		.width = style->width ? (unsigned int)style->width : UINT_MAX,
		.hanging = 2,
	};
	_cleanup_(freep) char *text = NULL;
	struct sentence sentence;
	int ret;

	sentence_begin(&sentence);
	sentence.is_filled = true;
	limits_say_next(&sentence, limits, cgroups, page_size, style->unit);
	ret = sentence_end(&sentence, &text);
	if (!ret)
		wrap_print(out, text, strlen(text), &wrap);
	return ret;
}
