// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/number.h"
#include "memory/memory_fields.h"
#include "memory/zoneinfo.h"

static const char *skip_spaces(const char *text)
{
	return text + strspn(text, " \t");
}

/* If @line begins with @word and a space, sets *@number to what follows. */
static bool take(const char *line, const char *word, int64_t *number)
{
	size_t length = strlen(word);
	uint64_t value;

	if (strncmp(line, word, length) != 0 || line[length] != ' ')
		return false;
	line = skip_spaces(line + length);
	if (!number_scan(&line, MEMORY_MOST_PAGES, &value))
		return false;
	*number = (int64_t)value;
	return true;
}

/* Parses "protection: (0, 813, 813)" and takes the largest. */
static void take_protection(struct memory_zone *zone, const char *line)
{
	uint64_t value;

	for (line += strcspn(line, "("); *line && *line != '\n'; line++) {
		if (number_scan(&line, MEMORY_MOST_PAGES, &value) &&
		    (int64_t)value > zone->protection)
			zone->protection = (int64_t)value;
		if (!*line || *line == '\n')
			break;
	}
}

static void add(int64_t *sum, int64_t number)
{
	*sum = (*sum < 0 ? 0 : *sum) + number;
}

/* "high:" is of a processor's list, "high" of the zone. */
static void parse_line(struct memory_zone *zone, const char *line)
{
	int64_t number;

	if (take(line, "pages free", &zone->free) ||
	    take(line, "min", &zone->min) || take(line, "low", &zone->low) ||
	    take(line, "high", &zone->high) ||
	    take(line, "spanned", &zone->spanned) ||
	    take(line, "present", &zone->present) ||
	    take(line, "managed", &zone->managed))
		return;
	if (take(line, "count:", &number))
		add(&zone->per_cpu, number);
	else if (take(line, "vm stats threshold:", &number))
		add(&zone->lag, number);
	else if (strncmp(line, "protection:", strlen("protection:")) == 0)
		take_protection(zone, line);
}

/* Parses "Node 0, zone    DMA32" into another zone. Returns 1, 0 or -ENOMEM. */
static int begin_zone(struct memory_zones *zones, const char *line)
{
	struct memory_zone zone = {
		.free = -1,
		.per_cpu = -1,
		.min = -1,
		.low = -1,
		.high = -1,
		.spanned = -1,
		.present = -1,
		.managed = -1,
		.protection = -1,
		.lag = -1,
	};
	void *larger;

	if (sscanf(line, "Node %u, zone %15s", &zone.node, zone.name) != 2)
		return 0;
	larger = realloc(zones->zones,
			 (zones->count + 1) * sizeof(*zones->zones));
	if (!larger)
		return -ENOMEM;
	zones->zones = larger;
	zones->zones[zones->count++] = zone;
	return 1;
}

int zoneinfo_parse(struct memory_zones *zones, const char *text)
{
	*zones = (struct memory_zones){ 0 };
	while (*text) {
		int ret = begin_zone(zones, text);

		if (ret < 0)
			return ret;
		if (!ret && zones->count)
			parse_line(&zones->zones[zones->count - 1],
				   skip_spaces(text));
		text += strcspn(text, "\n");
		text += *text == '\n';
	}
	return 0;
}

void memory_zones_deinit(struct memory_zones *zones)
{
	free(zones->zones);
	*zones = (struct memory_zones){ 0 };
}

/* A zone without pages has fewer lines in the file. */
static bool has_pages(const struct memory_zone *zone)
{
	return zone->present || zone->managed > 0;
}

/*
 * What the kernel keeps back in this zone (calculate_totalreserve_pages() in
 * mm/page_alloc.c, the same from 3.10 to 7.3), or -1.
 */
static int64_t reserve(const struct memory_zone *zone)
{
	int64_t pages = zone->protection + zone->high;

	if (zone->protection < 0 || zone->high < 0 || zone->managed < 0)
		return -1;
	return pages < zone->managed ? pages : zone->managed;
}

/* Sets a field to the sum over all zones with pages, if all have a figure. */
static void add_up(const struct memory_zones *zones,
		   struct memory_fields *fields, enum memory_field field,
		   int64_t (*figure)(const struct memory_zone *zone))
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

static int64_t get_free(const struct memory_zone *zone)
{
	return zone->free;
}

static int64_t get_per_cpu(const struct memory_zone *zone)
{
	return zone->per_cpu;
}

static int64_t get_low(const struct memory_zone *zone)
{
	return zone->low;
}

static int64_t get_managed(const struct memory_zone *zone)
{
	return zone->managed;
}

static int64_t get_present(const struct memory_zone *zone)
{
	return zone->present;
}

static int64_t get_spanned(const struct memory_zone *zone)
{
	return zone->spanned;
}

/*
 * A node's counts are behind by no more than those of its zone with the highest
 * threshold (refresh_zone_stat_thresholds() in mm/vmstat.c).
 */
static void add_up_lag(const struct memory_zones *zones,
		       struct memory_fields *fields)
{
	int64_t sum = 0, highest = -1;

	for (size_t i = 0; i < zones->count; i++) {
		const struct memory_zone *zone = &zones->zones[i];
		bool is_last = i + 1 == zones->count ||
			       zone[1].node != zone->node;

		if (zone->lag > highest)
			highest = zone->lag;
		if (!is_last)
			continue;
		sum += highest > 0 ? highest : 0;
		highest = -1;
	}
	if (zones->count)
		memory_set(fields, MEMORY_ZONE_LAG, sum);
}

void memory_zones_add_up(const struct memory_zones *zones,
			 struct memory_fields *fields)
{
	add_up(zones, fields, MEMORY_ZONE_FREE, get_free);
	add_up(zones, fields, MEMORY_ZONE_PER_CPU, get_per_cpu);
	add_up(zones, fields, MEMORY_ZONE_LOW, get_low);
	add_up(zones, fields, MEMORY_ZONE_MANAGED, get_managed);
	add_up(zones, fields, MEMORY_ZONE_PRESENT, get_present);
	add_up(zones, fields, MEMORY_ZONE_SPANNED, get_spanned);
	add_up(zones, fields, MEMORY_ZONE_RESERVE, reserve);
	add_up_lag(zones, fields);
}
