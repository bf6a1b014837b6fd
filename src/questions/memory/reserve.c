// SPDX-License-Identifier: GPL-2.0-or-later
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "lib/lesser.h"
#include "lib/number.h"
#include "lib/sentence.h"
#include "measure/zoneinfo.h"
#include "memory/available.h"
#include "memory/memory_reading.h"
#include "memory/reserve.h"

/* khugepaged raises vm.min_free_kbytes to 11 huge pages a zone, at most. */
#define HUGE_PAGES_A_ZONE 11
#define USUAL_ZONES 3
/* It takes no more than this part of memory for that. */
#define MOST_PART 20
#define LEAST_MIN_FREE_KIB 128
#define MOST_MIN_FREE_KIB 262144
#define USUAL_WATERMARK_SCALE 10
#define LEAST_USUAL_RATIO 32

/*
 * What a zone keeps from allocations that could use a higher zone is what these
 * manage, divided by this (vm.lowmem_reserve_ratio; mm/page_alloc.c has had
 * these values since Linux 4.17). Other zones have none. A zone may keep more
 * with the usual ratio, too: a balloon takes pages, and nobody divides again.
 */
static const struct {
	const char *zone;
	int64_t ratio;
} usual_ratios[] = {
	{ "DMA", 256 },
	{ "DMA32", 256 },
	{ "Normal", LEAST_USUAL_RATIO },
};

/* By cause: pages, or 1/10,000 of a zone. */
struct settings {
	int64_t is[RESERVE_CAUSES];
};

/* The low and high watermarks of a zone. */
struct marks {
	int64_t low, high;
};

static int64_t zones_with_memory(const struct memory_reading *reading)
{
	int64_t count = 0;

	for (size_t i = 0; i < reading->zones.count; i++)
		count += zone_has_memory(&reading->zones.zones[i]);
	return count;
}

/*
 * The kernel's own vm.min_free_kbytes, in pages: the root of 16 times as many
 * KiB as there are, or what khugepaged makes of it.
 */
static int64_t usual_min_free(const struct memory_reading *reading)
{
	const int64_t page_size = (int64_t)reading->page_size;
	int64_t total = memory_get(&reading->fields, MEMORY_TOTAL);
	int64_t huge = page_size / (int64_t)sizeof(uint64_t); /* pages */
	double kib = (double)total * (double)page_size / 1024;
	int64_t root = LEAST_MIN_FREE_KIB;

	while (root < MOST_MIN_FREE_KIB && (double)(root * root) < 16 * kib)
		root++;
	return greater(
		root * 1024 / page_size,
		lesser(HUGE_PAGES_A_ZONE * huge *
			       greater(zones_with_memory(reading), USUAL_ZONES),
		       total / MOST_PART));
}

/* Their min watermark does not depend on a setting. */
static bool has_fixed_min(const struct zone *zone)
{
	return strcmp(zone->name, "Movable") == 0 ||
	       strcmp(zone->name, "HighMem") == 0;
}

/* Damaged files may say anything. */
static int64_t part_of(int64_t number, double part)
{
	double pages = (double)number * part;

	return pages < (double)MEMORY_MOST_PAGES ? (int64_t)pages :
						   (int64_t)MEMORY_MOST_PAGES;
}

/*
 * What of the watermarks follows from settings (setup_per_zone_wmarks() in
 * mm/page_alloc.c, the same from Linux 4.6 to 7.3; before, there is no scale).
 * @shared: pages of the zones that share vm.min_free_kbytes.
 */
static struct marks marks_of(const struct zone *zone, int64_t shared,
			     const struct settings *settings)
{
	const int64_t *is = settings->is;
	double pages = (double)zone_pages(zone);
	double part = pages / (double)greater(shared, 1);
	int64_t min = part_of(is[RESERVE_MIN_FREE], part);
	int64_t scaled = part_of(is[RESERVE_WATERMARK_SCALE], pages / 10000);
	int64_t gap = greater(min / 4, scaled);
	int64_t low = (has_fixed_min(zone) ? 0 : min) + gap +
		      part_of(is[RESERVE_EXTRA_FREE], part);

	return (struct marks){ low, low + gap };
}

