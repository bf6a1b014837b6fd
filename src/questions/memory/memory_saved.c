// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/cleanup.h"
#include "lib/json_out.h"
#include "lib/string_list.h"
#include "measure/saved.h"
#include "memory/memory_reading.h"
#include "memory/memory_saved.h"

#define MAX_PROCESSORS 65536

static const char *const balloons[] = {
	[MEMORY_BALLOON_NONE] = "none",
	[MEMORY_BALLOON_INSIDE] = "inside",
	[MEMORY_BALLOON_OUTSIDE] = "outside",
};

static const char *const vmalloc_keys[MEMORY_VMALLOC_KINDS] = {
	[MEMORY_VMALLOC_STACKS] = "stacks",
	[MEMORY_VMALLOC_MODULES] = "modules",
	[MEMORY_VMALLOC_BPF] = "bpf",
	[MEMORY_VMALLOC_CHUNKS] = "per_cpu_lists",
	[MEMORY_VMALLOC_OTHER] = "other",
};

/* A zone's figures, by their keys. */
struct zone_figure {
	const char *key;
	size_t place; /* of an int64_t in struct zone */
};

static const struct zone_figure zone_figures[] = {
	{ "free", offsetof(struct zone, free_pages) },
	{ "per_cpu", offsetof(struct zone, cpu_lists_pages) },
	{ "min", offsetof(struct zone, min_pages) },
	{ "low", offsetof(struct zone, low_pages) },
	{ "high", offsetof(struct zone, high_pages) },
	{ "spanned", offsetof(struct zone, spanned_pages) },
	{ "present", offsetof(struct zone, present_pages) },
	{ "managed", offsetof(struct zone, managed_pages) },
	{ "free_cma", offsetof(struct zone, cma_pages) },
	{ "protection", offsetof(struct zone, reserve_pages) },
	{ "lag", offsetof(struct zone, lag_pages) },
};

#define ZONE_FIGURES (sizeof(zone_figures) / sizeof(*zone_figures))

static int64_t *figure_of(struct zone *zone, size_t which)
{
	return (int64_t *)((char *)zone + zone_figures[which].place);
}

static void write_counts(struct json_out *json,
			 const struct memory_fields *fields)
{
	json_out_object(json, "counts");
	for (enum memory_field field = 0; field < MEMORY_FIELDS; field++)
		json_out_signed_if(json, memory_field_name(field),
				   memory_has(fields, field),
				   fields->pages[field]);
	json_out_object_end(json);
}

/* Which counts were taken from /proc/meminfo, and its lines nobody knows. */
static void write_origins(struct json_out *json,
			  const struct memory_fields *fields)
{
	json_out_array(json, "of_meminfo");
	for (enum memory_field field = 0; field < MEMORY_FIELDS; field++) {
		if (fields->is_of_meminfo[field])
			json_out_string(json, NULL, memory_field_name(field));
	}
	json_out_array_end(json);
	json_out_array(json, "unknown_lines");
	for (size_t i = 0; i < fields->stray_count; i++) {
		json_out_object(json, NULL);
		json_out_string(json, "name", fields->strays[i].name);
		json_out_signed(json, "pages", fields->strays[i].pages);
		json_out_object_end(json);
	}
	json_out_array_end(json);
}

static void write_zones(struct json_out *json, const struct zoneinfo *zones)
{
	json_out_array(json, "zones");
	for (size_t i = 0; i < zones->count; i++) {
		struct zone zone = zones->zones[i];

		json_out_object(json, NULL);
		json_out_unsigned(json, "node", zone.node);
		json_out_string(json, "name", zone.name);
		for (size_t j = 0; j < ZONE_FIGURES; j++) {
			int64_t figure = *figure_of(&zone, j);

			json_out_signed_if(json, zone_figures[j].key,
					   figure >= 0, figure);
		}
		json_out_object_end(json);
	}
	json_out_array_end(json);
}

