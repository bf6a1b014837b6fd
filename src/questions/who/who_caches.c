// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "filesystems/all_mounts.h"
#include "filesystems/selection.h"
#include "lib/number.h"
#include "names/names.h"
#include "who/caches.h"
#include "who/who_caches.h"

static int compare(const void *left, const void *right)
{
	const struct who_cache *a = left;
	const struct who_cache *b = right;
	int order = dev_number_compare(a->major, a->minor, b->major, b->minor);

	return order ? order : a->is_bdev - b->is_bdev;
}

static void add(struct who_rows *rows, unsigned int major, unsigned int minor,
		bool is_bdev)
{
	rows->caches[rows->cache_count++] = (struct who_cache){
		.major = major,
		.minor = minor,
		.is_bdev = is_bdev,
	};
}

/* Sorts the caches and leaves one of each. */
static void sort(struct who_rows *rows)
{
	size_t kept = 0;

	if (rows->cache_count)
		qsort(rows->caches, rows->cache_count, sizeof(*rows->caches),
		      compare);
	for (size_t i = 0; i < rows->cache_count; i++) {
		if (!kept ||
		    compare(&rows->caches[kept - 1], &rows->caches[i]) != 0)
			rows->caches[kept++] = rows->caches[i];
	}
	rows->cache_count = kept;
}

struct who_cache *who_caches_at(const struct who_rows *rows, unsigned int major,
				unsigned int minor, bool is_bdev)
{
	const struct who_cache key = { .major = major,
				       .minor = minor,
				       .is_bdev = is_bdev };

	if (!rows->cache_count)
		return NULL;
	return bsearch(&key, rows->caches, rows->cache_count, sizeof(key),
		       compare);
}

const char *who_cache_name(const struct who_cache *cache)
{
	return cache->name ?: cache->number;
}

bool who_cache_is_chosen(const struct who_cache *cache,
			 struct selection *selection)
{
	const struct called called = {
		.major = cache->major,
		.minor = cache->minor,
		.name = cache->name,
		.other = cache->kname,
	};

	return !cache->is_left_out && selection_has(selection, &called);
}

static int list(struct who_rows *rows, const struct trace_totals *totals,
		const struct caches *now)
{
	const struct devices *devices = &now->devices;
	const struct filesystems *filesystems = &now->filesystems;

	rows->caches =
		calloc(totals->count + devices->count + filesystems->count + 1,
		       sizeof(*rows->caches));
	if (!rows->caches)
		return -ENOMEM;
	for (size_t i = 0; i < totals->count; i++)
		add(rows, totals->fills[i].major, totals->fills[i].minor,
		    totals->fills[i].is_bdev);
	for (size_t i = 0; i < devices->count; i++)
		add(rows, devices->devices[i].sample.major,
		    devices->devices[i].sample.minor, true);
	for (size_t i = 0; i < filesystems->count; i++)
		add(rows, filesystems->filesystems[i].sample.major,
		    filesystems->filesystems[i].sample.minor, false);
	return 0;
}

static void add_up(struct who_rows *rows, const struct trace_totals *totals)
{
	for (size_t i = 0; i < totals->count; i++) {
		const struct trace_fill *fill = &totals->fills[i];
		struct who_cache *cache = who_caches_at(
			rows, fill->major, fill->minor, fill->is_bdev);
		uint64_t in = trace_fill_in(fill);

		cache->is_advised |= fill->asked;
		cache->traced_pages += in + fill->out;
		cache->net_pages += (int64_t)in - (int64_t)fill->out;
	}
}

void who_caches_arrange(struct who_rows *rows,
			const struct trace_totals *totals)
{
	sort(rows);
	add_up(rows, totals);
}

static void set_change(struct who_cache *cache, const struct baseline *before,
		       const struct sample *sample, uint64_t page_size)
{
	cache->has_change = before->taken &&
			    baseline_change(before, sample, page_size,
					    &cache->change_pages);
}

/* A cache that is in no snapshot has no pages, if the snapshot lists all. */
static void compare_absent(struct who_cache *cache,
			   const struct caches_before *before,
			   const struct caches *now)
{
	const struct devices *devices = &now->devices;
	const struct filesystems *filesystems = &now->filesystems;
	struct sample none = { .major = cache->major, .minor = cache->minor };

	if (cache->has_change)
		return;
	sample_set(&none, FIGURE_PAGES, 0);
	if (!cache->is_bdev && now->has_filesystems &&
	    filesystems->lists_all_pages)
		set_change(cache, &before->filesystems, &none,
			   filesystems->page_size);
	else if (cache->is_bdev && now->has_devices && devices->lists_all_pages)
		set_change(cache, &before->devices, &none, devices->page_size);
}

