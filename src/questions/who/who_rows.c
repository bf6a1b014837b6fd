// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lib/sentence.h"
#include "who/caches.h"
#include "who/cgroup_ids.h"
#include "who/who_caches.h"
#include "who/who_rows.h"

/* What came in otherwise than the table's row says is not named below this. */
#define NAMED_PERCENT 1

static int64_t untraced(const struct who_cache *cache)
{
	return cache->change_pages - cache->net_pages;
}

uint64_t who_row_in(const struct who_row *row)
{
	int64_t pages;

	if (row->fill)
		return trace_fill_in(row->fill);
	pages = untraced(row->cache);
	return pages > 0 ? (uint64_t)pages : 0;
}

uint64_t who_row_out(const struct who_row *row)
{
	int64_t pages;

	if (row->fill)
		return row->fill->out;
	pages = untraced(row->cache);
	return pages < 0 ? (uint64_t)-pages : 0;
}

int share_most_first(const void *left, const void *right)
{
	const struct share *a = left;
	const struct share *b = right;

	return (a->pages < b->pages) - (a->pages > b->pages);
}

/* Most first. */
void who_row_describe(struct who_row *row)
{
	struct share shares[FILL_HOWS] = {
		{ "read", row->fill->in[FILL_READ] },
		{ "write", row->fill->in[FILL_WRITE] },
		{ "fault", row->fill->in[FILL_FAULT] },
		{ "metadata", row->fill->in[FILL_METADATA] },
		{ "kernel", row->fill->in[FILL_KERNEL] },
		{ "other", row->fill->in[FILL_OTHER] },
	};
	uint64_t all = trace_fill_in(row->fill);

	if (!row->knows_how || !all)
		return;
	*row->how = '\0';
	qsort(shares, FILL_HOWS, sizeof(*shares), share_most_first);
	for (size_t i = 0; i < FILL_HOWS; i++) {
		double percent = 100 * (double)shares[i].pages / (double)all;

		if (percent < NAMED_PERCENT)
			break;
		ADD_TEXT(row->how, "%s%s", i ? ", " : "", shares[i].name);
		if (shares[i].pages != all)
			ADD_TEXT(row->how, " %.0f%%", percent);
	}
	if (row->fill->in_error)
		ADD_TEXT(row->how, ", about: IN +-%.0f%%",
			 100 * (double)row->fill->in_error / (double)all);
	if (row->on_behalf_of)
		ADD_TEXT(row->how, ", on behalf of %s", row->on_behalf_of);
}

/* The root says nothing. */
static const char *on_behalf_of(const struct who_cgroups *cgroups,
				const struct trace_fill *fill)
{
	const char *name =
		fill->on_behalf_of ?
			cgroup_ids_name(cgroups->memory, fill->on_behalf_of) :
			NULL;

	return name && strcmp(name, "/") != 0 ? name : NULL;
}

static void add_fill(struct who_rows *rows, const struct who_cache *cache,
		     const struct trace_fill *fill,
		     const struct trace_totals *totals, uint64_t page_size,
		     const struct who_cgroups *cgroups)
{
	struct who_row *row = rows_add(&rows->head.rows);

	*row = (struct who_row){
		.cache = cache,
		.fill = fill,
		.cgroup = cgroup_ids_name(cgroups->unified, fill->cgroup),
		.on_behalf_of = on_behalf_of(cgroups, fill),
		.page_size = page_size,
		.knows_how = totals->knows_how,
		.foreign_pid = totals->foreign_pids,
		/* A recording adds up the processes of a name. */
		.processes = fill->process ? 1 : 0,
	};
	who_row_describe(row);
}

