// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "lib/array.h"
#include "lib/cleanup.h"
#include "memory/memory_heads.h"
#include "memory/memory_owners.h"
#include "memory/memory_reading.h"
#include "memory/memory_saved.h"
#include "recorded/growth_series.h"

static struct growth_series *
find_series(struct growth *growth, enum growth_kind kind, const char *name)
{
	for (size_t i = 0; i < growth->count; i++) {
		struct growth_series *series = &growth->series[i];

		if (series->kind == kind && strcmp(series->name, name) == 0)
			return series;
	}
	return NULL;
}

struct growth_series *growth_add_series(struct growth *growth,
					enum growth_kind kind, const char *name)
{
	struct growth_series *series = find_series(growth, kind, name);

	if (series ||
	    array_make_room(&growth->series, growth->count, &growth->room) < 0)
		return series;
	series = &growth->series[growth->count];
	*series = (struct growth_series){ .kind = kind, .name = strdup(name) };
	if (!series->name)
		return NULL;
	growth->count++;
	return series;
}

int growth_append(struct growth_series *series, int64_t real_ms, int64_t bytes)
{
	if (array_make_room(&series->points, series->count, &series->room) < 0)
		return -ENOMEM;
	series->points[series->count++] =
		(struct growth_point){ real_ms, bytes };
	return 0;
}

static int add_head(struct growth *growth, enum memory_head_id id,
		    int64_t bytes, int64_t real_ms)
{
	struct growth_series *series = growth_add_series(
		growth, GROWTH_MEMORY, memory_owners_head_key(id));

	return series ? growth_append(series, real_ms, bytes) : -ENOMEM;
}

int growth_take_heads(struct growth *growth, const struct saved *saved,
		      int64_t real_ms)
{
	_cleanup_(memory_reading_deinit) struct memory_reading memory = { 0 };
	int64_t page_size;
	struct memory_heads heads;
	int ret = memory_saved_read(saved, &memory);

	if (ret <= 0)
		return ret;
	page_size = (int64_t)memory.page_size;
	memory_heads_init(&heads, &memory);
	for (enum memory_head_id id = 0; ret >= 0 && id < MEMORY_HEADS; id++) {
		if (heads.heads[id].known)
			ret = add_head(growth, id,
				       heads.heads[id].pages * page_size,
				       real_ms);
	}
	if (ret >= 0 && heads.has_rest)
		ret = add_head(growth, MEMORY_HEADS, heads.rest * page_size,
			       real_ms);
	return ret < 0 ? ret : 0;
}

/* The index of the first series of the cache, or FILL_OF_NONE. */
static size_t find_cache(const struct growth *growth, unsigned int major,
			 unsigned int minor, bool is_bdev)
{
	enum growth_kind kind = is_bdev ? GROWTH_DEVICE : GROWTH_FILESYSTEM;

	for (size_t i = 0; i < growth->count; i++) {
		const struct growth_series *series = &growth->series[i];

		if (series->kind == kind && series->major == major &&
		    series->minor == minor)
			return i;
	}
	return FILL_OF_NONE;
}

void growth_resolve_fills(struct growth *growth)
{
	struct fills *fills = &growth->fills;

	for (; fills->unresolved < fills->count; fills->unresolved++) {
		struct recorded_fill *fill = &fills->fills[fills->unresolved];
		const struct trace_fill *of = &fill->fill;

		fill->series = fill->has_cache ?
				       find_cache(growth, of->major, of->minor,
						  of->is_bdev) :
				       FILL_OF_NONE;
	}
}

const char *growth_cache_name(const struct growth *growth, unsigned int major,
			      unsigned int minor, bool is_bdev)
{
	const char *name =
		cache_names_find(&growth->names, major, minor, is_bdev);
	size_t place = name ? FILL_OF_NONE :
			      find_cache(growth, major, minor, is_bdev);

	return place == FILL_OF_NONE ? name : growth->series[place].name;
}

int growth_label_devices(struct growth *growth)
{
	for (size_t i = 0; i < growth->count; i++) {
		struct growth_series *series = &growth->series[i];
		const char *name = cache_names_find(
			&growth->names, series->major, series->minor, true);

		if (series->kind != GROWTH_DEVICE || !name)
			continue;
		series->label = strdup(name);
		if (!series->label)
			return -ENOMEM;
	}
	return 0;
}

int growth_add_unmeasured(struct growth *growth)
{
	struct fills *fills = &growth->fills;

	for (size_t i = 0; i < fills->count; i++) {
		struct recorded_fill *fill = &fills->fills[i];
		const struct trace_fill *of = &fill->fill;
		enum growth_kind kind = of->is_bdev ? GROWTH_DEVICE :
						      GROWTH_FILESYSTEM;
		const char *name;
		struct growth_series *series;
		char number[32];

		if (fill->series != FILL_OF_NONE || !fill->has_cache)
			continue;
		name = growth_cache_name(growth, of->major, of->minor,
					 of->is_bdev);
		snprintf(number, sizeof(number), "%u:%u", of->major, of->minor);
		series = growth_add_series(growth, kind, name ? name : number);
		if (!series)
			return -ENOMEM;
		series->major = of->major;
		series->minor = of->minor;
		fill->series = (size_t)(series - growth->series);
	}
	return 0;
}
