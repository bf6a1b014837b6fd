// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/array.h"
#include "lib/cleanup.h"
#include "lib/sentence.h"
#include "recorded/recorded_who.h"
#include "who/who_caches.h"
#include "who/who_rows.h"

#define OTHERS "(others)"
/* Between a report and the reading of devices that belongs to it. */
#define SAME_TICK_MS 1500

/* A sum of reports. */
struct sums {
	struct recorded_fill *sums;
	size_t count;
	size_t room;
};

/* A report has some of that time in it. */
static bool is_in(const struct recorded_fill *fill, int64_t from_ms,
		  int64_t to_ms)
{
	return fill->to_ms >= from_ms && fill->from_ms < to_ms;
}

static int add_sum(struct sums *sums, const struct recorded_fill *fill)
{
	for (size_t i = 0; i < sums->count; i++) {
		struct recorded_fill *sum = &sums->sums[i];

		if (sum->series != fill->series || !fills_are_alike(sum, fill))
			continue;
		fills_add(sum, fill);
		return 0;
	}
	if (array_make_room(&sums->sums, sums->count, &sums->room) < 0)
		return -ENOMEM;
	sums->sums[sums->count++] = *fill;
	return 0;
}

/* ---- rows ---------------------------------------------------------------- */

/* The number that stands for the cgroup at @path; 0: none. */
static int number_of(struct cgroup_ids *ids, const char *path, uint64_t *number)
{
	struct cgroup_id *added;
	_cleanup_(freep) char *name = NULL;

	*number = 0;
	if (!path)
		return 0;
	if (cgroup_path_name(path, &name) < 0)
		return -ENOMEM;
	for (size_t i = 0; i < ids->count; i++) {
		if (strcmp(ids->ids[i].name, name) == 0) {
			*number = ids->ids[i].id;
			return 0;
		}
	}
	if (array_make_room(&ids->ids, ids->count, &ids->capacity) < 0)
		return -ENOMEM;
	added = &ids->ids[ids->count++];
	*added =
		(struct cgroup_id){ .id = ids->count, .name = steal_ptr(name) };
	*number = added->id;
	return 0;
}

static int take_sum(struct recorded_who *who, const struct recorded_fill *sum)
{
	struct trace_fill fill = sum->fill;
	int ret = number_of(&who->cgroups, sum->cgroup, &fill.cgroup);

	if (!ret)
		ret = number_of(&who->cgroups, sum->on_behalf_of,
				&fill.on_behalf_of);
	if (sum->is_others)
		strcpy(fill.command, OTHERS);
	return ret ? ret : trace_totals_add(&who->totals, &fill);
}

static const struct growth_point *point_at(const struct growth_series *series,
					   int64_t real_ms)
{
	for (size_t i = 0; i < series->count; i++) {
		const struct growth_point *point = &series->points[i];

		if (point->real_ms >= real_ms)
			return point->real_ms - real_ms <= SAME_TICK_MS ?
				       point :
				       NULL;
	}
	return NULL;
}

/* Known if devices were read when the first report began and the last ended. */
static void set_change(struct who_cache *cache, const struct recorded_who *who,
		       const struct growth_series *series, uint64_t page_size)
{
	const struct growth_point *first = point_at(series, who->from_ms);
	const struct growth_point *last = point_at(series, who->to_ms);

	if (!first || !last)
		return;
	cache->has_change = true;
	cache->change_pages = (last->bytes - first->bytes) / (int64_t)page_size;
}

static int add_cache(struct recorded_who *who, unsigned int major,
		     unsigned int minor, bool is_bdev)
{
	who->rows.caches[who->rows.cache_count++] = (struct who_cache){
		.major = major,
		.minor = minor,
		.is_bdev = is_bdev,
	};
	return 0;
}

/*
 * Whether it may have been traced, where nobody was seen to do anything: tmpfs
 * and others without a device are not traced, or only if they are seen.
 */
static bool is_traced(const struct growth_series *series)
{
	return series->kind == GROWTH_DEVICE ||
	       (series->kind == GROWTH_FILESYSTEM && series->major);
}

