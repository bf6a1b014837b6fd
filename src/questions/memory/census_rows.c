// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <stdio.h>

#include "lib/number.h"
#include "memory/census.h"
#include "memory/memory_heads.h"
#include "memory/memory_reading.h"
#include "memory/memory_rows.h"

/* What of it is in MemTotal. */
static int64_t census_sum(const struct memory_census *census)
{
	int64_t pages = 0;

	for (size_t i = 0; i < CENSUS_RESERVED; i++)
		pages += census->pages[i];
	return pages;
}

static int add(struct memory_rows *rows, const struct memory_rows_of *of,
	       const char *key, const char *what, int64_t pages,
	       const char *note)
{
	struct memory_row *row =
		memory_rows_add_pages(rows, of, key, 2, what, pages);

	if (row && note)
		snprintf(row->note, sizeof(row->note), "%s", note);
	return row ? 0 : -ENOMEM;
}

/* A row without a figure. */
static int add_unknown(struct memory_rows *rows, const char *key,
		       const char *what, const char *note)
{
	struct memory_row *row = memory_rows_add(rows, key, 2, "%s", what);

	if (row)
		snprintf(row->note, sizeof(row->note), "%s", note);
	return row ? 0 : -ENOMEM;
}

static int add_orders(struct memory_rows *rows, const struct memory_rows_of *of)
{
	static const char *const keys[CENSUS_ORDERS] = {
		"order_0",  "order_1",	"order_2",  "order_3",	"order_4",
		"order_5",  "order_6",	"order_7",  "order_8",	"order_9",
		"order_10", "order_11", "order_12", "order_13", "order_14",
		"order_15", "order_16", "order_17", "order_18", "order_19",
	};
	int ret = 0;

	for (unsigned int i = 0; !ret && i < CENSUS_ORDERS; i++) {
		char what[64] = "by order: single pages";

		if (i)
			snprintf(what, sizeof(what),
				 "by order: compound pages of order %u", i);
		if (of->census->orders[i])
			ret = add(rows, of, keys[i], what,
				  of->census->orders[i], NULL);
	}
	return ret;
}

static int add_mapped(struct memory_rows *rows, const struct memory_rows_of *of)
{
	static const char key[] = "mapped",
			  what[] = "by map: mapped by programs";
	const struct memory_census *census = of->census;

	return census->has_mapped ?
		       add(rows, of, key, what, census->mapped, NULL) :
		       add_unknown(rows, key, what, census->why_not_mapped);
}

static const struct {
	const char *key, *what, *note;
} types[CENSUS_TYPES] = {
	[CENSUS_ZSMALLOC] = { "zsmalloc", "by type: compressed (zsmalloc)",
			      NULL },
	[CENSUS_PAGE_POOL] = { "page_pool", "by pool: of network devices",
			       NULL },
	[CENSUS_LISTED] = { "listed", "by type: without a reference, on a list",
			    "free, on per-CPU lists" },
	[CENSUS_UNREFERENCED] = { "unreferenced",
				  "by type: without a reference, on no list",
				  "later pages of buffers and of free pieces" },
	[CENSUS_PIPES] = { "pipes", "by type: in pipes", NULL },
	[CENSUS_IN_USE] = { "in_use", "by type: in use, of no type",
			    "nothing in a struct page tells vmalloc" },
	[CENSUS_UNREAD] = { "unread", "by type: not read", NULL },
};

static int add_pipes(struct memory_rows *rows, const struct memory_rows_of *of)
{
	static const char key[] = "pipes_not_open",
			  what[] =
				  "of these, in pipes that no process has open";
	const char *const type = types[CENSUS_PIPES].key;
	const char *const label = types[CENSUS_PIPES].what;
	const struct census_pages *other = &of->census->other;
	char note[64];
	int ret;

	if (!other->looked_for[CENSUS_PIPES])
		return add_unknown(rows, type, label, other->why_no_pipes);
	snprintf(note, sizeof(note), "without %zu that could not be read",
		 other->unread_pipes);
	ret = add(rows, of, type, label, other->pages[CENSUS_PIPES],
		  other->unread_pipes ? note : NULL);
	if (ret < 0)
		return ret;
	ret = *other->why_not_open ?
		      add_unknown(rows, key, what, other->why_not_open) :
		      add(rows, of, key, what, other->not_open, NULL);
	if (!ret)
		rows->rows[rows->count - 1].indent = 4;
	return ret;
}

