// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cgroups/charges.h"
#include "measure/provenance.h"
#include "who/who_now.h"

const char who_now_columns[] = "NAME,CACHE,CGROUP,RESIDENT,SHARE,STATE";
const char who_now_json_columns[] = "NAME,MAJ:MIN,CACHE,CGROUP,STATE,PAGES-NOW";

static int copy_cache(struct who_cache *copy, const struct cache *cache)
{
	*copy = (struct who_cache){
		.major = cache->major,
		.minor = cache->minor,
		.is_bdev = cache->kind == CACHE_DEVICE,
		.name = strdup(cache->mountpoint ?: cache->name),
		.has_resident = cache->has_pages,
		.resident_pages = cache->pages,
	};
	snprintf(copy->number, sizeof(copy->number), "%u:%u", copy->major,
		 copy->minor);
	return copy->name ? 0 : -ENOMEM;
}

static struct who_row *add(struct who_rows *rows, const struct charges *charges,
			   size_t cache)
{
	struct who_row *row = &rows->rows[rows->count++];

	*row = (struct who_row){
		.cache = &rows->caches[cache],
		.is_now = true,
		.page_size = charges->page_size,
	};
	return row;
}

static void add_charge(struct who_rows *rows, const struct charges *charges,
		       const struct charge *charge)
{
	struct who_row *row = add(rows, charges, charge->cache);

	row->has_resident = true;
	row->resident_pages = (int64_t)charge->pages;
	if (charge->owner == CHARGE_NO_OWNER) {
		row->state = "not charged";
	} else {
		const struct charge_owner *owner =
			&charges->owners[charge->owner];

		row->cgroup = owner->container ?: owner->path;
		row->state = owner->is_dead ? "dead" : NULL;
	}
}

static void add_rest(struct who_rows *rows, const struct charges *charges,
		     size_t index)
{
	const struct cache *cache = &charges->caches[index];
	int64_t rest = (int64_t)cache->pages - (int64_t)cache->charged;
	struct who_row *row;

	if (cache->has_pages && !rest)
		return;
	row = add(rows, charges, index);
	row->is_rest = true;
	row->state = "unattributed";
	row->has_resident = cache->has_pages;
	row->resident_pages = rest;
}

/* The largest cache first, in it the largest row, and the rest last. */
static int compare(const void *left, const void *right)
{
	const struct who_row *a = left;
	const struct who_row *b = right;
	uint64_t all_a = a->cache->resident_pages;
	uint64_t all_b = b->cache->resident_pages;

	if (all_a != all_b)
		return all_a < all_b ? 1 : -1;
	if (a->cache != b->cache)
		return a->cache < b->cache ? -1 : 1;
	if (a->is_rest != b->is_rest)
		return a->is_rest - b->is_rest;
	return (a->resident_pages < b->resident_pages) -
	       (a->resident_pages > b->resident_pages);
}

int who_now_init(struct who_rows *rows, const struct charges *charges)
{
	*rows = (struct who_rows){
		.caches =
			calloc(charges->cache_count + 1, sizeof(*rows->caches)),
		.rows = calloc(charges->count + charges->cache_count + 1,
			       sizeof(*rows->rows)),
	};
	if (!rows->caches || !rows->rows)
		return -ENOMEM;
	for (size_t i = 0; i < charges->cache_count; i++) {
		rows->cache_count++;
		if (copy_cache(&rows->caches[i], &charges->caches[i]) < 0)
			return -ENOMEM;
	}
	for (size_t i = 0; i < charges->count; i++)
		add_charge(rows, charges, &charges->list[i]);
	for (size_t i = 0; i < charges->cache_count; i++)
		add_rest(rows, charges, i);
	if (rows->count)
		qsort(rows->rows, rows->count, sizeof(*rows->rows), compare);
	rows->shown = rows->count;
	return 0;
}

static const struct field charges_list[] = {
	{ FIELD(struct charges, page_size, "page_size_bytes", UINT64_MAX) },
};

static const struct fields charges_fields =
	FIELDS(struct charges, charges_list);

static const struct field document_list[] = {
	{ DOCUMENT_HEAD },
	{ DOCUMENT_ANSWER(&charges_fields) },
	{ DOCUMENT_ROWS("now", &who_columns) },
};

const struct fields who_now_document = FIELDS(struct document, document_list);