static int name_caches(struct recorded_who *who, const struct growth *growth)
{
	for (size_t i = 0; i < who->rows.cache_count; i++) {
		struct who_cache *cache = &who->rows.caches[i];
		const char *name = growth_cache_name(
			growth, cache->major, cache->minor, cache->is_bdev);

		snprintf(cache->number, sizeof(cache->number), "%u:%u",
			 cache->major, cache->minor);
		if (!name)
			continue;
		cache->name = strdup(name);
		if (!cache->name)
			return -ENOMEM;
	}
	return 0;
}

static int make_caches(struct recorded_who *who, const struct growth *growth)
{
	const struct trace_totals *totals = &who->totals;

	who->rows.caches = calloc(totals->count + growth->count + 1,
				  sizeof(*who->rows.caches));
	if (!who->rows.caches)
		return -ENOMEM;
	for (size_t i = 0; i < totals->count; i++)
		add_cache(who, totals->fills[i].major, totals->fills[i].minor,
			  totals->fills[i].is_bdev);
	for (size_t i = 0; i < growth->count; i++) {
		const struct growth_series *series = &growth->series[i];

		if (is_traced(series))
			add_cache(who, series->major, series->minor,
				  series->kind == GROWTH_DEVICE);
	}
	who_caches_arrange(&who->rows, totals);
	for (size_t i = 0; i < growth->count; i++) {
		const struct growth_series *series = &growth->series[i];
		struct who_cache *cache =
			who_caches_at(&who->rows, series->major, series->minor,
				      series->kind == GROWTH_DEVICE);

		if (!cache || series->kind == GROWTH_MEMORY)
			continue;
		set_change(cache, who, series, growth->fills.page_size);
		if (cache->is_bdev)
			cache->kname = series->name;
	}
	return name_caches(who, growth);
}

static int make_totals(struct recorded_who *who, const struct growth *growth,
		       int64_t from_ms, int64_t to_ms)
{
	const struct fills *fills = &growth->fills;
	struct sums sums = { 0 };
	int ret = 0;

	for (size_t i = 0; !ret && i < fills->count; i++) {
		const struct recorded_fill *fill = &fills->fills[i];

		if (is_in(fill, from_ms, to_ms))
			ret = add_sum(&sums, fill);
	}
	for (size_t i = 0; !ret && i < sums.count; i++)
		ret = take_sum(who, &sums.sums[i]);
	free(sums.sums);
	who->totals.lost_events = fills->lost_events;
	who->totals.knows_how = fills->count && !fills->lacks_how;
	return ret;
}

/* Reports without rows count, too: nobody did anything then. */
static bool find_reports(struct recorded_who *who, const struct fills *fills,
			 int64_t from_ms, int64_t to_ms)
{
	bool found = false;

	for (size_t i = 0; i < fills->report_count; i++) {
		const struct recorded_report *report = &fills->reports[i];

		if (report->to_ms < from_ms || report->from_ms >= to_ms)
			continue;
		if (!found)
			who->from_ms = report->from_ms;
		who->to_ms = report->to_ms;
		who->is_estimated |= report->is_estimated;
		found = true;
	}
	return found;
}

int recorded_who_init(struct recorded_who *who, const struct growth *growth,
		      int64_t from_ms, int64_t to_ms,
		      struct selection *selection)
{
	const struct who_cgroups cgroups = { &who->cgroups, &who->cgroups };
	int ret;

	*who = (struct recorded_who){ .cgroups.mount = -1 };
	if (!find_reports(who, &growth->fills, from_ms, to_ms))
		return -ENODATA;
	ret = make_totals(who, growth, from_ms, to_ms);
	if (!ret)
		ret = make_caches(who, growth);
	/* One that nobody filled is no word in vain. */
	for (size_t i = 0; !ret && i < who->rows.cache_count; i++)
		who_cache_is_chosen(&who->rows.caches[i], selection);
	return ret ? ret :
		     who_rows_fill(&who->rows, &who->totals,
				   growth->fills.page_size, &cgroups,
				   selection);
}