static void write_pools(struct json_out *json,
			const struct memory_reading *reading)
{
	json_out_bool(json, "default_pool_only",
		      reading->default_pool.size_kib);
	json_out_array(json, "huge_page_pools");
	for (size_t i = 0; i < reading->pool_count; i++) {
		const struct memory_pool *pool = &reading->pools[i];

		json_out_object(json, NULL);
		json_out_unsigned(json, "size_kib", pool->size_kib);
		json_out_signed(json, "total", pool->total);
		json_out_signed(json, "free", pool->free);
		json_out_signed(json, "reserved", pool->reserved);
		json_out_signed(json, "surplus", pool->surplus);
		json_out_object_end(json);
	}
	json_out_array_end(json);
}

static void write_vmalloc(struct json_out *json,
			  const struct memory_reading *reading)
{
	if (!reading->has_vmalloc) {
		json_out_null(json, "vmalloc");
		return;
	}
	json_out_object(json, "vmalloc");
	for (size_t i = 0; i < MEMORY_VMALLOC_KINDS; i++)
		json_out_signed(json, vmalloc_keys[i], reading->vmalloc[i]);
	json_out_object_end(json);
}

static void write_baseline(struct json_out *json,
			   const struct memory_baseline *baseline)
{
	if (!baseline->known || baseline->rest_bytes < 0) {
		json_out_null(json, "baseline");
		return;
	}
	json_out_object(json, "baseline");
	json_out_string(json, "taken_at", baseline->taken_at);
	json_out_signed(json, "unaccounted_bytes", baseline->rest_bytes);
	json_out_object_end(json);
}

void memory_saved_write(struct json_out *json,
			const struct memory_reading *reading)
{
	json_out_object(json, "memory");
	json_out_unsigned(json, "page_size_bytes", reading->page_size);
	json_out_unsigned(json, "processors", reading->processors);
	json_out_unsigned(json, "samples", reading->samples);
	json_out_bool(json, "settled", reading->settled);
	json_out_signed(json, "spread", reading->spread_pages);
	json_out_bool(json, "estimated_first_chunk",
		      reading->estimated_first_chunk);
	json_out_string(json, "balloon", balloons[reading->balloon]);
	write_counts(json, &reading->fields);
	write_origins(json, &reading->fields);
	json_out_signed(json, "zoneinfo_errno", reading->zoneinfo_failed);
	write_zones(json, &reading->zones);
	write_pools(json, reading);
	write_vmalloc(json, reading);
	write_baseline(json, &reading->baseline);
	json_out_object_end(json);
}

/* Returns as json_in_number(), for a signed number that is not negative. */
static int read_count(struct json_value object, const char *key, int64_t *count)
{
	uint64_t number;
	int ret = json_in_number(object, key, MEMORY_MOST_PAGES, &number);

	if (ret > 0)
		*count = (int64_t)number;
	return ret;
}

/* A version of bufstat that knows fewer counts may have written it. */
static int read_counts(struct json_value memory, struct memory_fields *fields)
{
	struct json_value counts;
	int ret = json_in_object(memory, "counts", &counts);

	for (enum memory_field field = 0; ret > 0 && field < MEMORY_FIELDS;
	     field++) {
		int64_t count;

		if (read_count(counts, memory_field_name(field), &count) > 0)
			memory_set(fields, field, count);
	}
	return ret > 0 ? 1 : -EBADMSG;
}

static int read_lines(struct json_value memory, struct memory_fields *fields)
{
	struct json_value line = { 0 };
	size_t count;
	int ret = json_in_array(memory, "unknown_lines", &line, &count);

	if (ret <= 0 || count > MEMORY_STRAYS)
		return -EBADMSG;
	for (size_t i = 0; i < count; i++) {
		struct memory_stray *stray = &fields->strays[i];
		const char *name;

		if (json_in_string(line, "name", &name) <= 0 ||
		    read_count(line, "pages", &stray->pages) <= 0)
			return -EBADMSG;
		snprintf(stray->name, sizeof(stray->name), "%s", name);
		if (i + 1 < count)
			line = json_in_next(line);
	}
	fields->stray_count = count;
	return 1;
}

