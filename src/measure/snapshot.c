// SPDX-License-Identifier: GPL-2.0-or-later
#include <stdlib.h>
#include <string.h>

#include "snapshot.h"

void snapshot_deinit(struct snapshot *snapshot)
{
	for (size_t i = 0; i < snapshot->count; i++) {
		free(snapshot->devices[i].kname);
		free(snapshot->devices[i].refused);
	}
	free(snapshot->devices);
	free(snapshot->failed_source);
	free(snapshot->kernel);
	*snapshot = (struct snapshot){ 0 };
}

struct device_sample *snapshot_add(struct snapshot *snapshot,
				   unsigned int major, unsigned int minor)
{
	struct device_sample *sample;

	if (snapshot->count == snapshot->capacity) {
		size_t capacity = snapshot->capacity * 2 + 16;
		void *moved = reallocarray(snapshot->devices, capacity,
					   sizeof(*snapshot->devices));

		if (!moved)
			return NULL;
		snapshot->devices = moved;
		snapshot->capacity = capacity;
	}
	sample = &snapshot->devices[snapshot->count++];
	*sample = (struct device_sample){ .major = major, .minor = minor };
	return sample;
}

static int by_number(const void *left, const void *right)
{
	const struct device_sample *a = left;
	const struct device_sample *b = right;

	if (a->major != b->major)
		return a->major < b->major ? -1 : 1;
	return (a->minor > b->minor) - (a->minor < b->minor);
}

void snapshot_sort(struct snapshot *snapshot)
{
	if (snapshot->count)
		qsort(snapshot->devices, snapshot->count,
		      sizeof(*snapshot->devices), by_number);
}

struct device_sample *snapshot_find(const struct snapshot *snapshot,
				    size_t count, unsigned int major,
				    unsigned int minor)
{
	const struct device_sample key = { .major = major, .minor = minor };

	if (!count)
		return NULL;
	return bsearch(&key, snapshot->devices, count, sizeof(key), by_number);
}

bool snapshot_sum(const struct snapshot *snapshot, uint64_t *pages)
{
	uint64_t bytes;

	*pages = 0;
	for (size_t i = 0; i < snapshot->count; i++) {
		const struct device_sample *sample = &snapshot->devices[i];

		if (sample_has(sample, FIGURE_PAGES) &&
		    __builtin_add_overflow(
			    *pages, sample->figures[FIGURE_PAGES], pages))
			return false;
	}
	return !__builtin_mul_overflow(*pages, snapshot->page_size, &bytes) &&
	       bytes <= INT64_MAX;
}

bool snapshot_has_refused(const struct snapshot *snapshot)
{
	for (size_t i = 0; i < snapshot->count; i++) {
		if (snapshot->devices[i].refused)
			return true;
	}
	return false;
}

static void fill(struct device_sample *sample,
		 const struct device_sample *measured, const char *source)
{
	free(sample->refused);
	sample->refused = NULL;
	sample->source = source;
	if (!measured) {
		sample_set(sample, FIGURE_PAGES, 0);
		return;
	}
	memcpy(sample->figures, measured->figures, sizeof(sample->figures));
	sample->present = measured->present;
}

void snapshot_fill_refused(struct snapshot *snapshot, struct snapshot *other)
{
	if (!other->lists_all_pages)
		return;
	snapshot_sort(other);
	for (size_t i = 0; i < snapshot->count; i++) {
		struct device_sample *sample = &snapshot->devices[i];

		if (sample->refused)
			fill(sample,
			     snapshot_find(other, other->count, sample->major,
					   sample->minor),
			     other->source);
	}
}

bool snapshot_is_whole(const struct snapshot *snapshot)
{
	return !snapshot_has_refused(snapshot) && !snapshot->failed_source &&
	       !snapshot->unsettled;
}
