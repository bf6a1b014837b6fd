// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "lib/number.h"
#include "measure/history.h"
#include "measure/measure.h"
#include "measure/snapshot.h"

static int by_number(const void *left, const void *right)
{
	const struct baseline_device *a = left;
	const struct baseline_device *b = right;

	return dev_number_compare(a->major, a->minor, b->major, b->minor);
}

int baseline_take(struct baseline *baseline, const struct snapshot *snapshot)
{
	struct baseline taken = {
		.devices = calloc(snapshot->count + 1, sizeof(*taken.devices)),
		.page_size = snapshot->page_size,
		.lists_all_pages = snapshot->lists_all_pages,
		.unsettled = snapshot->unsettled,
		.taken = true,
	};

	if (!taken.devices)
		return -ENOMEM;
	for (size_t i = 0; i < snapshot->count; i++) {
		const struct sample *sample = &snapshot->devices[i];

		if (!sample_has(sample, FIGURE_PAGES))
			continue;
		taken.devices[taken.count++] = (struct baseline_device){
			.major = sample->major,
			.minor = sample->minor,
			.pages = sample->figures[FIGURE_PAGES],
			.kname = sample->kname ? strdup(sample->kname) : NULL,
		};
	}
	qsort(taken.devices, taken.count, sizeof(*taken.devices), by_number);
	baseline_deinit(baseline);
	*baseline = taken;
	return 0;
}

void baseline_deinit(struct baseline *baseline)
{
	for (size_t i = 0; i < baseline->count; i++)
		free(baseline->devices[i].kname);
	free(baseline->devices);
	*baseline = (struct baseline){ 0 };
}

static const struct baseline_device *find(const struct baseline *baseline,
					  const struct sample *sample)
{
	const struct baseline_device key = { .major = sample->major,
					     .minor = sample->minor };

	if (!baseline->count)
		return NULL;
	return bsearch(&key, baseline->devices, baseline->count, sizeof(key),
		       by_number);
}

/* A saved file may contain any numbers, so check for overflow. */
static bool subtract(const struct baseline *baseline, int64_t now,
		     int64_t before, uint64_t page_size, int64_t *pages)
{
	int64_t bytes;

	return !baseline->unsettled && baseline->page_size == page_size &&
	       !__builtin_sub_overflow(now, before, pages) &&
	       !__builtin_mul_overflow(*pages, page_size, &bytes);
}

bool baseline_change(const struct baseline *baseline,
		     const struct sample *sample, uint64_t page_size,
		     int64_t *pages)
{
	const struct baseline_device *before = find(baseline, sample);

	if (!sample_has(sample, FIGURE_PAGES) ||
	    (!before && !baseline->lists_all_pages))
		return false;
	return subtract(baseline, (int64_t)sample->figures[FIGURE_PAGES],
			(int64_t)(before ? before->pages : 0), page_size,
			pages);
}

bool baseline_rest_change(const struct baseline *baseline, int64_t rest_pages,
			  uint64_t page_size, int64_t *pages)
{
	return baseline->has_rest &&
	       subtract(baseline, rest_pages, baseline->rest_pages, page_size,
			pages);
}

bool baseline_had_pages(const struct baseline *baseline,
			const struct sample *sample)
{
	const struct baseline_device *before = find(baseline, sample);

	return before && before->pages;
}

int baseline_take_measurement(struct baseline *baseline,
			      const struct measurement *measurement)
{
	int ret = baseline_take(baseline, &measurement->snapshot);

	if (ret < 0)
		return ret;
	/*
	 * If every device was measured, one that is not listed had no pages, so
	 * it is new if it appears later.
	 */
	if (snapshot_is_whole(&measurement->snapshot))
		baseline->lists_all_pages = true;
	baseline->has_rest =
		measurement_rest(measurement, &baseline->rest_pages);
	return 0;
}

int history_take(struct history *history, const struct measurement *measurement)
{
	int ret = 0;

	if (!history->first.taken)
		ret = baseline_take_measurement(&history->first, measurement);
	return ret ?: baseline_take_measurement(&history->last, measurement);
}

void history_deinit(struct history *history)
{
	baseline_deinit(&history->last);
	baseline_deinit(&history->first);
}

static int add_vanished(const struct baseline *baseline,
			struct snapshot *snapshot, size_t known)
{
	for (size_t i = 0; i < baseline->count; i++) {
		const struct baseline_device *device = &baseline->devices[i];
		struct sample *sample;

		if (!device->pages ||
		    snapshot_find(snapshot, known, device->major,
				  device->minor))
			continue;
		sample = snapshot_add(snapshot, device->major, device->minor);
		if (!sample)
			return -ENOMEM;
		/* sysfs does not know the name of a device that is gone. */
		sample->kname = device->kname ? strdup(device->kname) : NULL;
		if (snapshot->lists_all_pages)
			sample_set(sample, FIGURE_PAGES, 0);
	}
	return 0;
}

int history_add_vanished(const struct history *history,
			 struct snapshot *snapshot)
{
	int ret;

	snapshot_sort(snapshot);
	ret = add_vanished(&history->first, snapshot, snapshot->count);
	snapshot_sort(snapshot);
	return ret ?: add_vanished(&history->last, snapshot, snapshot->count);
}