/* Older versions of bufstat wrote none of it. */
static int read_origins(struct json_value memory,
			struct memory_reading *reading)
{
	_cleanup_(string_list_deinit) struct string_list names = { 0 };
	struct memory_fields *fields = &reading->fields;
	uint64_t number;
	int ret;

	if (!json_in_has(memory, "of_meminfo"))
		return 1;
	if (json_in_number(memory, "zoneinfo_errno", INT16_MAX, &number) <= 0)
		return -EBADMSG;
	reading->zoneinfo_failed = (int)number;
	ret = json_in_strings(memory, "of_meminfo", &names);
	for (size_t i = 0; ret > 0 && i < names.count; i++) {
		enum memory_field field =
			memory_field_find(MEMORY_VMSTAT, names.strings[i],
					  strlen(names.strings[i]));

		if (field == MEMORY_FIELDS)
			return -EBADMSG;
		fields->is_of_meminfo[field] = true;
	}
	return ret > 0 ? read_lines(memory, fields) : ret ?: -EBADMSG;
}

static int read_zone(struct json_value from, struct zone *zone)
{
	const char *name;
	uint64_t node;

	if (json_in_number(from, "node", UINT32_MAX, &node) <= 0 ||
	    json_in_string(from, "name", &name) <= 0)
		return -EBADMSG;
	*zone = (struct zone){ .node = (unsigned int)node };
	snprintf(zone->name, sizeof(zone->name), "%s", name);
	for (size_t i = 0; i < ZONE_FIGURES; i++) {
		*figure_of(zone, i) = -1;
		/* An older bufstat wrote fewer. */
		if (json_in_has(from, zone_figures[i].key) &&
		    read_count(from, zone_figures[i].key, figure_of(zone, i)) <
			    0)
			return -EBADMSG;
	}
	return 1;
}

static int read_zones(struct json_value memory, struct zoneinfo *zones)
{
	struct json_value zone = { 0 };
	size_t count;
	int ret = json_in_array(memory, "zones", &zone, &count);

	if (ret <= 0)
		return -EBADMSG;
	zones->zones = calloc(count + 1, sizeof(*zones->zones));
	if (!zones->zones)
		return -ENOMEM;
	for (; ret > 0 && zones->count < count; zones->count++) {
		ret = read_zone(zone, &zones->zones[zones->count]);
		if (zones->count + 1 < count)
			zone = json_in_next(zone);
	}
	return ret;
}

static int read_pool(struct json_value from, struct memory_pool *pool)
{
	return json_in_number(from, "size_kib", UINT32_MAX, &pool->size_kib) >
				       0 &&
			       read_count(from, "total", &pool->total) > 0 &&
			       read_count(from, "free", &pool->free) > 0 &&
			       read_count(from, "reserved", &pool->reserved) >
				       0 &&
			       read_count(from, "surplus", &pool->surplus) > 0 ?
		       1 :
		       -EBADMSG;
}

static int read_pools(struct json_value memory, struct memory_reading *reading)
{
	struct json_value pool = { 0 };
	bool is_only;
	size_t count;
	int ret = json_in_array(memory, "huge_page_pools", &pool, &count);

	if (ret <= 0 || count > MEMORY_POOLS_ROOM)
		return -EBADMSG;
	for (size_t i = 0; ret > 0 && i < count; i++) {
		ret = read_pool(pool, &reading->pools[i]);
		if (ret > 0 && !memory_pool_is_sound(&reading->pools[i],
						     reading->page_size))
			ret = -EBADMSG;
		if (i + 1 < count)
			pool = json_in_next(pool);
	}
	reading->pool_count = count;
	/* An older bufstat does not say. */
	if (json_in_bool(memory, "default_pool_only", &is_only) > 0 && is_only)
		reading->default_pool = reading->pools[0];
	return ret;
}