static int64_t usual_ratio(const struct zone *zone)
{
	for (size_t i = 0; i < sizeof(usual_ratios) / sizeof(*usual_ratios);
	     i++) {
		if (strcmp(zone->name, usual_ratios[i].zone) == 0)
			return usual_ratios[i].ratio;
	}
	return 0;
}

/* What the zone at @index keeps beyond what it does by the usual ratio. */
static int64_t more_for_higher_zones(const struct zoneinfo *zones, size_t index)
{
	const struct zone *zone = &zones->zones[index];
	const int64_t ratio = usual_ratio(zone);
	int64_t higher = 0;

	if (!zone_has_memory(zone))
		return 0;
	for (size_t i = index + 1;
	     i < zones->count && zones->zones[i].node == zone->node; i++)
		higher += greater(zones->zones[i].managed_pages, 0);
	return greater(zone->reserve_pages - (ratio ? higher / ratio : 0), 0);
}

/* Of all zones, if a ratio was lowered. */
static int64_t all_for_higher_zones(const struct memory_reading *reading)
{
	const struct memory_fields *fields = &reading->fields;
	int64_t pages = 0;

	if (!memory_has(fields, MEMORY_LOWMEM_RATIO) ||
	    memory_get(fields, MEMORY_LOWMEM_RATIO) >= LEAST_USUAL_RATIO)
		return 0;
	for (size_t i = 0; i < reading->zones.count; i++)
		pages += more_for_higher_zones(&reading->zones, i);
	return pages;
}

/* Sets what would be kept back if the settings of @reading were others. */
static void keep(struct available *with, const struct memory_reading *reading,
		 const struct settings *now, const struct settings *then)
{
	const struct zoneinfo *zones = &reading->zones;
	int64_t shared = 0, low_pages = 0;

	with->reserve = 0;
	for (size_t i = 0; i < zones->count; i++) {
		if (zone_has_memory(&zones->zones[i]) &&
		    !has_fixed_min(&zones->zones[i]))
			shared += zone_pages(&zones->zones[i]);
	}
	for (size_t i = 0; i < zones->count; i++) {
		struct zone zone = zones->zones[i];
		struct marks are = marks_of(&zone, shared, now);
		struct marks were = marks_of(&zone, shared, then);

		if (!zone_has_memory(&zone))
			continue;
		if (then->is[RESERVE_LOWMEM] < now->is[RESERVE_LOWMEM])
			zone.reserve_pages -= more_for_higher_zones(zones, i);
		zone.low_pages =
			greater(zone.low_pages - (are.low - were.low), 0);
		zone.high_pages =
			greater(zone.high_pages - (are.high - were.high), 0);
		low_pages += zone.low_pages;
		with->reserve += greater(zone_reserve_pages(&zone), 0);
	}
	if (available_reserve_is_low(reading))
		with->reserve = low_pages;
	if (with->known)
		available_compute(with, low_pages);
	with->low = low_pages;
}

bool reserve_has(struct reserve *reserve, const struct memory_reading *reading,
		 enum reserve_cause cause)
{
	const struct memory_fields *fields = &reading->fields;
	const struct settings now = { {
		[RESERVE_MIN_FREE] = memory_get(fields, MEMORY_MIN_FREE),
		[RESERVE_EXTRA_FREE] = memory_get(fields, MEMORY_EXTRA_FREE),
		[RESERVE_WATERMARK_SCALE] =
			memory_get(fields, MEMORY_WATERMARK_SCALE),
		[RESERVE_LOWMEM] = all_for_higher_zones(reading),
	} };
	const int64_t min_free = usual_min_free(reading);
	const struct {
		int64_t usual, most; /* what is more was raised */
	} kinds[RESERVE_CAUSES] = {
		[RESERVE_MIN_FREE] = { min_free, 2 * min_free },
		[RESERVE_EXTRA_FREE] = { 0, min_free },
		[RESERVE_WATERMARK_SCALE] = { USUAL_WATERMARK_SCALE,
					      2 * USUAL_WATERMARK_SCALE + 1 },
		[RESERVE_LOWMEM] = { 0, min_free },
	};
	struct settings none = now, usual = now;
	struct available is, without, with;