static int add_types(struct memory_rows *rows, const struct memory_rows_of *of)
{
	const struct census_pages *other = &of->census->other;
	char note[sizeof(other->why) + 32];
	int ret = 0;

	if (!other->is_known) {
		snprintf(note, sizeof(note), "needs kernel memory: %s",
			 other->why);
		return add_unknown(rows, "by_type", "by type and pool", note);
	}
	for (size_t i = 0; !ret && i < CENSUS_TYPES; i++) {
		if (i == CENSUS_PIPES)
			ret = add_pipes(rows, of);
		else if (!other->looked_for[i])
			ret = add_unknown(rows, types[i].key, types[i].what,
					  "this kernel does not tell");
		else if (i != CENSUS_UNREAD || other->pages[i])
			ret = add(rows, of, types[i].key, types[i].what,
				  other->pages[i], types[i].note);
	}
	return ret;
}

/* Heads whose pages have no flag, but for those of a kind. */
static const struct {
	const char *key, *what;
	enum memory_head_id heads[2];
	enum census_kind flagged; /* CENSUS_OTHER: none */
	enum census_type seen; /* how struct pages show them; or CENSUS_TYPES */
} counted[] = {
#define ONE(head)                                                              \
	{                                                                      \
		head, MEMORY_HEADS                                             \
	}
	{ "counted_vmalloc", "by count: vmalloc", ONE(MEMORY_HEAD_VMALLOC),
	  CENSUS_OTHER, CENSUS_TYPES },
	{ "counted_kernel_stacks", "by count: kernel stacks",
	  ONE(MEMORY_HEAD_STACKS), CENSUS_OTHER, CENSUS_TYPES },
	{ "counted_per_cpu", "by count: per-CPU memory",
	  ONE(MEMORY_HEAD_PER_CPU), CENSUS_OTHER, CENSUS_TYPES },
	{ "counted_free_per_cpu", "by count: free, on per-CPU lists",
	  ONE(MEMORY_HEAD_FREE_PER_CPU), CENSUS_OTHER, CENSUS_LISTED },
	{ "counted_compressed", "by count: compressed swap",
	  ONE(MEMORY_HEAD_COMPRESSED), CENSUS_OTHER, CENSUS_ZSMALLOC },
	{ "counted_slab",
	  "by count: slab in whole pages",
	  { MEMORY_HEAD_SLAB_RECLAIMABLE, MEMORY_HEAD_SLAB_UNRECLAIMABLE },
	  CENSUS_SLAB,
	  CENSUS_TYPES },
	{ "counted_page_tables", "by count: page tables of other kinds",
	  ONE(MEMORY_HEAD_PAGE_TABLES), CENSUS_PAGE_TABLES, CENSUS_TYPES },
	{ "counted_kernel_reclaimable", "by count: kernel, reclaimable",
	  ONE(MEMORY_HEAD_KERNEL_RECLAIMABLE), CENSUS_OTHER, CENSUS_TYPES },
	{ "counted_balloon", "by count: balloon", ONE(MEMORY_HEAD_BALLOON),
	  CENSUS_OFFLINE, CENSUS_TYPES },
	{ "counted_memmap", "by count: memmap of added memory",
	  ONE(MEMORY_HEAD_MEMMAP), CENSUS_OTHER, CENSUS_TYPES },
	{ "counted_gpu", "by count: GPU drivers", ONE(MEMORY_HEAD_GPU),
	  CENSUS_OTHER, CENSUS_TYPES },
	{ "counted_zfs", "by count: ZFS cache", ONE(MEMORY_HEAD_ZFS),
	  CENSUS_OTHER, CENSUS_TYPES },
	{ "counted_bounce", "by count: bounce buffers", ONE(MEMORY_HEAD_BOUNCE),
	  CENSUS_OTHER, CENSUS_TYPES },
#undef ONE
};

#define COUNTED (sizeof(counted) / sizeof(*counted))

/* Less than 0: the kind has pages that are in none of the heads. */
static int64_t counted_pages(const struct memory_rows_of *of, size_t which)
{
	int64_t pages = 0;

	for (size_t i = 0; i < 2; i++) {
		enum memory_head_id id = counted[which].heads[i];

		if (id != MEMORY_HEADS && of->heads->heads[id].known &&
		    id != of->heads->wrong)
			pages += of->heads->heads[id].pages;
	}
	if (counted[which].flagged != CENSUS_OTHER)
		pages -= of->census->pages[counted[which].flagged];
	return pages;
}

/*
 * What to leave out of the bound. Frames that are seen to be of a type are left
 * out as they were seen, not as they are counted: to count frames takes some
 * that were free, on a list of a processor, when the kernel's counts were read.
 */
