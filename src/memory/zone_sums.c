// SPDX-License-Identifier: GPL-2.0-or-later
#include <stdbool.h>
#include <stddef.h>

#include "measure/zoneinfo.h"
#include "memory/memory_fields.h"
#include "memory/zone_sums.h"

/* A zone without pages has fewer lines in the file. */
static bool has_pages(const struct zone *zone)
{
	return zone->present_pages || zone->managed_pages > 0;
}

/* Sets a field to the sum over all zones with pages, if all have a figure. */
static void add_up(const struct zoneinfo *zones, struct memory_fields *fields,
		   enum memory_field field,
		   int64_t (*figure)(const struct zone *zone))
{
	int64_t sum = 0;

	for (size_t i = 0; i < zones->count; i++) {
		int64_t pages = figure(&zones->zones[i]);

		if (!has_pages(&zones->zones[i]))
			continue;
		if (pages < 0)
			return;
		sum += pages;
	}
	if (zones->count)
		memory_set(fields, field, sum);
}

static int64_t get_free(const struct zone *zone)
{
	return zone->free_pages;
}

static int64_t get_per_cpu(const struct zone *zone)
{
	return zone->cpu_lists_pages;
}

static int64_t get_low(const struct zone *zone)
{
	return zone->low_pages;
}

static int64_t get_managed(const struct zone *zone)
{
	return zone->managed_pages;
}

static int64_t get_present(const struct zone *zone)
{
	return zone->present_pages;
}

static int64_t get_cma(const struct zone *zone)
{
	return zone->cma_pages;
}

static int64_t get_spanned(const struct zone *zone)
{
	return zone->spanned_pages;
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
	add_up(zones, fields, MEMORY_ZONE_FREE, get_free);
	add_up(zones, fields, MEMORY_ZONE_PER_CPU, get_per_cpu);
	add_up(zones, fields, MEMORY_ZONE_LOW, get_low);
	add_up(zones, fields, MEMORY_ZONE_MANAGED, get_managed);
	add_up(zones, fields, MEMORY_ZONE_PRESENT, get_present);
	add_up(zones, fields, MEMORY_ZONE_SPANNED, get_spanned);
	add_up(zones, fields, MEMORY_ZONE_RESERVE, zone_reserve_pages);
	if (!memory_has(fields, MEMORY_CMA_FREE))
		add_up(zones, fields, MEMORY_CMA_FREE, get_cma);
	add_up_lag(zones, fields);
}