	/* contradiction.h says what cannot be. */
	if (now.is[cause] <= kinds[cause].most ||
	    (cause != RESERVE_WATERMARK_SCALE &&
	     now.is[cause] > memory_get(fields, MEMORY_TOTAL)) ||
	    !memory_has(fields, MEMORY_ZONE_RESERVE))
		return false;
	none.is[cause] = 0;
	usual.is[cause] = kinds[cause].usual;
	memory_available(&is, reading);
	without = with = is;
	keep(&is, reading, &now, &now);
	keep(&without, reading, &now, &none);
	keep(&with, reading, &now, &usual);
	*reserve = (struct reserve){
		.cause = cause,
		.pages = is.reserve - without.reserve,
		/* Where it is not known what is kept of caches: all of it. */
		.gain = is.known ? with.result - is.result :
				   lesser(is.reserve - with.reserve +
						  2 * (is.low - with.low),
					  memory_get(fields, MEMORY_TOTAL)),
		.setting = now.is[cause],
		.usual = kinds[cause].usual,
	};
	return reserve->pages > 0;
}

void reserve_find(struct reserve *reserve, const struct memory_reading *reading)
{
	struct reserve found;

	*reserve = (struct reserve){ 0 };
	for (enum reserve_cause cause = RESERVE_USUAL + 1;
	     cause < RESERVE_CAUSES; cause++) {
		if (reserve_has(&found, reading, cause) &&
		    found.pages > reserve->pages)
			*reserve = found;
	}
}

void reserve_usual_setting(const struct reserve *reserve,
			   const struct memory_reading *reading, char *text,
			   size_t size)
{
	const struct zoneinfo *zones = &reading->zones;

	if (reserve->cause != RESERVE_LOWMEM) {
		snprintf(text, size, "%" PRId64,
			 reserve->cause == RESERVE_WATERMARK_SCALE ?
				 reserve->usual :
				 reserve->usual * (int64_t)reading->page_size /
					 1024);
		return;
	}
	*text = '\0';
	for (size_t i = 0;
	     i < zones->count && zones->zones[i].node == zones->zones->node;
	     i++)
		add_text(text, size, "%s%" PRId64, i ? " " : "\"",
			 usual_ratio(&zones->zones[i]));
	add_text(text, size, "\"");
}

void reserve_text(const struct reserve *reserve,
		  const struct memory_reading *reading, char *text, size_t size)
{
	const int64_t page_size = (int64_t)reading->page_size;
	int64_t total = memory_get(&reading->fields, MEMORY_TOTAL);

	*text = '\0';
	if (reserve->cause == RESERVE_USUAL)
		return;
	if (reserve->cause == RESERVE_LOWMEM)
		add_text(text, size,
			 "vm.lowmem_reserve_ratio is lower than usual");
	else if (reserve->cause == RESERVE_WATERMARK_SCALE)
		add_text(text, size,
			 "vm.watermark_scale_factor is %" PRId64
			 " (usual is %" PRId64 ")",
			 reserve->setting, reserve->usual);
	else
		add_text(text, size,
			 "vm.%s_free_kbytes is %s (%.0f%% of memory; usual "
			 "here is %s%s)",
			 reserve->cause == RESERVE_MIN_FREE ? "min" : "extra",
			 SIZE(reserve->setting * page_size),
			 100 * (double)reserve->setting / (double)total,
			 SIZE(reserve->usual * page_size),
			 reserve->usual ? " or less" : "");
	add_text(text, size, ", which keeps %s from programs",
		 SIZE(reserve->pages * page_size));
}
