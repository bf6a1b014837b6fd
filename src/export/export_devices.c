// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <stdlib.h>

#include "export_devices.h"
#include "report.h"

static int by_number(const void *left, const void *right)
{
	const struct device_sample *a = left, *b = right;

	if (a->major != b->major)
		return a->major < b->major ? -1 : 1;
	return (a->minor > b->minor) - (a->minor < b->minor);
}

static int by_pages(const void *left, const void *right)
{
	const struct device_sample *a = left, *b = right;
	uint64_t a_pages = a->figures[FIGURE_PAGES];
	uint64_t b_pages = b->figures[FIGURE_PAGES];

	if (a_pages != b_pages)
		return a_pages > b_pages ? -1 : 1;
	return by_number(a, b);
}

/* Only what both have is known of both together. */
static void add(struct device_sample *sum, const struct device_sample *sample)
{
	sum->present &= sample->present;
	for (int i = 0; i < FIGURES; i++)
		sum->figures[i] += sample->figures[i];
}

/* Sorts @samples by pages, those with one number merged; returns how many. */
static size_t merge(struct device_sample *samples, size_t count)
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

static int look_up(struct export_devices *devices,
		   const struct device_sample *samples, size_t count,
		   const struct sysroot *root)
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
	struct device_sample *samples;
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
