// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>

#include "cgroups/cgroups.h"
#include "cgroups/cgroup_limits.h"
#include "lib/cleanup.h"
#include "lib/number.h"
#include "lib/text_stream.h"
#include "lib/wrap.h"
#include "measure/zoneinfo.h"

static uint64_t lesser(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

static uint64_t less(uint64_t a, uint64_t b)
{
	return a > b ? a - b : 0;
}

/*
 * Clean page cache that no process has mapped. The lists are without shared
 * memory and without what cannot be evicted. Mapped counts shared memory too,
 * so this is a lower bound.
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
			      values[CGROUP_WRITEBACK]);
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
			left = lesser(left,
				      less(figures->values[CGROUP_CURRENT],
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

/* Where memory.high and memory.max are equal, memory.high is never exceeded. */
static void find_own_limit(struct cgroup_limit *limit,
			   const struct cgroup_figures *figures)
{
	bool has_high = cgroup_has(figures, CGROUP_HIGH);
	bool has_max = cgroup_has(figures, CGROUP_MAX);
	uint64_t high = figures->values[CGROUP_HIGH];
	uint64_t max = figures->values[CGROUP_MAX];

	limit->has_limit = (has_high || has_max) && limit->has_reclaimable &&
			   cgroup_has(figures, CGROUP_CURRENT);
	if (!limit->has_limit)
		return;
	limit->is_high = has_high && (!has_max || high < max);
	limit->limit_bytes = limit->is_high ? high : max;
	limit->left_bytes = (int64_t)limit->limit_bytes -
			    (int64_t)figures->values[CGROUP_CURRENT] +
			    (int64_t)limit->reclaimable_bytes;
}

/* The nearest limit of the parent, or of the host for the root. */
static void find_nearest(struct limits *limits, const struct cgroups *cgroups)
{
	for (size_t i = 0; i < cgroups->count; i++) {
		struct cgroup_limit *limit = &limits->cgroups[i];
		size_t parent = cgroups->cgroups[i].parent;

		if (parent != CGROUP_NONE) {
			const struct cgroup_limit *above =
				&limits->cgroups[parent];

			limit->has_nearest = above->has_nearest;
			limit->nearest = above->nearest;
			limit->nearest_left_bytes = above->nearest_left_bytes;
		} else if (limits->has_host) {
			limit->has_nearest = true;
			limit->nearest = LIMIT_HOST;
			limit->nearest_left_bytes =
				(int64_t)limits->host_available_bytes;
		}
		if (!limit->has_limit ||
		    (limit->has_nearest &&
		     limit->nearest_left_bytes < limit->left_bytes))
			continue;
		limit->has_nearest = true;
		limit->nearest = i;
		limit->nearest_left_bytes = limit->left_bytes;
	}
}

/* How much of a limit cannot be reclaimed, from 0 to 1 and above. */
static double fullness(const struct limits *limits, size_t whose)
{
	const struct cgroup_limit *limit;

	if (whose == LIMIT_HOST)
		return 1 - (double)limits->host_available_bytes /
				   (double)limits->host_bytes;
	limit = &limits->cgroups[whose];
	if (!limit->limit_bytes)
		return 1;
	return 1 - (double)limit->left_bytes / (double)limit->limit_bytes;
}

/*
 * In version 2 only the root has both processes and children with memory files.
 */
static bool may_have_processes(const struct cgroups *cgroups, size_t index)
{
	return index == 0 || !cgroups->cgroups[index].has_children ||
	       cgroups->hierarchy.version == CGROUP_V1;
}

static void find_next(struct limits *limits, const struct cgroups *cgroups)
{
	for (size_t i = 0; i < cgroups->count; i++) {
		const struct cgroup_limit *limit = &limits->cgroups[i];

		if (!limit->has_nearest || !may_have_processes(cgroups, i))
			continue;
		if (limits->has_next && fullness(limits, limit->nearest) <=
						fullness(limits, limits->next))
			continue;
		limits->has_next = true;
		limits->next = limit->nearest;
	}
}

static void take_host(struct limits *limits, const struct zoneinfo *zones,
		      uint64_t page_size)
{
	limits->has_host = true;
	limits->host_bytes =
		zoneinfo_managed_pages(zones, ZONEINFO_ALL_NODES) * page_size;
	limits->host_available_bytes =
		zoneinfo_available_pages(zones, ZONEINFO_ALL_NODES) * page_size;
	for (size_t i = 0; i < zones->count; i++) {
		const struct zone *zone = &zones->zones[i];

		if (zone->free_pages < zone->low_pages &&
		    (!limits->low_zone ||
		     zone->low_pages - zone->free_pages >
			     limits->low_zone->low_pages -
				     limits->low_zone->free_pages))
			limits->low_zone = zone;
	}
}

int limits_init(struct limits *limits, const struct cgroups *cgroups,
		const struct zoneinfo *zones, uint64_t page_size)
{
	*limits = (struct limits){ 0 };
	limits->cgroups = calloc(cgroups->count + 1, sizeof(*limits->cgroups));
	if (!limits->cgroups)
		return -ENOMEM;
	if (page_size)
		take_host(limits, zones, page_size);
	find_reclaimable(limits, cgroups);
	for (size_t i = 0; i < cgroups->count; i++)
		find_own_limit(&limits->cgroups[i],
			       &cgroups->cgroups[i].figures);
	find_nearest(limits, cgroups);
	find_next(limits, cgroups);
	return 0;
}

void limits_deinit(struct limits *limits)
{
	free(limits->cgroups);
	*limits = (struct limits){ 0 };
}

const char *limit_name(const struct cgroups *cgroups,
		       const struct cgroup_limit *limit)
{
	if (cgroups->hierarchy.version == CGROUP_V1)
		return "memory.limit_in_bytes";
	return limit->is_high ? "memory.high" : "memory.max";
}

static void put_size(FILE *out, int64_t bytes, bool plain)
{
	char text[SIZE_TEXT_LENGTH];

	if (plain)
		fprintf(out, "%" PRId64, bytes);
	else
		fputs(size_text(bytes, text), out);
}

static void print_host(FILE *out, const struct limits *limits,
		       uint64_t page_size, bool bytes)
{
	const struct zone *zone = limits->low_zone;

	fputs("the host: ", out);
	put_size(out, (int64_t)limits->host_available_bytes, bytes);
	fputs(" of ", out);
	put_size(out, (int64_t)limits->host_bytes, bytes);
	fputs(" are available", out);
	if (!zone) {
		fputs("; no zone is below its low watermark", out);
		return;
	}
	fprintf(out, "; node %u, zone %s has ", zone->node, zone->name);
	put_size(out, (int64_t)(zone->free_pages * page_size), bytes);
	fputs(" free, less than its low watermark of ", out);
	put_size(out, (int64_t)(zone->low_pages * page_size), bytes);
}

/* "/web.slice: 93 % of memory.max 2G, 1.1G of it can be reclaimed; ..." */
static void print_cgroup(FILE *out, const struct limits *limits,
			 const struct cgroups *cgroups, bool bytes)
{
	const struct cgroup_limit *limit = &limits->cgroups[limits->next];
	const struct cgroup *cgroup = &cgroups->cgroups[limits->next];
	double current = (double)cgroup->figures.values[CGROUP_CURRENT];

	wrap_put_name(out, cgroup->path);
	if (cgroup->container) {
		fputs(" (", out);
		wrap_put_name(out, cgroup->container);
		fputc(')', out);
	}
	if (limit->limit_bytes)
		fprintf(out, ": %.0f %% of",
			100 * current / (double)limit->limit_bytes);
	else
		fputs(": all of", out);
	fprintf(out, " %s ", limit_name(cgroups, limit));
	put_size(out, (int64_t)limit->limit_bytes, bytes);
	fputs(", ", out);
	put_size(out, (int64_t)limit->reclaimable_bytes, bytes);
	fputs(" of it can be reclaimed; ", out);
	if (limit->left_bytes > 0)
		put_size(out, limit->left_bytes, bytes);
	else
		fputs("nothing", out);
	fputs(" left", out);
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
	size_t size;
	FILE *sentence;

	if (!limits->has_next)
		return 0;
	sentence = text_stream_open(&text, &size);
	if (!sentence)
		return -ENOMEM;
	fputs("Next limit: ", sentence);
	if (limits->next == LIMIT_HOST)
		print_host(sentence, limits, page_size, style->bytes);
	else
		print_cgroup(sentence, limits, cgroups, style->bytes);
	if (text_stream_close(sentence, &text) < 0)
		return -ENOMEM;
	wrap_print(out, text, size, &wrap);
	return 0;
}
