// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <string.h>

#include "bdev_snapshot.h"
#include "bdev_walk.h"
#include "snapshot.h"

/* The kernel's dev_t is not the one of stat(2). */
#define MINOR_BITS 20

static struct device_sample *add(struct snapshot *snapshot,
				 const struct bdev_entry *entry)
{
	struct device_sample *sample =
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
		struct device_sample *sample = add(snapshot, &list->entries[i]);

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