/* The rows of a cache stand together, and what was not traced comes last. */
static int compare(const void *left, const void *right)
{
	const struct who_row *a = left;
	const struct who_row *b = right;
	uint64_t in_a = who_row_in(a), in_b = who_row_in(b);
	uint64_t out_a = who_row_out(a), out_b = who_row_out(b);

	if (a->cache->traced_pages != b->cache->traced_pages)
		return a->cache->traced_pages < b->cache->traced_pages ? 1 : -1;
	if (a->cache != b->cache)
		return a->cache < b->cache ? -1 : 1;
	if (!a->fill != !b->fill)
		return a->fill ? -1 : 1;
	if (in_a != in_b)
		return in_a < in_b ? 1 : -1;
	if (out_a != out_b)
		return out_a < out_b ? 1 : -1;
	return a->fill ? trace_fill_compare(a->fill, b->fill) : 0;
}

int who_rows_fill(struct who_rows *rows, const struct trace_totals *totals,
		  uint64_t page_size, const struct who_cgroups *cgroups,
		  struct selection *selection)
{
	struct rows *list = &rows->head.rows;

	if (rows_init(list, totals->count + rows->cache_count,
		      sizeof(struct who_row), false) < 0)
		return -ENOMEM;
	for (size_t i = 0; i < totals->count; i++) {
		const struct trace_fill *fill = &totals->fills[i];
		const struct who_cache *cache = who_caches_at(
			rows, fill->major, fill->minor, fill->is_bdev);

		/* It may have done no more than ask to drop pages. */
		if ((trace_fill_in(fill) || fill->out) &&
		    who_cache_is_chosen(cache, selection))
			add_fill(rows, cache, fill, totals, page_size, cgroups);
	}
	for (size_t i = 0; i < rows->cache_count; i++) {
		const struct who_cache *cache = &rows->caches[i];

		if (cache->has_change && untraced(cache) &&
		    who_cache_is_chosen(cache, selection))
			*(struct who_row *)rows_add(list) = (struct who_row){
				.cache = cache,
				.page_size = page_size,
			};
	}
	who_rows_sort(rows);
	return 0;
}

void who_rows_sort(struct who_rows *rows)
{
	const struct rows *list = &rows->head.rows;

	if (list->count)
		qsort(list->rows, list->count, list->size, compare);
}

int who_rows_init(struct who_rows *rows, const struct trace_totals *totals,
		  const struct caches_before *before, const struct caches *now,
		  const struct who_cgroups *cgroups, const struct sysroot *root,
		  struct selection *selection)
{
	uint64_t page_size = (uint64_t)sysconf(_SC_PAGESIZE);
	int ret;

	*rows = (struct who_rows){ 0 };
	ret = who_caches_find(rows, totals, before, now, root);
	return ret ? ret :
		     who_rows_fill(rows, totals, page_size, cgroups, selection);
}

void who_rows_deinit(struct who_rows *rows)
{
	for (size_t i = 0; i < rows->cache_count; i++)
		free(rows->caches[i].name);
	free(rows->caches);
	free(rows->folded);
	rows_deinit(&rows->head.rows);
	*rows = (struct who_rows){ 0 };
}

/* What the row of the others points to. */
struct who_sum {
	struct who_cache cache;
	struct trace_fill fill;
};

static int who_rows_add_up(struct rows *rows, size_t first, void *made)
{
	const struct who_row *row = rows_at(rows, first);
	struct who_sum *sum = calloc(1, sizeof(*sum));
	int64_t resident = 0;

	if (!sum)
		return -ENOMEM;
	rows->sum = sum;
	sum->cache.name = rows->others_name;
	for (size_t i = first; i < rows->count; i++, row++) {
		resident += row->has_resident ? row->resident_pages : 0;
		if (row->fill) {
			trace_fill_add(&sum->fill, row->fill);
			continue;
		}
		sum->fill.out += who_row_out(row);
		sum->fill.in[FILL_OTHER] += who_row_in(row);
	}
	row = rows_at(rows, first);
	*(struct who_row *)made = (struct who_row){
		.cache = &sum->cache,
		.fill = &sum->fill,
		.is_others = true,
		.page_size = row->page_size,
		.is_now = row->is_now,
		.has_resident = row->is_now,
		.resident_pages = resident,
	};
	return 0;
}

const struct row_kind who_row_kind = {
	.add_up = who_rows_add_up,
	.sum_is_record = true,
};
