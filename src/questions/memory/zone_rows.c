// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <stdio.h>

#include "lib/cleanup.h"
#include "lib/error.h"
#include "lib/number.h"
#include "lib/sysroot.h"
#include "measure/meminfo.h"
#include "measure/provenance.h"
#include "memory/memory_reading.h"
#include "memory/zone_rows.h"
#include "question/question.h"

#define MAX_VMSTAT 65536

int zones_read(struct zoneinfo *zones, uint64_t *page_size,
	       const struct sysroot *root, struct error *err)
{
	int ret = zoneinfo_read(zones, root, err);
	struct meminfo meminfo;
	int64_t said_bytes;

	*page_size = 0;
	if (!ret)
		ret = memory_page_size(root, page_size, err);
	if (!ret && meminfo_read(&meminfo, root, NULL) == 0 &&
	    meminfo_bytes(&meminfo, MEMINFO_MEM_AVAILABLE, &said_bytes))
		zoneinfo_hold_available(zones,
					said_bytes / (int64_t)*page_size);
	return ret;
}

/* A sum is not known if a part of it is not. */
static void add(int64_t *sum, int64_t pages)
{
	*sum = *sum < 0 || pages < 0 ? -1 : *sum + pages;
}

static void add_up(struct zone *sum, const struct zone *zone)
{
	add(&sum->free_pages, zone->free_pages);
	add(&sum->min_pages, zone->min_pages);
	add(&sum->low_pages, zone->low_pages);
	add(&sum->high_pages, zone->high_pages);
	add(&sum->managed_pages, zone->managed_pages);
	add(&sum->cma_pages, zone->cma_pages);
	add(&sum->cpu_lists_pages, zone->cpu_lists_pages);
}

/* What was read. */
struct zone_answer {
	struct answer head;
	struct zoneinfo zones;
	int64_t missing_bytes; /* in no zone: zoneinfo_missing_pages() */
};

static struct zone_row *add_row(struct rows *rows, size_t parent,
				unsigned int node, uint64_t page_size)
{
	struct zone_row *row;

	if (rows->parents)
		rows->parents[rows->count] = parent;
	row = rows_add(rows);
	*row = (struct zone_row){ .node = node, .page_size = page_size };
	return row;
}

static void add_zone(struct rows *rows, size_t parent, const struct zone *zone,
		     uint64_t page_size)
{
	struct zone_row *row = add_row(rows, parent, zone->node, page_size);

	row->zone = zone;
	row->figures = *zone;
	if (rows->parents)
		snprintf(row->name, sizeof(row->name), "%s", zone->name);
	else
		snprintf(row->name, sizeof(row->name), "node%u/%s", zone->node,
			 zone->name);
}

static void add_node(struct zone_answer *answer, unsigned int node,
		     uint64_t page_size)
{
	const struct zoneinfo *zones = &answer->zones;
	struct rows *rows = &answer->head.rows;
	size_t place = rows->count;
	struct zone_row *row = add_row(rows, TABLE_NO_PARENT, node, page_size);

	snprintf(row->name, sizeof(row->name), "node%u", node);
	zoneinfo_available(zones, (int)node, &row->available);
	for (size_t i = 0; i < zones->count; i++) {
		if (zones->zones[i].node != node ||
		    !zone_has_memory(&zones->zones[i]))
			continue;
		add_up(&row->figures, &zones->zones[i]);
		add_zone(rows, place, &zones->zones[i], page_size);
	}
}

static bool zone_row_is_sound(const struct zone_row *row)
{
	return !row->zone || zone_is_sound(row->zone);
}

