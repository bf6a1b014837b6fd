// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "lib/number.h"
#include "measure/history.h"

static int by_number(const void *left, const void *right)
{
	const struct baseline_device *a = left;
	const struct baseline_device *b = right;

	return dev_number_compare(a->major, a->minor, b->major, b->minor);
}

int baseline_take(struct baseline *baseline, struct samples samples)
{
	struct baseline taken = {
		.devices = calloc(samples.count + 1, sizeof(*taken.devices)),
		.page_size = samples.page_size,
		.lists_all_pages = samples.lists_all_pages,
		.unsettled = samples.unsettled,
		.rest_pages = (int64_t)samples.rest->figures[FIGURE_PAGES],
		.has_rest = sample_has(samples.rest, FIGURE_PAGES),
		.taken = true,
	};

	if (!taken.devices)
		return -ENOMEM;
	for (size_t i = 0; i < samples.count; i++) {
		const struct sample *sample = samples_at(samples, i);

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
static bool subtract(const struct baseline *baseline, uint64_t now,
		     int64_t before, uint64_t page_size, int64_t *pages)
{
	int64_t bytes;

	return !baseline->unsettled && baseline->page_size == page_size &&
	       !__builtin_sub_overflow((int64_t)now, before, pages) &&
	       !__builtin_mul_overflow(*pages, page_size, &bytes);
}

bool baseline_change(const struct baseline *baseline,
		     const struct sample *sample, uint64_t page_size,
		     int64_t *pages)
{
	const struct baseline_device *before = find(baseline, sample);

	return sample_has(sample, FIGURE_PAGES) &&
	       (before || baseline->lists_all_pages) &&
	       subtract(baseline, sample->figures[FIGURE_PAGES],
			(int64_t)(before ? before->pages : 0), page_size,
			pages);
}

static bool had_pages(const struct baseline *baseline,
		      const struct sample *sample)
{
	const struct baseline_device *before = find(baseline, sample);

	return before && before->pages;
}

static void set_state(struct sample *sample, const struct history *history)
{
	const struct baseline *last = history->last.taken ? &history->last :
							    &history->first;
	bool had = had_pages(last, sample), has = sample_has_pages(sample);

	sample->had_pages = had || had_pages(&history->first, sample);
	sample->state = SAMPLE_COMPARED;
	if (has && !had && !last->unsettled)
		sample->state = SAMPLE_NEW;
	if (had && !has && !last->unsettled && sample_has(sample, FIGURE_PAGES))
		sample->state = SAMPLE_EMPTY;
}

static void compare(const struct baseline *baseline, struct samples samples,
		    enum figure figure)
{
	struct sample *rest = samples.rest;
	int64_t pages;

	if (!baseline->taken)
		return;
	for (size_t i = 0; i < samples.count; i++) {
		struct sample *sample = samples_at(samples, i);

		if (baseline_change(baseline, sample, samples.page_size,
				    &pages))
			sample_set(sample, figure, (uint64_t)pages);
	}
	if (sample_has(rest, FIGURE_PAGES) && baseline->has_rest &&
	    subtract(baseline, rest->figures[FIGURE_PAGES],
		     baseline->rest_pages, samples.page_size, &pages))
		sample_set(rest, figure, (uint64_t)pages);
}

void history_compare(const struct history *history, struct samples samples)
{
	compare(&history->last, samples, FIGURE_CHANGE);
	compare(&history->first, samples, FIGURE_SINCE);
	for (size_t i = 0; history_is_there(history) && i < samples.count; i++)
		set_state(samples_at(samples, i), history);
}

int history_take(struct history *history, struct samples samples)
{
	int ret = 0;

	if (!history->first.taken)
		ret = baseline_take(&history->first, samples);
	return ret ?: baseline_take(&history->last, samples);
}

void history_deinit(struct history *history)
{
	baseline_deinit(&history->last);
	baseline_deinit(&history->first);
}
