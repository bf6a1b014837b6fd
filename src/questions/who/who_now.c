// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cgroups/charge_rows.h"
#include "measure/provenance.h"
#include "question/question.h"
#include "trace/trace.h"
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

static struct who_row *who_now_add(struct who_now *now, size_t cache)
{
	struct who_row *row = rows_add(&now->who.head.rows);

	*row = (struct who_row){
		.cache = &now->who.caches[cache],
		.is_now = true,
		.page_size = now->charges.page_size,
	};
	return row;
}

static void add_charge(struct who_now *now, const struct charge *charge)
{
	struct who_row *row = who_now_add(now, charge->cache);

	row->has_resident = true;
	row->resident_pages = (int64_t)charge->pages;
	if (charge->owner == CHARGE_NO_OWNER) {
		row->state = "not charged";
	} else {
		const struct charge_owner *owner =
			&now->charges.owners[charge->owner];

		row->cgroup = owner->container ?: owner->path;
		row->state = owner->is_dead ? "dead" : NULL;
	}
}

static void add_rest(struct who_now *now, size_t index)
{
	const struct cache *cache = &now->charges.caches[index];
	int64_t rest = (int64_t)cache->pages - (int64_t)cache->charged;
	struct who_row *row;

	if (cache->has_pages && !rest)
		return;
	row = who_now_add(now, index);
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

int who_now_make_rows(struct who_now *now)
{
	const struct charges *charges = &now->charges;
	struct who_rows *who = &now->who;
	struct rows *rows = &who->head.rows;

	who->caches = calloc(charges->cache_count + 1, sizeof(*who->caches));
	if (!who->caches ||
	    rows_init(rows, charges->count + charges->cache_count,
		      sizeof(struct who_row), false) < 0)
		return -ENOMEM;
	for (size_t i = 0; i < charges->cache_count; i++) {
		who->cache_count++;
		if (copy_cache(&who->caches[i], &charges->caches[i]) < 0)
			return -ENOMEM;
	}
	for (size_t i = 0; i < charges->count; i++)
		add_charge(now, &charges->list[i]);
	for (size_t i = 0; i < charges->cache_count; i++)
		add_rest(now, i);
	if (rows->count)
		qsort(rows->rows, rows->count, rows->size, compare);
	return 0;
}

static int who_now_take(void *answer, const struct asking *asking,
			struct error *err)
{
	struct who_now *now = answer;
	int ret = charges_read(&now->charges, asking->root, NULL,
			       asking->selection, err);

	if (ret < 0)
		return ret;
	now->who.head.source = "kcore";
	now->who.head.is_whole = charges_are_whole(&now->charges);
	return who_now_make_rows(now) < 0 ?
		       error_errno(err, ENOMEM, "measuring", "the caches") :
		       0;
}

static void who_now_release(void *answer)
{
	struct who_now *now = answer;

	who_rows_deinit(&now->who);
	charges_deinit(&now->charges);
}

static void who_now_missing(const void *answer, error_tell_fn *tell, void *data)
{
	const struct who_now *now = answer;

	charges_missing(&now->charges, tell, data);
}

/*
 * A process, in a cache of one kind, of one device or filesystem. A recording
 * has commands of cgroups in place of processes.
 */
static const char *who_key(const struct table_rows *rows, size_t i, char *text,
			   size_t size)
{
	const struct who_row *row = table_row(rows, i);
	const struct trace_fill *fill = row->fill;

	snprintf(text, size, "%u %s %s %s %s",
		 fill && !row->foreign_pid ? fill->process : 0,
		 row->cache->number, row->cache->is_bdev ? "device" : "files",
		 fill ? fill->command : "", row->cgroup ?: "");
	return text;
}

const struct question who_question = {
	.name = "who",
	.things = "the caches",
	.columns = &who_columns,
	.size = sizeof(struct who_now),
	.row = &who_row_kind,
	.take = who_now_take,
	.release = who_now_release,
	.missing = who_now_missing,
	/* On the screen what is traced. */
	.figure = "in_bytes",
	.is_flow = true,
	.shown = "NAME,CACHE,COMMAND,PID,CGROUP,IN,OUT,HOW",
	.key = who_key,
};

static const struct field charges_list[] = {
	{ FIELD(struct charges, page_size, "page_size_bytes", UINT64_MAX) },
};

static const struct fields charges_fields =
	FIELDS(struct charges, charges_list);

static const struct field now_list[] = {
	{ FIELD_PART(struct who_now, charges, &charges_fields) },
};

static const struct fields now_fields = FIELDS(struct who_now, now_list);

static const struct field document_list[] = {
	{ DOCUMENT_HEAD },
	{ DOCUMENT_ANSWER(&now_fields) },
	{ DOCUMENT_ROWS("now", &who_columns) },
};

const struct fields who_now_document = FIELDS(struct document, document_list);
