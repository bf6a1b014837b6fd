// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "kernel/bdev_walk.h"
#include "lib/array.h"
#include "measure/snapshot.h"

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

void sample_sum_begin(struct sample *sum)
{
	for (enum figure figure = FIGURE_PAGES; figure <= FIGURE_WRITEBACK;
	     figure++)
		sample_set(sum, figure, 0);
}

void sample_add(struct sample *sum, const struct sample *sample)
{
	if (sample->refused)
		return;
	for (enum figure figure = FIGURE_PAGES; figure <= FIGURE_WRITEBACK;
	     figure++) {
		uint64_t *value = &sum->figures[figure];

		if (!sample_has(sample, figure) ||
		    __builtin_add_overflow(*value, sample->figures[figure],
					   value))
			sum->present &= ~(UINT64_C(1) << figure);
	}
}

struct sample *snapshot_add(struct snapshot *snapshot, unsigned int major,
			    unsigned int minor)
{
	struct sample *sample;

	if (array_make_room(&snapshot->devices, snapshot->count,
			    &snapshot->capacity) < 0)
		return NULL;
	sample = &snapshot->devices[snapshot->count++];
	*sample = (struct sample){ .major = major, .minor = minor };
	return sample;
}

bool snapshot_sum(const struct snapshot *snapshot, uint64_t *pages)
{
	uint64_t bytes;

	*pages = 0;
	for (size_t i = 0; i < snapshot->count; i++) {
		const struct sample *sample = &snapshot->devices[i];

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

/* The kernel's own dev_t, not that of stat(2), has a 20-bit minor number. */
#define MINOR_BITS 20

static struct sample *add(struct snapshot *snapshot,
			  const struct bdev_entry *entry)
{
	struct sample *sample =
		snapshot_add(snapshot, entry->dev >> MINOR_BITS,
			     entry->dev & ((1U << MINOR_BITS) - 1));

	if (!sample)
		return NULL;
	sample_set(sample, FIGURE_PAGES, entry->pages);
	if (entry->has_openers)
		sample_set(sample, FIGURE_OPENERS, entry->openers);
	if (entry->has_tags) {
		sample_set(sample, FIGURE_DIRTY, entry->dirty);
		sample_set(sample, FIGURE_WRITEBACK, entry->writeback);
	}
	if (entry->has_write_error)
		sample_set(sample, FIGURE_WRITE_ERROR, entry->write_error);
	return sample;
}

int bdev_snapshot_fill(struct snapshot *snapshot, const struct bdev_list *list)
{
	for (size_t i = 0; i < list->count; i++) {
		if (list->entries[i].pages && !add(snapshot, &list->entries[i]))
			return -ENOMEM;
	}
	return 0;
}

int bdev_snapshot_fill_named(struct snapshot *snapshot,
			     const struct bdev_list *list,
			     const struct kmem *kmem,
			     const struct bdev_layout *layout)
{
	char name[BDEV_NAME_SIZE];

	for (size_t i = 0; i < list->count; i++) {
		struct sample *sample = add(snapshot, &list->entries[i]);

		if (!sample)
			return -ENOMEM;
		if (!bdev_entry_name(kmem, layout, &list->entries[i], name))
			continue;
		sample->kname = strdup(name);
		if (!sample->kname)
			return -ENOMEM;
	}
	return 0;
}