static int read_vmalloc(struct json_value memory,
			struct memory_reading *reading)
{
	struct json_value vmalloc;
	int ret = json_in_object(memory, "vmalloc", &vmalloc);

	reading->has_vmalloc = ret > 0;
	for (size_t i = 0; ret > 0 && i < MEMORY_VMALLOC_KINDS; i++)
		ret = read_count(vmalloc, vmalloc_keys[i],
				 &reading->vmalloc[i]);
	return ret < 0 || (reading->has_vmalloc && !ret) ? -EBADMSG : 1;
}

/* Older versions of bufstat wrote none. */
static int read_baseline(struct json_value memory,
			 struct memory_baseline *baseline)
{
	struct json_value from;
	const char *taken_at;
	uint64_t bytes;

	if (!json_in_has(memory, "baseline"))
		return 1;
	switch (json_in_object(memory, "baseline", &from)) {
	case 0:
		return 1;
	case 1:
		break;
	default:
		return -EBADMSG;
	}
	if (json_in_string(from, "taken_at", &taken_at) <= 0 ||
	    json_in_number(from, "unaccounted_bytes", INT64_MAX / 4, &bytes) <=
		    0)
		return -EBADMSG;
	*baseline = (struct memory_baseline){
		.known = true,
		.rest_bytes = (int64_t)bytes,
	};
	snprintf(baseline->taken_at, sizeof(baseline->taken_at), "%s",
		 taken_at);
	return 1;
}

static int read_balloon(struct json_value memory,
			struct memory_reading *reading)
{
	const char *text;

	if (json_in_string(memory, "balloon", &text) <= 0)
		return -EBADMSG;
	for (size_t i = 0; i < sizeof(balloons) / sizeof(*balloons); i++) {
		if (strcmp(text, balloons[i]) == 0) {
			reading->balloon = (enum memory_balloon)i;
			return 1;
		}
	}
	return -EBADMSG;
}

static int read_head(struct json_value memory, struct memory_reading *reading)
{
	uint64_t processors, samples;

	if (saved_read_page_size(memory, &reading->page_size) < 0 ||
	    json_in_number(memory, "processors", MAX_PROCESSORS, &processors) <=
		    0 ||
	    json_in_number(memory, "samples", UINT8_MAX, &samples) <= 0 ||
	    json_in_bool(memory, "settled", &reading->settled) <= 0 ||
	    read_count(memory, "spread", &reading->spread_pages) <= 0 ||
	    json_in_bool(memory, "estimated_first_chunk",
			 &reading->estimated_first_chunk) <= 0)
		return -EBADMSG;
	reading->processors = (unsigned int)processors;
	reading->samples = (unsigned int)samples;
	return 1;
}

int memory_saved_read(const struct saved *saved, struct memory_reading *reading)
{
	struct json_value memory;
	int ret = json_in_object(saved->reading, "memory", &memory);

	/*
	 * Missing, as in older files, or damaged: which, cannot be told. Those
	 * have the page size with the devices.
	 */
	if (ret <= 0) {
		if (json_in_object(saved->reading, "devices", &memory) > 0 &&
		    saved_read_page_size(memory, &reading->page_size) < 0)
			reading->page_size = 0;
		return 0;
	}
	ret = read_head(memory, reading);
	if (ret > 0)
		ret = read_balloon(memory, reading);
	if (ret > 0)
		ret = read_counts(memory, &reading->fields);
	if (ret > 0)
		ret = read_origins(memory, reading);
	if (ret > 0)
		ret = read_zones(memory, &reading->zones);
	if (ret > 0)
		ret = read_pools(memory, reading);
	if (ret > 0)
		ret = read_vmalloc(memory, reading);
	if (ret > 0)
		ret = read_baseline(memory, &reading->baseline);
	return ret;
}
