// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <stdio.h>

#include "memory/check.h"
#include "memory/memory_heads.h"
#include "memory/memory_reading.h"
#include "memory/memory_rows.h"

/* Its name and, but for a dump, the file that it was read from. */
static const char *where_is(struct memory_row *row,
			    const struct memory_rows_of *of,
			    enum memory_field field)
{
	row->field =
		memory_field_where(&of->reading->fields, field, &row->file);
	if (of->reading->is_dump)
		row->file = NULL;
	return row->field;
}

static int add_field(struct memory_rows *rows, const struct memory_rows_of *of,
		     int sign, enum memory_field field)
{
	const struct memory_fields *fields = &of->reading->fields;
	struct memory_row *row;

	if (!memory_has(fields, field))
		return 0;
	row = memory_rows_add_pages(rows, of, "term", "",
				    sign * memory_get(fields, field));
	if (!row)
		return -ENOMEM;
	snprintf(row->what, sizeof(row->what), "  %c %s", sign < 0 ? '-' : '+',
		 where_is(row, of, field));
	return 0;
}

/* What a head is made of beyond its fields, so that its rows add up to it. */
static int add_correction(struct memory_rows *rows,
			  const struct memory_rows_of *of,
			  enum memory_head_id id, int64_t fields)
{
	static const char *const whats[MEMORY_HEADS] = {
		[MEMORY_HEAD_SWAP_CACHE] = "  - those mapped by programs",
		[MEMORY_HEAD_ORPHANS] = "  + LRU lists - file - anonymous",
		[MEMORY_HEAD_COMPRESSED] = "  + zswap outside zsmalloc",
		[MEMORY_HEAD_VMALLOC] = "  + pages= in /proc/vmallocinfo",
		[MEMORY_HEAD_HUGE_PAGES] = "  + pools of huge pages",
		[MEMORY_HEAD_BALLOON] = "  + balloon_inflate - balloon_deflate",
	};
	int64_t pages = of->heads->heads[id].pages - fields;

	if (id == MEMORY_HEAD_FREE && pages)
		return add_field(rows, of, 1, MEMORY_NR_FREE);
	if (!pages)
		return 0;
	return memory_rows_add_pages(rows, of, "term",
				     whats[id] ?: "  + up to 0", pages) ?
		       0 :
		       -ENOMEM;
}

static int add_head(struct memory_rows *rows, const struct memory_rows_of *of,
		    enum memory_head_id id)
{
	const struct memory_head_info *info = memory_head_info(id);
	const struct memory_head *head = &of->heads->heads[id];
	const struct memory_term *term = info->terms;
	struct memory_row *row;
	int64_t fields = 0;
	int ret = 0;

	if (!head->known && !of->all)
		return 0;
	row = memory_rows_add(rows, info->key, "%s", info->label);
	if (!row)
		return -ENOMEM;
	row->why = head->known ? info->why :
				 "not counted by this kernel, or elsewhere";
	if (!head->known)
		return 0;
	memory_row_set_pages(row, of, head->pages);
	for (; !ret && term->sign; term++) {
		ret = add_field(rows, of, term->sign, term->field);
		fields += term->sign *
			  memory_get(&of->reading->fields, term->field);
	}
	return ret ?: add_correction(rows, of, id, fields);
}

static int add_ends(struct memory_rows *rows, const struct memory_rows_of *of)
{
	const struct memory_heads *heads = of->heads;
	struct memory_row *row;

	if (!memory_rows_add_pages(rows, of, "sum", "sum of the heads",
				   memory_heads_sum(heads)))
		return -ENOMEM;
	if (heads->has_rest) {
		row = memory_rows_add_pages(rows, of, "unaccounted",
					    "unaccounted", heads->rest);
		if (!row)
			return -ENOMEM;
		row->why = "the total less the sum";
	}
	row = memory_rows_add_pages(rows, of, "total", "total", heads->total);
	if (!row)
		return -ENOMEM;
	where_is(row, of, MEMORY_TOTAL);
	return 0;
}

/* What zones manage is what MemTotal is made of. */
static int add_zones(struct memory_rows *rows, const struct memory_rows_of *of)
{
	static const enum memory_field fields[] = {
		MEMORY_ZONE_MANAGED,
		MEMORY_ZONE_PRESENT,
		MEMORY_ZONE_SPANNED,
	};
	static const char *const whats[] = {
		"managed by the zones",
		"present in the zones",
		"spanned by the zones",
	};
	static const char *const whys[] = {
		"should be the total",
		"with what the kernel took before MemTotal was counted",
		"with holes",
	};

	for (size_t i = 0; i < sizeof(fields) / sizeof(*fields); i++) {
		struct memory_row *row;

		if (!memory_has(&of->reading->fields, fields[i]))
			continue;
		row = memory_rows_add_pages(rows, of, "zones", whats[i],
					    memory_get(&of->reading->fields,
						       fields[i]));
		if (!row)
			return -ENOMEM;
		where_is(row, of, fields[i]);
		row->why = whys[i];
	}
	return 0;
}

int memory_check_rows(struct memory_rows *rows, const struct memory_rows_of *of)
{
	int ret = 0;

	for (enum memory_head_id id = 0; !ret && id < MEMORY_HEADS; id++)
		ret = add_head(rows, of, id);
	if (!ret)
		ret = add_ends(rows, of);
	return ret ?: add_zones(rows, of);
}