static void compare_devices(struct who_rows *rows,
			    const struct caches_before *before,
			    const struct devices *now)
{
	for (size_t i = 0; i < now->count; i++) {
		const struct sample *sample = &now->devices[i].sample;
		struct who_cache *cache =
			who_caches_at(rows, sample->major, sample->minor, true);

		set_change(cache, &before->devices, sample, now->page_size);
	}
}

/* The kernel counts what is mounted of these, too (bpf_maps.h). */
static bool is_untraced_type(const char *type)
{
	return strcmp(type, "tmpfs") == 0 || strcmp(type, "devtmpfs") == 0 ||
	       strcmp(type, "hugetlbfs") == 0;
}

static int compare_filesystems(struct who_rows *rows,
			       const struct caches_before *before,
			       const struct filesystems *now)
{
	for (size_t i = 0; i < now->count; i++) {
		const struct filesystem *filesystem = &now->filesystems[i];
		const struct sample *sample = &filesystem->sample;
		struct who_cache *cache = who_caches_at(rows, sample->major,
							sample->minor, false);

		cache->is_left_out = filesystem->is_shmem ||
				     (filesystem->type &&
				      is_untraced_type(filesystem->type));
		set_change(cache, &before->filesystems, sample, now->page_size);
		if (!cache->name)
			cache->name = strdup(filesystem_place(filesystem));
		if (!cache->name)
			return -ENOMEM;
	}
	return 0;
}

static int name_device(struct names *names, struct who_cache *cache)
{
	const struct sample sample = { .major = cache->major,
				       .minor = cache->minor };
	struct device_names device;
	int ret = names_lookup(names, &sample, &device);

	if (!ret) {
		cache->name = device.name;
		device.name = NULL;
	}
	device_names_deinit(&device);
	return ret;
}

static int name_filesystem(const struct all_mounts *mounts,
			   struct who_cache *cache)
{
	const struct mounted *mounted =
		all_mounts_find(mounts, cache->major, cache->minor);

	if (!mounted)
		return 0;
	cache->is_left_out = is_untraced_type(mounted->type);
	cache->name = strdup(mounted->mountpoints.count ?
				     mounted->mountpoints.strings[0] :
				     mounted->source);
	return cache->name ? 0 : -ENOMEM;
}

/* Whether the table or a sentence may be about the cache. */
static bool is_shown(const struct who_cache *cache)
{
	return cache->traced_pages || cache->is_advised ||
	       (cache->has_change && cache->change_pages);
}

/* The mounts are read only if a name is missing: there may be many. */
static int find_names(struct who_rows *rows, const struct sysroot *root)
{
	struct names *names = names_create(root);
	struct all_mounts mounts = { 0 };
	bool has_mounts = false;
	int ret = names ? 0 : -ENOMEM;

	for (size_t i = 0; !ret && i < rows->cache_count; i++) {
		struct who_cache *cache = &rows->caches[i];

		snprintf(cache->number, sizeof(cache->number), "%u:%u",
			 cache->major, cache->minor);
		if (cache->name || !is_shown(cache))
			continue;
		if (!cache->is_bdev && !has_mounts)
			ret = all_mounts_init(&mounts, root);
		has_mounts |= !cache->is_bdev;
		if (!ret)
			ret = cache->is_bdev ? name_device(names, cache) :
					       name_filesystem(&mounts, cache);
	}
	all_mounts_deinit(&mounts);
	names_destroy(names);
	return ret;
}

int who_caches_find(struct who_rows *rows, const struct trace_totals *totals,
		    const struct caches_before *before,
		    const struct caches *now, const struct sysroot *root)
{
	int ret = list(rows, totals, now);

	if (ret < 0)
		return ret;
	who_caches_arrange(rows, totals);
	if (now->has_devices)
		compare_devices(rows, before, &now->devices);
	if (now->has_filesystems)
		ret = compare_filesystems(rows, before, &now->filesystems);
	for (size_t i = 0; i < rows->cache_count; i++)
		compare_absent(&rows->caches[i], before, now);
	return ret ? ret : find_names(rows, root);
}
