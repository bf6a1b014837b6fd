// SPDX-License-Identifier: GPL-2.0-or-later
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/lesser.h"
#include "lib/number.h"
#include "memory/contradiction.h"
#include "memory/memory_heads.h"
#include "memory/memory_reading.h"

/*
 * Counts of two files may differ by this part of MemTotal, being read apart,
 * and those of one file by less.
 */
#define MOVES_PART 128
#define MOVES_IN_FILE_PART 1024

/* Counts that are a part of another. */
static const struct {
	enum memory_field part, whole;
} parts[] = {
	{ MEMORY_NR_FREE, MEMORY_TOTAL },
	{ MEMORY_AVAILABLE, MEMORY_TOTAL },
	{ MEMORY_NR_FILE, MEMORY_TOTAL },
	{ MEMORY_NR_ANON, MEMORY_TOTAL },
	{ MEMORY_NR_MAPPED, MEMORY_TOTAL },
	{ MEMORY_NR_MLOCK, MEMORY_TOTAL },
	{ MEMORY_ARC_SIZE, MEMORY_TOTAL },
	{ MEMORY_MIN_FREE, MEMORY_TOTAL },
	{ MEMORY_SWAP_FREE, MEMORY_SWAP_TOTAL },
	{ MEMORY_BUFFERS, MEMORY_NR_FILE },
	{ MEMORY_NR_SHMEM, MEMORY_NR_FILE },
	{ MEMORY_NR_DIRTY, MEMORY_NR_FILE },
	{ MEMORY_NR_WRITEBACK, MEMORY_NR_FILE },
	{ MEMORY_ANON_HUGE, MEMORY_NR_ANON },
	{ MEMORY_SHMEM_HUGE, MEMORY_NR_SHMEM },
	{ MEMORY_FILE_HUGE, MEMORY_NR_FILE },
	{ MEMORY_NR_IOMMU, MEMORY_NR_SECONDARY_PAGE_TABLE },
	{ MEMORY_ZRAM, MEMORY_NR_ZSPAGES },
	{ MEMORY_CMA_FREE, MEMORY_CMA_TOTAL },
	{ MEMORY_CMA_FREE, MEMORY_NR_FREE },
	{ MEMORY_UNACCEPTED, MEMORY_NR_FREE },
};

static void find_part(struct memory_heads *heads,
		      const struct memory_fields *fields)
{
	for (size_t i = 0; i < sizeof(parts) / sizeof(*parts); i++) {
		enum memory_field part = parts[i].part, whole = parts[i].whole;
		bool is_one_file = fields->is_of_meminfo[whole] ||
				   memory_field_file(part) ==
					   memory_field_file(whole);
		int64_t moves = heads->total /
				(is_one_file ? MOVES_IN_FILE_PART : MOVES_PART);

		if (!memory_has(fields, whole) ||
		    memory_get(fields, part) <=
			    memory_get(fields, whole) +
				    greater(heads->uncertainty, moves))
			continue;
		heads->contradiction = CONTRADICTION_PART;
		heads->wrong_field = part;
		heads->wrong_whole = whole;
		return;
	}
	if (heads->heads[MEMORY_HEAD_FILE_CACHE].pages <
	    -greater(heads->uncertainty, heads->total / MOVES_IN_FILE_PART))
		heads->contradiction = CONTRADICTION_CACHE;
}

/*
 * The only head that has more than all others leave, of those that nothing else
 * bears out: pages of others are on the LRU lists, too, or in pools. Or else
 * MEMORY_HEADS.
 */
static enum memory_head_id find_wrong(const struct memory_heads *heads)
{
	enum memory_head_id found = MEMORY_HEADS;

	for (enum memory_head_id id = MEMORY_HEAD_KERNEL_RECLAIMABLE;
	     id < MEMORY_HEAD_FREE_PER_CPU; id++) {
		if (heads->heads[id].pages <= -heads->rest ||
		    id == MEMORY_HEAD_HUGE_PAGES)
			continue;
		if (found != MEMORY_HEADS)
			return MEMORY_HEADS;
		found = id;
	}
	return found;
}

