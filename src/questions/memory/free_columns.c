// SPDX-License-Identifier: GPL-2.0-or-later
#include <stddef.h>

#include "fields/fields.h"
#include "measure/meminfo.h"
#include "memory/free_columns.h"

static void set(struct free_columns *columns, enum free_column column,
		int64_t bytes)
{
	columns->bytes[column] = bytes;
	columns->known[column] = true;
}

static void take(struct free_columns *columns, enum free_column column,
		 const struct meminfo *meminfo, enum meminfo_field field)
{
	int64_t bytes;

	if (meminfo_bytes(meminfo, field, &bytes))
		set(columns, column, bytes);
}

/* @column = @left - @right, if both are known and it is not negative. */
static void subtract(struct free_columns *columns, enum free_column column,
		     enum free_column left, enum free_column right)
{
	int64_t difference = columns->bytes[left] - columns->bytes[right];
	bool known = columns->known[left] && columns->known[right];

	set(columns, column, difference);
	columns->known[column] = known && difference >= 0;
}

static void add(struct free_columns *columns, enum free_column column,
		enum free_column left, enum free_column right)
{
	bool known = columns->known[left] && columns->known[right];
	int64_t sum;

	if (__builtin_add_overflow(columns->bytes[left], columns->bytes[right],
				   &sum))
		known = false;
	set(columns, column, sum);
	columns->known[column] = known;
}

/* procps does not believe a MemAvailable of zero or above the total. */
static bool is_available_believed(const struct free_columns *columns)
{
	return columns->known[FREE_COLUMN_AVAILABLE] &&
	       columns->bytes[FREE_COLUMN_AVAILABLE] > 0 &&
	       columns->bytes[FREE_COLUMN_AVAILABLE] <=
		       columns->bytes[FREE_COLUMN_TOTAL];
}

static void fill_used(struct free_columns *columns)
{
	columns->used_without_available = !is_available_believed(columns);
	subtract(columns, FREE_COLUMN_USED, FREE_COLUMN_TOTAL,
		 columns->used_without_available ? FREE_COLUMN_FREE :
						   FREE_COLUMN_AVAILABLE);

	subtract(columns, FREE_COLUMN_USED_BEFORE, FREE_COLUMN_TOTAL,
		 FREE_COLUMN_FREE);
	subtract(columns, FREE_COLUMN_USED_BEFORE, FREE_COLUMN_USED_BEFORE,
		 FREE_COLUMN_BUFF_CACHE);
}

void free_columns_init(struct free_columns *columns,
		       const struct meminfo *meminfo)
{
	*columns = (struct free_columns){ 0 };
	take(columns, FREE_COLUMN_TOTAL, meminfo, MEMINFO_MEM_TOTAL);
	take(columns, FREE_COLUMN_FREE, meminfo, MEMINFO_MEM_FREE);
	take(columns, FREE_COLUMN_SHARED, meminfo, MEMINFO_SHMEM);
	take(columns, FREE_COLUMN_BUFFERS, meminfo, MEMINFO_BUFFERS);
	take(columns, FREE_COLUMN_AVAILABLE, meminfo, MEMINFO_MEM_AVAILABLE);
	take(columns, FREE_COLUMN_SWAP_TOTAL, meminfo, MEMINFO_SWAP_TOTAL);
	take(columns, FREE_COLUMN_SWAP_FREE, meminfo, MEMINFO_SWAP_FREE);
	subtract(columns, FREE_COLUMN_SWAP_USED, FREE_COLUMN_SWAP_TOTAL,
		 FREE_COLUMN_SWAP_FREE);

	/* cache = Cached + SReclaimable, which buff_cache holds meanwhile. */
	take(columns, FREE_COLUMN_CACHE, meminfo, MEMINFO_CACHED);
	take(columns, FREE_COLUMN_BUFF_CACHE, meminfo, MEMINFO_SRECLAIMABLE);
	add(columns, FREE_COLUMN_CACHE, FREE_COLUMN_CACHE,
	    FREE_COLUMN_BUFF_CACHE);
	add(columns, FREE_COLUMN_BUFF_CACHE, FREE_COLUMN_BUFFERS,
	    FREE_COLUMN_CACHE);
	fill_used(columns);
}

static struct column_value get_bytes(const void *data, size_t which)
{
	const struct free_columns *columns = data;

	return column_number(columns->known[which], columns->bytes[which]);
}

static const char *const used_words[] = { "total - available", "total - free",
					  NULL };

static struct column_value get_used_is(const void *data)
{
	const struct free_columns *columns = data;

	return column_text(columns->known[FREE_COLUMN_USED] ?
				   used_words[columns->used_without_available] :
				   NULL);
}

#define COLUMN(number, key)                                                    \
	FIELD_VALUE(key, COLUMN_BYTES), .value_of = get_bytes,                 \
					.which = (number),                     \
					.null = "a field is missing"

static const struct field columns_list[] = {
	{ COLUMN(FREE_COLUMN_TOTAL, "total_bytes") },
	{ COLUMN(FREE_COLUMN_USED, "used_bytes") },
	{ COLUMN(FREE_COLUMN_USED_BEFORE, "used_before_procps_4_0_1_bytes") },
	{ COLUMN(FREE_COLUMN_FREE, "free_bytes") },
	{ COLUMN(FREE_COLUMN_SHARED, "shared_bytes") },
	{ COLUMN(FREE_COLUMN_BUFFERS, "buffers_bytes") },
	{ COLUMN(FREE_COLUMN_CACHE, "cache_bytes") },
	{ COLUMN(FREE_COLUMN_BUFF_CACHE, "buff_cache_bytes") },
	{ COLUMN(FREE_COLUMN_AVAILABLE, "available_bytes") },
	{ COLUMN(FREE_COLUMN_SWAP_TOTAL, "swap_total_bytes") },
	{ COLUMN(FREE_COLUMN_SWAP_USED, "swap_used_bytes") },
	{ COLUMN(FREE_COLUMN_SWAP_FREE, "swap_free_bytes") },
	{ FIELD_VALUE("used_is", COLUMN_TEXT), .value = get_used_is,
	  .words = used_words, .null = "used is not known" },
};

static const struct fields columns_fields =
	FIELDS(struct free_columns, columns_list);

static bool make_columns(const void *record,
			 size_t which __attribute__((unused)), void *made)
{
	free_columns_init(made, record);
	return true;
}

static const struct field free_list[] = {
	{ FIELD_MADE_OBJECT("columns", &columns_fields, make_columns),
	  .about = "free's" },
};

const struct fields free_columns_fields = FIELDS(struct meminfo, free_list);