static int64_t certain_pages(const struct memory_rows_of *of, size_t which)
{
	const struct census_pages *other = &of->census->other;
	enum census_type seen = counted[which].seen;

	if (seen != CENSUS_TYPES && other->is_known && other->looked_for[seen])
		return other->pages[seen];
	return seen == CENSUS_LISTED ? 0 : counted_pages(of, which);
}

/*
 * What is unaccounted has no flag, or is more of a kind than its heads have, as
 * a balloon that nobody counts.
 */
static int add_bound(struct memory_rows *rows, const struct memory_rows_of *of)
{
	static const char key[] = "left",
			  what[] = "left for unaccounted, at most";
	const struct census_pages *other = &of->census->other;
	int64_t left = of->census->pages[CENSUS_OTHER];

	if (!of->census->complete)
		return add_unknown(rows, key, what, "not all was counted");
	if (!of->heads->has_rest)
		return add_unknown(rows, key, what,
				   "the counts are not of all this memory");
	for (size_t i = 0; i < COUNTED; i++)
		left -= certain_pages(of, i);
	return add(rows, of, key, what, left,
		   other->is_known && other->looked_for[CENSUS_LISTED] ?
			   NULL :
			   "with what is free, on per-CPU lists");
}

static int add_counted(struct memory_rows *rows,
		       const struct memory_rows_of *of)
{
	int ret = 0;

	for (size_t i = 0; !ret && i < COUNTED; i++) {
		int64_t pages = counted_pages(of, i);

		if (pages > 0)
			ret = add(rows, of, counted[i].key, counted[i].what,
				  pages, NULL);
	}
	if (!ret && of->heads->has_rest)
		ret = add(rows, of, "counted_unaccounted",
			  "by count: unaccounted", of->heads->rest, NULL);
	else if (!ret)
		ret = add_unknown(rows, "counted_unaccounted",
				  "by count: unaccounted",
				  memory_unknown_text(of->heads->why_no_rest));
	return ret ?: add_bound(rows, of);
}

/* The same frames, four times over. */
static int add_other(struct memory_rows *rows, const struct memory_rows_of *of)
{
	return add_orders(rows, of)	    ?:
		       add_mapped(rows, of) ?:
		       add_types(rows, of)  ?:
					      add_counted(rows, of);
}

int census_rows(struct memory_rows *rows, const struct memory_rows_of *of)
{
	static const struct {
		const char *key, *what, *note;
	} kinds[CENSUS_KINDS] = {
		[CENSUS_FREE] = { "free", "free", NULL },
		[CENSUS_SLAB] = { "slab", "slab", NULL },
		[CENSUS_LRU] = { "lru", "file and anonymous pages",
				 "on the LRU lists" },
		[CENSUS_PAGE_TABLES] = { "page_tables", "page tables", NULL },
		[CENSUS_HUGE] = { "huge", "huge page pools", NULL },
		[CENSUS_OFFLINE] = { "offline", "offline",
				     "given away by a balloon" },
		[CENSUS_BROKEN] = { "broken", "broken pages", NULL },
		[CENSUS_OTHER] = { "other", "without a flag",
				   "the same pages below by order, map, type "
				   "and count" },
		[CENSUS_RESERVED] = { "reserved", "reserved",
				      "since the boot, not in MemTotal" },
	};
	const int64_t sum = census_sum(of->census);
	struct memory_row *row;

	for (size_t i = 0; i < CENSUS_KINDS; i++) {
		row = memory_rows_add_pages(rows, of, kinds[i].key, 0,
					    kinds[i].what,
					    of->census->pages[i]);
		if (!row)
			return -ENOMEM;
		if (kinds[i].note)
			snprintf(row->note, sizeof(row->note), "%s",
				 kinds[i].note);
		if (i == CENSUS_OTHER && add_other(rows, of) < 0)
			return -ENOMEM;
	}
	row = memory_rows_add_pages(rows, of, "sum", 0, "sum without reserved",
				    sum);
	if (!row)
		return -ENOMEM;
	if (!of->census->complete)
		snprintf(row->note, sizeof(row->note), "%s",
			 "incomplete: the time limit ended it");
	row = memory_rows_add_pages(rows, of, "total", 0, "total (MemTotal)",
				    of->heads->total);
	if (row)
		row = memory_rows_add_pages(rows, of, "difference", 0,
					    "difference",
					    of->heads->total - sum);
	return row ? 0 : -ENOMEM;
}
