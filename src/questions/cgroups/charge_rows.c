// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "cgroups/charge_rows.h"
#include "lib/error.h"
#include "lib/json_out.h"
#include "measure/provenance.h"
#include "table/cell.h"

bool charges_missing(const struct charges *charges, size_t *at,
		     struct error *err)
{
	while (*at < charges->cache_count) {
		const struct cache *cache = &charges->caches[(*at)++];

		if (*cache->why)
			return error_doing(err, ERROR_PARTIAL,
					   "reading the pages",
					   cache->mountpoint ?: cache->name,
					   "%s", cache->why);
	}
	return false;
}

static const char *const kinds[] = {
	[CACHE_DEVICE] = "device",
	[CACHE_FILESYSTEM] = "filesystem",
};

static int64_t rest_of(const struct cache *cache)
{
	return (int64_t)cache->pages - (int64_t)cache->charged;
}

static struct charge_row *add(struct charge_rows *rows,
			      const struct charges *charges, size_t cache)
{
	struct charge_row *row = &rows->rows[rows->count++];

	*row = (struct charge_row){
		.charges = charges,
		.cache = &charges->caches[cache],
	};
	snprintf(row->number, sizeof(row->number), "%u:%u", row->cache->major,
		 row->cache->minor);
	return row;
}

/* The charges of the cache from @first on; returns where the next begin. */
static size_t add_charges(struct charge_rows *rows,
			  const struct charges *charges, size_t cache,
			  size_t first)
{
	for (; first < charges->count && charges->list[first].cache == cache;
	     first++) {
		const struct charge *charge = &charges->list[first];
		struct charge_row *row = add(rows, charges, cache);

		if (charge->owner != CHARGE_NO_OWNER)
			row->owner = &charges->owners[charge->owner];
		row->has_pages = true;
		row->pages = (int64_t)charge->pages;
	}
	return first;
}

static bool is_rest(const void *data)
{
	const struct charge_row *row = data;

	return row->is_rest;
}

int charge_rows_init(struct charge_rows *rows, const struct charges *charges,
		     const struct column_order *order)
{
	size_t next = 0, count;

	*rows = (struct charge_rows){ 0 };
	rows->rows = calloc(charges->count + charges->cache_count + 1,
			    sizeof(*rows->rows));
	if (!rows->rows)
		return -ENOMEM;
	for (size_t i = 0; i < charges->cache_count; i++) {
		struct charge_row *rest;

		next = add_charges(rows, charges, i, next);
		rest = add(rows, charges, i);
		rest->is_rest = true;
		rest->has_pages = rest->cache->has_pages;
		rest->pages = rest_of(rest->cache);
	}
	if (!order->column)
		return 0;
	count = column_sort_last(rows->rows, rows->count, sizeof(*rows->rows),
				 is_rest);
	column_sort(rows->rows, count, sizeof(*rows->rows), order);
	return 0;
}

void charge_rows_deinit(struct charge_rows *rows)
{
	free(rows->rows);
	*rows = (struct charge_rows){ 0 };
}

struct table_rows charge_rows_of_table(const struct charge_rows *rows)
{
	return (struct table_rows)TABLE_ROWS(rows->rows, rows->count);
}

static struct column_value get_of(const void *data)
{
	const struct charge_row *row = data;

	return column_text(row->cache->mountpoint ?: row->cache->name);
}

static struct column_value get_kind(const void *data)
{
	const struct charge_row *row = data;

	return column_text(kinds[row->cache->kind]);
}

static struct column_value get_text(const void *data, size_t place)
{
	const struct charge_row *row = data;

	return row->owner ? column_text_at(row->owner, place) :
			    column_text(NULL);
}

static struct column_value get_state(const void *data)
{
	const struct charge_row *row = data;

	if (row->is_rest)
		return column_text("unattributed");
	if (!row->owner)
		return column_text("not charged");
	return column_text(row->owner->is_dead ? "dead" : NULL);
}

static struct column_value get_id(const void *data)
{
	const struct charge_row *row = data;

	return column_number(row->owner,
			     row->owner ? (int64_t)row->owner->id : 0);
}

