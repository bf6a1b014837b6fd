// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "devices/device_rows.h"
#include "export/export_devices.h"
#include "export/exposition.h"
#include "filesystems/measured_filesystems.h"
#include "lib/number.h"

static int by_number(const void *left, const void *right)
{
	const struct sample *a = left, *b = right;

	return dev_number_compare(a->major, a->minor, b->major, b->minor);
}

/* A figure of the sum is known only if both samples have it. */
static void add(struct sample *sum, const struct sample *sample)
{
	sum->present &= sample->present;
	for (int i = 0; i < FIGURES; i++)
		sum->figures[i] += sample->figures[i];
}

/*
 * Merges devices with one number and sorts by pages. Returns how many remain.
 */
static size_t merge(struct device *devices, size_t count)
{
	size_t kept = 0;

	qsort(devices, count, sizeof(*devices), by_number);
	for (size_t i = 0; i < count; i++) {
		if (kept && by_number(&devices[kept - 1], &devices[i]) == 0)
			add(&devices[kept - 1].sample, &devices[i].sample);
		else
			devices[kept++] = devices[i];
	}
	qsort(devices, kept, sizeof(*devices), device_by_pages);
	return kept;
}

static int look_up(struct export_devices *devices, size_t count,
		   const struct sysroot *root)
{
	struct names *names = names_create(root);
	int ret = names ? 0 : -ENOMEM;

	while (!ret && devices->count < count) {
		struct device *device =
			device_row(&devices->rows, devices->count++);

		ret = names_lookup(names, &device->sample, &device->names);
	}
	names_destroy(names);
	return ret;
}

int export_devices_init(struct export_devices *devices,
			const struct devices *all, const struct sysroot *root,
			size_t limit)
{
	struct rows *rows = &devices->rows;
	size_t count = all->with_pages;
	int ret;

	*devices = (struct export_devices){ .other = { .present = ~0U } };
	ret = device_rows_init(rows, all, false);
	if (ret < 0)
		return ret;
	count = merge(rows->rows, count);
	if (limit > count)
		limit = count;
	for (size_t i = limit; i < count; i++)
		add(&devices->other, rows_at(rows, i));
	devices->in_other = count - limit;
	return look_up(devices, limit, root);
}

void export_devices_deinit(struct export_devices *devices)
{
	for (size_t i = 0; i < devices->count; i++)
		device_names_deinit(&device_row(&devices->rows, i)->names);
	rows_deinit(&devices->rows);
	*devices = (struct export_devices){ 0 };
}

static int64_t size_of(const struct filesystems *all, int64_t pages)
{
	return pages * (int64_t)all->page_size;
}

/* Writes the labels that identify a filesystem. */
static void label(struct exposition *out, const struct filesystem *filesystem)
{
	char number[16];

	snprintf(number, sizeof(number), "%u", filesystem->sample.major);
	exposition_label(out, "major", number);
	snprintf(number, sizeof(number), "%u", filesystem->sample.minor);
	exposition_label(out, "minor", number);
}

/* If one of them lacks the figure, so does the sum, and it is left out. */
static void export_others(struct exposition *out, const struct filesystems *all,
			  enum figure figure, size_t limit)
{
	uint64_t sum = 0;
	size_t others = 0;

	for (size_t i = limit; i < all->count; i++) {
		const struct sample *sample = &all->filesystems[i].sample;

		if (sample->refused || !sample->figures[FIGURE_PAGES])
			continue;
		if (!sample_has(sample, figure))
			return;
		sum += sample->figures[figure];
		others++;
	}
	if (!others)
		return;
	exposition_sample(out);
	exposition_label(out, "major", "other");
	exposition_value(out, size_of(all, (int64_t)sum));
}

void export_filesystem_figure(struct exposition *out,
			      const struct filesystems *all, enum figure figure,
			      size_t limit)
{
	for (size_t i = 0; i < all->count && i < limit; i++) {
		const struct filesystem *filesystem = &all->filesystems[i];
		const struct sample *sample = &filesystem->sample;

		if (!sample_has(sample, figure) ||
		    !sample->figures[FIGURE_PAGES])
			continue;
		exposition_sample(out);
		label(out, filesystem);
		exposition_value(
			out, size_of(all, (int64_t)sample->figures[figure]));
	}
	export_others(out, all, figure, limit);
}

void export_filesystem_names(struct exposition *out,
			     const struct filesystems *all, size_t limit)
{
	for (size_t i = 0; i < all->count && i < limit; i++) {
		const struct filesystem *filesystem = &all->filesystems[i];

		if (!filesystem->sample.figures[FIGURE_PAGES])
			continue;
		exposition_sample(out);
		label(out, filesystem);
		exposition_label(out, "source",
				 filesystem->source ?: "[shared memory]");
		exposition_label(out, "fstype", filesystem->type ?: "tmpfs");
		/* Only one: containers may mount it a thousand times. */
		exposition_label(out, "mountpoint",
				 filesystem->mountpoints.count ?
					 filesystem->mountpoints.strings[0] :
					 NULL);
		exposition_value(out, 1);
	}
}