/* Tells what cannot be right. */
static void zone_answer_missing(const void *data, error_tell_fn *tell,
				void *told)
{
	const struct zone_answer *answer = data;
	const struct rows *rows = &answer->head.rows;
	struct error err;

	for (size_t i = 0; i < rows->count; i++) {
		const struct zone_row *row = rows_at(rows, i);

		if (zone_row_is_sound(row))
			continue;
		error_doing(&err, ERROR_PARTIAL, "reading", row->name,
			    "nr_free_cma cannot be more than pages free");
		tell(told, &err);
	}
	if (!answer->missing_bytes)
		return;
	error_doing(&err, ERROR_PARTIAL, "reading", "/proc/zoneinfo",
		    "%s that /proc/vmstat counts is in no zone: lines are "
		    "missing",
		    SIZE(answer->missing_bytes));
	tell(told, &err);
}

static int zone_answer_take(void *data, const struct asking *asking,
			    struct error *err)
{
	_cleanup_(freep) char *vmstat = NULL;
	struct zone_answer *answer = data;
	struct zoneinfo *zones = &answer->zones;
	uint64_t page_size;
	int ret = zones_read(zones, &page_size, asking->root, err);

	if (ret < 0)
		return ret;
	if (sysroot_read(asking->root, "/proc/vmstat", MAX_VMSTAT, &vmstat,
			 NULL) == 0)
		answer->missing_bytes = zoneinfo_missing_pages(zones, vmstat) *
					(int64_t)page_size;
	if (rows_init(&answer->head.rows, zones->count + zones->node_count,
		      sizeof(struct zone_row), asking->is_tree) < 0)
		return error_errno(err, ENOMEM, "reading", "/proc/zoneinfo");
	for (size_t i = 0; i < zones->node_count; i++) {
		unsigned int node = zones->nodes[i].node;

		/* A node may have processors only. */
		if (zoneinfo_managed_pages(zones, (int)node))
			add_node(answer, node, page_size);
	}
	answer->head.source = "zoneinfo";
	answer->head.is_whole = !answer->missing_bytes;
	for (size_t i = 0; i < answer->head.rows.count; i++)
		answer->head.is_whole &=
			zone_row_is_sound(rows_at(&answer->head.rows, i));
	return 0;
}

static void zone_answer_release(void *data)
{
	struct zone_answer *answer = data;

	zoneinfo_deinit(&answer->zones);
}

/* It tells why a zone is short with much of it free. */
static void zone_set_columns(struct column_choice *columns, const void *data)
{
	const struct rows *rows = data;

	for (size_t i = 0; i < rows->count; i++) {
		const struct zone_row *row = rows_at(rows, i);

		if (row->figures.cma_pages > 0)
			column_choice_parse(columns, &zone_columns, "+CMA",
					    NULL);
	}
}

static struct column_value size(const struct zone_row *row, int64_t pages)
{
	return column_number(pages >= 0, pages * (int64_t)row->page_size);
}

static struct column_value size_at(const void *row, size_t place)
{
	return size(row, column_number_at(row, place).number);
}

static struct column_value get_node(const void *row)
{
	return column_number(true, ((const struct zone_row *)row)->node);
}

static struct column_value get_zone(const void *data)
{
	const struct zone_row *row = data;

	return column_text(row->zone ? row->zone->name : NULL);
}

static struct column_value get_reserve(const void *data)
{
	const struct zone_row *row = data;
	struct column_value value = size(row, row->figures.reserve_pages);

	value.known &= row->zone != NULL;
	return value;
}

/* Watermarks are the zones' own; a node reclaims as soon as one needs it. */
static struct column_value get_left(const void *data)
{
	const struct zone_row *row = data;
	const struct zone *zone = &row->figures;

	return column_number(row->zone && zone->free_pages >= 0 &&
				     zone->low_pages >= 0 &&
				     zone_is_sound(zone),
			     (zone_usable_pages(zone) - zone->low_pages) *
				     (int64_t)row->page_size);
}

static struct column_value get_available(const void *data)
{
	const struct zone_row *row = data;
	struct column_value value = size(row, row->available.result);

	value.known = row->available.known;
	return value;
}

static struct column_value get_state(const void *data)
{
	const struct zone_row *row = data;
	const struct zone *zone = row->zone;