static struct column_value get_pages(const void *data)
{
	const struct charge_row *row = data;

	return column_number(row->has_pages, row->pages);
}

static struct column_value get_size(const void *data)
{
	const struct charge_row *row = data;

	return column_number(row->has_pages,
			     row->pages * (int64_t)row->charges->page_size);
}

static struct column_value get_share(const void *data)
{
	const struct charge_row *row = data;

	return column_share(row->has_pages && row->cache->has_pages &&
				    row->cache->pages,
			    (double)row->pages, (double)row->cache->pages);
}

static const struct column columns[] = {
	{ "OF", "of", "a device, or a filesystem's mount point", COLUMN_PATH,
	  COLUMN_USUAL, .value = get_of },
	{ "KIND", "kind", "device: in Buffers; filesystem: in Cached",
	  COLUMN_TEXT, COLUMN_USUAL, .leave = 3, .value = get_kind },
	{ "MAJ:MIN", "maj:min", "device number of either", COLUMN_TEXT,
	  COLUMN_ON_REQUEST, .leave = 1,
	  COLUMN_AT(column_chars_at, struct charge_row, number) },
	{ "PAGES", "pages", "pages that are charged to the cgroup itself",
	  COLUMN_COUNT, COLUMN_USUAL, .leave = 2, .value = get_pages },
	{ "SIZE", "bytes", "the same as a size", COLUMN_BYTES, COLUMN_USUAL,
	  .value = get_size },
	{ "SHARE", "share_percent", "of all that is cached of OF",
	  COLUMN_PERCENT, COLUMN_USUAL, .leave = 4, .value = get_share },
	{ "STATE", "state", "dead: a removed cgroup; not charged; unattributed",
	  COLUMN_TEXT, COLUMN_USUAL, .value = get_state },
	{ "CONTAINER", "container", "runtime and id, by the cgroup's name",
	  COLUMN_TEXT, COLUMN_ON_REQUEST, .leave = 1,
	  COLUMN_AT(get_text, struct charge_owner, container) },
	{ "ID", "cgroup_id", "inode number of the cgroup's directory",
	  COLUMN_COUNT, COLUMN_ON_REQUEST, .leave = 1, .value = get_id },
	{ "CGROUP", "cgroup", "its path; what it was, if it is dead",
	  COLUMN_PATH, COLUMN_USUAL,
	  COLUMN_AT(get_text, struct charge_owner, path) },
};

const struct column_set charge_columns = COLUMN_SET("charges", columns);

static void write_cache(struct json_out *json, const struct cache *cache)
{
	json_out_object(json, NULL);
	json_out_string(json, "kind", kinds[cache->kind]);
	json_out_string(json, "name", cache->name);
	json_out_string(json, "mountpoint", cache->mountpoint);
	json_out_device(json, "maj:min", cache->major, cache->minor);
	if (cache->has_pages) {
		json_out_unsigned(json, "pages", cache->pages);
		json_out_signed(json, "unattributed_pages", rest_of(cache));
	} else {
		json_out_null(json, "pages");
		json_out_null(json, "unattributed_pages");
	}
	json_out_string(json, "why", *cache->why ? cache->why : NULL);
	json_out_object_end(json);
}

void charge_json_print(FILE *out, const struct charge_rows *rows,
		       const struct charges *charges,
		       const struct column_choice *choice,
		       struct provenance provenance)
{
	struct json_out json;

	document_begin(&json, out, false, &provenance,
		       charges->is_dump ? "vmcore" : "kcore",
		       charges_are_whole(charges));
	json_out_unsigned(&json, "page_size_bytes", charges->page_size);
	json_out_array(&json, "caches");
	for (size_t i = 0; i < charges->cache_count; i++)
		write_cache(&json, &charges->caches[i]);
	json_out_array_end(&json);
	json_out_array(&json, "charges");
	for (size_t i = 0; i < rows->count; i++) {
		if (!rows->rows[i].is_rest)
			table_json_write_row(&json, choice, &rows->rows[i]);
	}
	json_out_array_end(&json);
	document_end(&json);
}
