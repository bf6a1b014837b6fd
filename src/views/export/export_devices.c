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

static int by_pages(const void *left, const void *right)
{
	const struct sample *a = left, *b = right;
	uint64_t a_pages = a->figures[FIGURE_PAGES];
	uint64_t b_pages = b->figures[FIGURE_PAGES];

	if (a_pages != b_pages)
		return a_pages > b_pages ? -1 : 1;
	return by_number(a, b);
}

/* A figure of the sum is known only if both samples have it. */
static void add(struct sample *sum, const struct sample *sample)
{
	sum->present &= sample->present;
	for (int i = 0; i < FIGURES; i++)
		sum->figures[i] += sample->figures[i];
}

/*
 * Merges samples with one number and sorts by pages. Returns how many remain.
 */
static size_t merge(struct sample *samples, size_t count)
{
	size_t kept = 0;

	qsort(samples, count, sizeof(*samples), by_number);
	for (size_t i = 0; i < count; i++) {
		if (kept && by_number(&samples[kept - 1], &samples[i]) == 0)
			add(&samples[kept - 1], &samples[i]);
		else
			samples[kept++] = samples[i];
	}
	qsort(samples, kept, sizeof(*samples), by_pages);
	return kept;
}

static int look_up(struct export_devices *devices, const struct sample *samples,
		   size_t count, const struct sysroot *root)
{
	struct names *names = names_create(root);
	int ret = names ? 0 : -ENOMEM;

	while (!ret && devices->count < count) {
		struct export_device *device =
			&devices->devices[devices->count];

		device->sample = samples[devices->count++];
		ret = names_lookup(names, &device->sample, &device->names);
	}
	names_destroy(names);
	return ret;
}

int export_devices_init(struct export_devices *devices,
			const struct report *report, const struct sysroot *root,
			size_t limit)
{
	struct sample *samples;
	size_t count = report->with_pages;
	int ret = -ENOMEM;

	*devices = (struct export_devices){ .other = { .present = ~0U } };
	samples = calloc(count + 1, sizeof(*samples));
	for (size_t i = 0; samples && i < count; i++)
		samples[i] = *report->rows[i];
	if (samples)
		count = merge(samples, count);
	if (limit > count)
		limit = count;
	devices->devices = calloc(limit + 1, sizeof(*devices->devices));
	if (samples && devices->devices)
		ret = look_up(devices, samples, limit, root);
	for (size_t i = limit; !ret && i < count; i++) {
		add(&devices->other, &samples[i]);
		devices->in_other++;
	}
	free(samples);
	return ret;
}

void export_devices_deinit(struct export_devices *devices)
{
	for (size_t i = 0; i < devices->count; i++)
		device_names_deinit(&devices->devices[i].names);
	free(devices->devices);
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