	if (!get_left(data).known)
		return column_text(NULL);
	if (zone_usable_pages(zone) < zone->min_pages)
		return column_text("below-min");
	return column_text(
		zone_usable_pages(zone) < zone->low_pages ? "below-low" : "ok");
}

static const char *const states[] = { "ok", "below-low", "below-min", NULL };

static const struct column columns[] = {
	{ "NAME", "name", "a NUMA node, or a zone of it", COLUMN_TEXT,
	  COLUMN_USUAL, .always = true,
	  COLUMN_AT(column_chars_at, struct zone_row, name) },
	{ "NODE", "node", "number of the node", COLUMN_COUNT, COLUMN_ON_REQUEST,
	  .always = true, .leave = 1, .value = get_node },
	{ "ZONE", "zone", "name of the zone; blank for a node", COLUMN_TEXT,
	  COLUMN_ON_REQUEST, .leave = 1, .value = get_zone },
	{ "MANAGED", "managed_bytes", "memory that the kernel allocates from",
	  COLUMN_BYTES, COLUMN_USUAL, .leave = 5,
	  COLUMN_AT(size_at, struct zone_row, figures.managed_pages) },
	{ "FREE", "free_bytes", "free pages", COLUMN_BYTES, COLUMN_USUAL,
	  COLUMN_AT(size_at, struct zone_row, figures.free_pages) },
	{ "CMA", "cma_bytes", "of FREE: only for pages that can be moved",
	  COLUMN_BYTES, COLUMN_ON_REQUEST, .leave = 1,
	  COLUMN_AT(size_at, struct zone_row, figures.cma_pages) },
	{ "CPU-LISTS", "cpu_lists_bytes", "free too, on the processors' lists",
	  COLUMN_BYTES, COLUMN_USUAL, .leave = 2,
	  COLUMN_AT(size_at, struct zone_row, figures.cpu_lists_pages) },
	{ "MIN", "min_bytes", "below this, allocating means to reclaim first",
	  COLUMN_BYTES, COLUMN_USUAL, .leave = 6,
	  COLUMN_AT(size_at, struct zone_row, figures.min_pages) },
	{ "LOW", "low_bytes", "below this, kswapd reclaims", COLUMN_BYTES,
	  COLUMN_USUAL, .leave = 7,
	  COLUMN_AT(size_at, struct zone_row, figures.low_pages) },
	{ "HIGH", "high_bytes", "until so much is free", COLUMN_BYTES,
	  COLUMN_USUAL, .leave = 3,
	  COLUMN_AT(size_at, struct zone_row, figures.high_pages) },
	{ "RESERVE", "reserve_bytes", "kept from what could use a higher zone",
	  COLUMN_BYTES, COLUMN_ON_REQUEST, .leave = 1, .value = get_reserve },
	{ "LEFT", "left_bytes", "FREE without CMA, above LOW; negative: below",
	  COLUMN_BYTES, COLUMN_USUAL, .is_signed = true, .leave = 8,
	  .value = get_left },
	{ "AVAILABLE", "available_bytes", "MemAvailable, of this node alone",
	  COLUMN_BYTES, COLUMN_USUAL, .leave = 4, .value = get_available },
	{ "STATE", "state", "ok, below-low, or below-min", COLUMN_TEXT,
	  COLUMN_USUAL, .words = states, .leave = 9, .value = get_state },
};

const struct column_set zone_columns = COLUMN_SET("zones", columns);

const struct question zone_question = {
	.name = "zones",
	.command = &command_zones,
	.things = "the zones",
	.columns = &zone_columns,
	.size = sizeof(struct zone_answer),
	.take = zone_answer_take,
	.release = zone_answer_release,
	.missing = zone_answer_missing,
	.set_columns = zone_set_columns,
	.can_be_tree = true,
	.is_tree = true,
};

static const struct field document_list[] = {
	{ DOCUMENT_HEAD },
	{ DOCUMENT_ROWS("zones", &zone_columns),
	  .about = "NUMA nodes, each before its zones" },
};

const struct fields zone_document = FIELDS(struct document, document_list);