void contradiction_find(struct memory_heads *heads,
			const struct memory_reading *reading)
{
	int64_t moves = heads->uncertainty >= 0 ? heads->uncertainty :
						  heads->total / MOVES_PART;
	const struct memory_term *term;

	if (!heads->has_rest)
		return;
	find_part(heads, &reading->fields);
	if (!heads->contradiction && reading->has_wrong_pool)
		heads->contradiction = CONTRADICTION_POOL;
	if (heads->contradiction || heads->rest >= -moves)
		return;
	heads->contradiction = CONTRADICTION_SUM;
	heads->wrong = find_wrong(heads);
	if (heads->wrong == MEMORY_HEADS)
		return;
	heads->contradiction = CONTRADICTION_HEAD;
	heads->rest += heads->heads[heads->wrong].pages;
	term = memory_head_info(heads->wrong)->terms;
	for (heads->wrong_field = term->field; term->sign; term++) {
		if (memory_get(&reading->fields, term->field) >
		    memory_get(&reading->fields, heads->wrong_field))
			heads->wrong_field = term->field;
	}
}

/* Counts are in huge pages. */
static void pool_text(const struct memory_pool *pool,
		      char text[CONTRADICTION_TEXT])
{
	const struct {
		const char *part, *whole;
		int64_t count, most;
	} counts[] = {
		{ "free", "in all", pool->free, pool->total },
		{ "reserved", "free", pool->reserved, pool->free },
		{ "surplus", "in all", pool->surplus, pool->total },
	};
	const char *size = SIZE((int64_t)pool->size_kib * 1024);

	snprintf(text, CONTRADICTION_TEXT,
		 "%lld huge pages of %s are more than memory can be",
		 (long long)pool->total, size);
	for (size_t i = 0; i < sizeof(counts) / sizeof(*counts); i++) {
		if (counts[i].count <= counts[i].most)
			continue;
		snprintf(text, CONTRADICTION_TEXT,
			 "huge pages of %s cannot be %lld %s and %lld %s", size,
			 (long long)counts[i].count, counts[i].part,
			 (long long)counts[i].most, counts[i].whole);
		return;
	}
}

bool contradiction_text(const struct memory_heads *heads,
			const struct memory_reading *reading,
			char text[CONTRADICTION_TEXT])
{
	const enum memory_field of = heads->wrong_field;
	const int64_t page_size = (int64_t)reading->page_size;
	const char *size = SIZE(memory_get(&reading->fields, of) * page_size);
	const char *other = SIZE(llabs(heads->rest) * page_size);

	if (heads->contradiction == CONTRADICTION_PART)
		snprintf(text, CONTRADICTION_TEXT,
			 "%s (%s) cannot be more than %s",
			 memory_field_name_in(&reading->fields, of), size,
			 memory_field_name_in(&reading->fields,
					      heads->wrong_whole));
	else if (heads->contradiction == CONTRADICTION_CACHE)
		snprintf(text, CONTRADICTION_TEXT,
			 "Buffers, shared memory and the swap cache together "
			 "cannot be more than nr_file_pages");
	else if (heads->contradiction == CONTRADICTION_POOL)
		pool_text(&reading->wrong_pool, text);
	else if (heads->contradiction == CONTRADICTION_SUM)
		snprintf(text, CONTRADICTION_TEXT,
			 "the counts add up to %s more than MemTotal", other);
	else if (heads->contradiction == CONTRADICTION_HEAD)
		snprintf(text, CONTRADICTION_TEXT,
			 "%s (%s) cannot be right: all others leave at most %s",
			 memory_field_name_in(&reading->fields, of), size,
			 other);
	return heads->contradiction != CONTRADICTION_NONE;
}

const char *contradiction_file(const struct memory_heads *heads,
			       const struct memory_reading *reading)
{
	const enum memory_field wrong = heads->wrong_field;

	if (heads->contradiction == CONTRADICTION_POOL &&
	    memcmp(&reading->wrong_pool, &reading->default_pool,
		   sizeof(reading->wrong_pool)) != 0)
		return "/sys/kernel/mm/hugepages";
	if (heads->contradiction != CONTRADICTION_PART &&
	    heads->contradiction != CONTRADICTION_HEAD)
		return "/proc/meminfo";
	return reading->fields.is_of_meminfo[wrong] ? "/proc/meminfo" :
						      memory_field_path(wrong);
}