void recorded_who_deinit(struct recorded_who *who)
{
	who_rows_deinit(&who->rows);
	trace_totals_deinit(&who->totals);
	cgroup_ids_deinit(&who->cgroups);
}

/* ---- who was behind it --------------------------------------------------- */

/* Buffers is the caches of devices, and Cached those of files. */
static bool is_behind(const struct growth *growth,
		      const struct growth_series *series,
		      const struct recorded_fill *fill)
{
	if (series->kind != GROWTH_MEMORY)
		return fill->series == (size_t)(series - growth->series);
	return fill->has_cache &&
	       strcmp(series->name,
		      fill->fill.is_bdev ? "Buffers" : "Cached") == 0;
}

/*
 * Returns how many commands brought pages in, and how many pages in @all, with
 * the @error of that.
 */
static size_t add_up(const struct growth *growth,
		     const struct growth_series *series, int64_t from_ms,
		     int64_t to_ms, struct share *shares, uint64_t *all,
		     uint64_t *error)
{
	const struct fills *fills = &growth->fills;
	size_t count = 0;

	*all = *error = 0;
	for (size_t i = 0; i < fills->count; i++) {
		const struct recorded_fill *fill = &fills->fills[i];
		const char *command = fill->is_others ? OTHERS :
							fill->fill.command;
		uint64_t pages = trace_fill_in(&fill->fill);
		size_t at = 0;

		/*
		 * A report and the reading that belongs to it are not of the
		 * same moment, so its middle counts.
		 */
		int64_t middle_ms = (fill->from_ms + fill->to_ms) / 2;

		if (!pages || middle_ms <= from_ms || middle_ms > to_ms ||
		    !is_behind(growth, series, fill))
			continue;
		while (at < count && strcmp(shares[at].name, command) != 0)
			at++;
		if (at == count)
			shares[count++] = (struct share){ .name = command };
		shares[at].pages += pages;
		*all += pages;
		*error += fill->fill.in_error;
	}
	return count;
}

static void write_shares(const struct share *shares, size_t count, uint64_t all,
			 bool is_estimated, char text[BEHIND_TEXT])
{
	const char *before = is_estimated ? "about " : "";

	for (size_t i = 0; i < count && i < 3; i++) {
		double percent = 100 * (double)shares[i].pages / (double)all;

		if (percent < 1)
			break;
		add_text(text, BEHIND_TEXT, "%s%s %.0f%%", i ? ", " : before,
			 *shares[i].name ? shares[i].name : "?", percent);
	}
}

static bool was_traced(const struct fills *fills, int64_t from_ms,
		       int64_t to_ms)
{
	for (size_t i = 0; i < fills->report_count; i++) {
		const struct recorded_report *report = &fills->reports[i];

		if (report->to_ms > from_ms && report->from_ms < to_ms)
			return true;
	}
	return false;
}

void recorded_behind(const struct growth *growth,
		     const struct growth_series *series, int64_t from_ms,
		     int64_t to_ms, int64_t rise_bytes, char text[BEHIND_TEXT])
{
	const struct fills *fills = &growth->fills;
	struct share *shares;
	uint64_t all, error, rise;
	size_t count;

	*text = '\0';
	if (series->kind == GROWTH_MEMORY &&
	    strcmp(series->name, "Buffers") != 0 &&
	    strcmp(series->name, "Cached") != 0)
		return;
	if (!was_traced(fills, from_ms, to_ms))
		return;
	shares = calloc(fills->count + 2, sizeof(*shares));
	if (!shares)
		return;
	count = add_up(growth, series, from_ms, to_ms, shares, &all, &error);
	rise = (uint64_t)rise_bytes / fills->page_size;
	if (all + error < rise) {
		shares[count++] = (struct share){ "not traced", rise - all };
		all = rise;
	}
	qsort(shares, count, sizeof(*shares), share_most_first);
	if (all)
		write_shares(shares, count, all, error, text);
	free(shares);
}
