// SPDX-License-Identifier: GPL-2.0-or-later
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#include "measure/zoneinfo.h"
#include "memory/memory_fields.h"
#include "memory/zone_sums.h"

/* A zone without pages has fewer lines in the file. */
static bool has_pages(const struct zone *zone)
{
	return zone->present_pages || zone->managed_pages > 0;
}

/* Sums over all zones with pages: what of a zone each is of. */
static const struct sum {
	enum memory_field field;
	size_t figure; /* its offset; 0: zone_reserve_pages() */
} sums[] = {
	{ MEMORY_ZONE_FREE, offsetof(struct zone, free_pages) },
	{ MEMORY_ZONE_PER_CPU, offsetof(struct zone, cpu_lists_pages) },
	{ MEMORY_ZONE_LOW, offsetof(struct zone, low_pages) },
	{ MEMORY_ZONE_MANAGED, offsetof(struct zone, managed_pages) },
	{ MEMORY_ZONE_PRESENT, offsetof(struct zone, present_pages) },
	{ MEMORY_ZONE_SPANNED, offsetof(struct zone, spanned_pages) },
	{ MEMORY_ZONE_RESERVE, 0 },
	{ MEMORY_CMA_FREE, offsetof(struct zone, cma_pages) },
};

/* Sets the field of a sum, if all zones have the figure. */
static void add_up(const struct zoneinfo *zones, struct memory_fields *fields,
		   const struct sum *sum)
{
	int64_t all = 0;

	for (size_t i = 0; i < zones->count; i++) {
		const struct zone *zone = &zones->zones[i];
		int64_t pages = zone_reserve_pages(zone);

		if (sum->figure)
			memcpy(&pages, (const char *)zone + sum->figure,
			       sizeof(pages));
		if (!has_pages(zone))
			continue;
		if (pages < 0)
			return;
		all += pages;
	}
	if (zones->count && !memory_has(fields, sum->field))
		memory_set(fields, sum->field, all);
}

/*
 * A node's counts are behind by no more than those of its zone with the highest
 * threshold (refresh_zone_stat_thresholds() in mm/vmstat.c).
 */
static void add_up_lag(const struct zoneinfo *zones,
		       struct memory_fields *fields)
{
	int64_t sum = 0, highest = -1;

	for (size_t i = 0; i < zones->count; i++) {
		const struct zone *zone = &zones->zones[i];
		bool is_last = i + 1 == zones->count ||
			       zone[1].node != zone->node;

		if (zone->lag_pages > highest)
			highest = zone->lag_pages;
		if (!is_last)
			continue;
		sum += highest > 0 ? highest : 0;
		highest = -1;
	}
	if (zones->count)
		memory_set(fields, MEMORY_ZONE_LAG, sum);
}

void memory_zones_add_up(const struct zoneinfo *zones,
			 struct memory_fields *fields)
{
	for (size_t i = 0; i < sizeof(sums) / sizeof(*sums); i++)
		add_up(zones, fields, &sums[i]);
	add_up_lag(zones, fields);
}
