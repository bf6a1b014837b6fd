// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/number.h"
#include "lib/sentence.h"
#include "memory/available.h"
#include "memory/census.h"
#include "memory/give_back.h"
#include "memory/memory_heads.h"
#include "memory/memory_owners.h"
#include "memory/memory_reading.h"
#include "memory/memory_rows.h"

struct memory_row *memory_rows_add(struct memory_rows *rows, const char *key,
				   unsigned int indent, const char *format, ...)
{
	struct memory_row *larger, *row;
	va_list arguments;

	larger = realloc(rows->rows, (rows->count + 1) * sizeof(*rows->rows));
	if (!larger)
		return NULL;
	rows->rows = larger;
	row = &rows->rows[rows->count++];
	if (indent >= sizeof(row->what))
		indent = sizeof(row->what) - 1;
	*row = (struct memory_row){ .key = key, .indent = indent };
	memset(row->what, ' ', indent);
	va_start(arguments, format);
	vsnprintf(row->what + indent, sizeof(row->what) - indent, format,
		  arguments);
	va_end(arguments);
	return row;
}

void memory_rows_deinit(struct memory_rows *rows)
{
	free(rows->rows);
	*rows = (struct memory_rows){ 0 };
}

static void set_pages(struct memory_row *row, const struct memory_rows_of *of,
		      int64_t pages)
{
	row->pages = (struct memory_number){ true, pages };
	row->bytes = (struct memory_number){
		true, pages * (int64_t)of->reading->page_size
	};
}

struct memory_row *memory_rows_add_pages(struct memory_rows *rows,
					 const struct memory_rows_of *of,
					 const char *key, unsigned int indent,
					 const char *what, int64_t pages)
{
	struct memory_row *row = memory_rows_add(rows, key, indent, "%s", what);

	if (row)
		set_pages(row, of, pages);
	return row;
}

static void set_bytes(struct memory_row *row, const struct memory_rows_of *of,
		      int64_t bytes)
{
	const int64_t total =
		of->heads->total * (int64_t)of->reading->page_size;

	row->bytes = (struct memory_number){ true, bytes };
	row->has_share = total > 0;
	if (row->has_share)
		row->share = 100 * (double)bytes / (double)total;
}

static void set_size(struct memory_row *row, const struct memory_rows_of *of,
		     int64_t pages)
{
	set_bytes(row, of, pages * (int64_t)of->reading->page_size);
	set_pages(row, of, pages);
}

static struct memory_number change_since(const struct memory_heads *before,
					 const struct memory_rows_of *of,
					 enum memory_head_id id)
{
	int64_t pages;

	if (!memory_heads_change(before, of->heads, id, &pages))
		return (struct memory_number){ 0 };
	return (struct memory_number){ true,
				       pages * (int64_t)of->heads->page_size };
}

/* @id: MEMORY_HEADS is the rest. */
static void set_changes(struct memory_row *row, const struct memory_rows_of *of,
			enum memory_head_id id)
{
	if (!of->history)
		return;
	row->change = change_since(&of->history->last, of, id);
	row->since = change_since(&of->history->first, of, id);
}

static int add_part(struct memory_rows *rows, const struct memory_rows_of *of,
		    const struct memory_part *part)
{
	static const char *const bounds[] = {
		[MEMORY_EXACT] = "",
		[MEMORY_AT_LEAST] = ", at least",
		[MEMORY_AT_MOST] = ", at most",
		[MEMORY_ESTIMATE] = ", about",
		[MEMORY_UNKNOWN] = "",
	};
	struct memory_row *row;

	if (!part->pages && !of->all && part->bound != MEMORY_UNKNOWN)
		return 0;
	row = memory_rows_add(rows, part->key, 2, "%s%s", part->label,
			      bounds[part->bound]);
	if (!row)
		return -ENOMEM;
	if (part->bound == MEMORY_UNKNOWN)
		snprintf(row->note, sizeof(row->note), "size not known");
	else
		set_size(row, of, part->pages);
	return 0;
}

static int add_parts(struct memory_rows *rows, const struct memory_rows_of *of,
		     const struct memory_part *parts, size_t count)
{
	int ret = 0;

	for (size_t i = 0; !ret && i < count; i++)
		ret = add_part(rows, of, &parts[i]);
	return ret;
}

static int add_head(struct memory_rows *rows, const struct memory_rows_of *of,
		    enum memory_head_id id)
{
	const struct memory_head_info *info = memory_head_info(id);
	const struct memory_head *head = &of->heads->heads[id];
	struct memory_row *row;

	row = memory_rows_add(rows, info->key, 0, "%s", info->label);
	if (!row)
		return -ENOMEM;
	row->kind = MEMORY_ROW_HEAD;
	row->head = id;
	set_size(row, of, head->pages);
	set_changes(row, of, id);
	if (head->reclaimable >= 0)
		row->reclaimable = (struct memory_number){
			true,
			head->reclaimable * (int64_t)of->reading->page_size
		};
	if (id == of->heads->wrong)
		snprintf(row->note, sizeof(row->note),
			 "cannot be right: it is in no sum");
	else if (head->pages && !of->reading->is_dump)
		snprintf(row->note, sizeof(row->note), "%s",
			 info->remedy	    ?:
				 info->note ?:
					      "");
	return 0;
}

static int add_owner(struct memory_rows *rows, const struct memory_rows_of *of,
		     const struct memory_owner_info *info,
		     const struct memory_owner *owner)
{
	/* What is above in a tree stands above. */
	const char *name = owner->depth ? strrchr(owner->name, '/') : NULL;
	struct memory_row *row = memory_rows_add(rows, info->of->key,
						 4 + 2 * owner->depth, "%s",
						 name ? name + 1 : owner->name);

	if (!row)
		return -ENOMEM;
	if (info->kind == MEMORY_OWNER_PROCESS)
		ADD_TEXT(row->what, "(%u)", owner->pid);
	set_bytes(row, of, owner->bytes);
	return 0;
}

/* How many more there are, and what they have if that can be added up. */
static int add_others(struct memory_rows *rows, const struct memory_rows_of *of,
		      const struct memory_owner_info *info,
		      const struct memory_owner_list *list)
{
	struct memory_row *row;

	if (!list->others)
		return 0;
	row = memory_rows_add(rows, info->of->key, 4, "%zu more", list->others);
	if (!row)
		return -ENOMEM;
	if (info->is_disjoint)
		set_bytes(row, of, list->others_bytes);
	return 0;
}

/* Large pieces of slab are in no cache. */
static int64_t in_no_cache(const struct memory_rows_of *of, size_t which)
{
	int64_t all, listed;

	if (memory_owner_info(which)->kind != MEMORY_OWNER_SLAB ||
	    *of->owners->lists[which].why)
		return 0;
	listed = memory_owners_listed(of->owners, of->heads, which, &all);
	return all - listed;
}

static int add_owner_list(struct memory_rows *rows,
			  const struct memory_rows_of *of, size_t which)
{
	const struct memory_owner_info *info = memory_owner_info(which);
	const struct memory_owner_list *list = &of->owners->lists[which];
	int64_t rest = in_no_cache(of, which);
	struct memory_row *row;
	int ret = 0;

	/* Nobody is no news, unless it is not known. */
	if (!list->count && !*list->why && !list->uncounted && !of->all &&
	    rest <= 0)
		return 0;
	row = memory_rows_add(rows, info->of->key, 2, "largest %s",
			      info->label);
	if (!row)
		return -ENOMEM;
	if (*list->why)
		snprintf(row->note, sizeof(row->note), "not %s: %s",
			 list->count ? "all" : "known", list->why);
	else if (list->uncounted)
		snprintf(row->note, sizeof(row->note),
			 "this kernel does not tell");
	else
		snprintf(row->note, sizeof(row->note), "%s",
			 memory_owners_note(of->owners, which));
	for (size_t i = 0; !ret && i < list->count; i++)
		ret = add_owner(rows, of, info, &list->owners[i]);
	if (!ret)
		ret = add_others(rows, of, info, list);
	if (ret || rest <= 0)
		return ret;
	row = memory_rows_add(rows, info->of->key, 4, "in none of the caches");
	if (!row)
		return -ENOMEM;
	set_bytes(row, of, rest);
	return 0;
}

/* @id: MEMORY_HEADS is the rest. */
static int add_owners(struct memory_rows *rows, const struct memory_rows_of *of,
		      enum memory_head_id id)
{
	size_t order[MEMORY_OWNER_LISTS];
	size_t count = of->owners ? memory_owners_of(of->owners, id, order) : 0;
	int ret = 0;

	for (size_t i = 0; !ret && i < count; i++)
		ret = add_owner_list(rows, of, order[i]);
	return ret;
}

/* Whether a list below the head would say something. */
static bool has_owners(const struct memory_rows_of *of, enum memory_head_id id)
{
	for (size_t i = 0; of->owners && i < MEMORY_OWNER_LISTS; i++) {
		const struct memory_owner_list *list = &of->owners->lists[i];

		if (memory_owner_info(i)->head == id &&
		    (list->count || *list->why))
			return true;
	}
	return false;
}

/* The heads alone, sorted if that was asked for. */
static int add_heads(struct memory_rows *rows, const struct memory_rows_of *of)
{
	int ret = 0;

	for (enum memory_head_id id = 0; !ret && id < MEMORY_HEADS; id++) {
		const struct memory_head *head = &of->heads->heads[id];

		if (head->known &&
		    (head->pages || of->all || has_owners(of, id)))
			ret = add_head(rows, of, id);
	}
	if (!ret)
		column_sort(rows->rows, rows->count, sizeof(*rows->rows),
			    &of->order);
	return ret;
}

/* How sure the rest is, or why it is not known. */
static void note_rest(struct memory_row *row, const struct memory_rows_of *of)
{
	const struct memory_heads *heads = of->heads;

	if (!heads->has_rest)
		snprintf(row->note, sizeof(row->note), "not known: %s",
			 memory_unknown_text(heads->why_no_rest));
	else if (heads->uncertainty >= 0)
		snprintf(row->note, sizeof(row->note), "to within %s%s",
			 SIZE(heads->uncertainty *
			      (int64_t)of->reading->page_size),
			 of->reading->settled ? "" : ", and unsettled");
}

static void note_balloon(struct memory_row *row,
			 const struct memory_heads *heads)
{
	if (heads->has_rest && heads->has_hidden_balloon)
		ADD_TEXT(row->note, "%smay be the " MEMORY_HIDDEN_BALLOON,
			 *row->note ? "; " : "");
}

static void note_growth(struct memory_row *row, const struct memory_rows_of *of)
{
	const struct memory_baseline *baseline = &of->reading->baseline;
	int64_t change = of->heads->rest * (int64_t)of->reading->page_size -
			 baseline->rest_bytes;
	char text[SIZE_TEXT_LENGTH];

	if (!baseline->known || !of->heads->has_rest)
		return;
	ADD_TEXT(row->note, "%s%s since %s, the first run after the boot",
		 *row->note ? "; " : "",
		 size_change_text(change, (struct size_unit){ 0 }, text),
		 baseline->taken_at);
}

static int add_rest(struct memory_rows *rows, const struct memory_rows_of *of)
{
	struct memory_row *row =
		memory_rows_add(rows, "unaccounted", 0, "unaccounted");

	if (!row)
		return -ENOMEM;
	row->kind = MEMORY_ROW_REST;
	set_changes(row, of, MEMORY_HEADS);
	note_rest(row, of);
	note_balloon(row, of->heads);
	note_growth(row, of);
	if (of->heads->has_rest)
		set_size(row, of, of->heads->rest);
	return add_parts(rows, of, of->heads->rest_parts,
			 of->heads->has_rest ? of->heads->rest_part_count : 0) ?:
		       add_owners(rows, of, MEMORY_HEADS);
}

static int add_total(struct memory_rows *rows, const struct memory_rows_of *of)
{
	struct memory_row *row =
		memory_rows_add(rows, "total", 0, "total (MemTotal)");

	if (!row)
		return -ENOMEM;
	row->kind = MEMORY_ROW_TOTAL;
	set_size(row, of, of->heads->total);
	if (of->heads->missing_from_total > 0)
		snprintf(row->note, sizeof(row->note),
			 "smaller by %s, which a balloon has given to the host",
			 SIZE(of->heads->missing_from_total *
			      (int64_t)of->reading->page_size));
	return 0;
}

/* Each head, with its parts after it; then the rest and the total. */
static int make_heads(struct memory_rows *rows, const struct memory_rows_of *of)
{
	struct memory_rows heads = { 0 };
	int ret = add_heads(&heads, of);

	for (size_t i = 0; !ret && i < heads.count; i++) {
		const enum memory_head_id id = heads.rows[i].head;
		const struct memory_head *head = &of->heads->heads[id];
		struct memory_row *row =
			memory_rows_add(rows, NULL, 0, "%s", "");

		if (row) {
			*row = heads.rows[i];
			ret = add_parts(rows, of, head->parts, head->part_count) ?:
				      add_owners(rows, of, id);
		} else {
			ret = -ENOMEM;
		}
	}
	memory_rows_deinit(&heads);
	if (!ret)
		ret = add_rest(rows, of);
	return ret ?: add_total(rows, of);
}

static int make_give_back(struct memory_rows *rows,
			  const struct memory_rows_of *of)
{
	const int64_t page_size = (int64_t)of->reading->page_size;
	struct give_backs table;

	give_backs_init(&table, of->reading, of->heads);
	for (size_t i = 0; i < table.count; i++) {
		const struct give_back *action = &table.actions[i];
		struct memory_row *row =
			memory_rows_add(rows, give_back_key(action->id), 0,
					"%s", action->action);

		if (!row)
			return -ENOMEM;
		row->at_least =
			(struct memory_number){ true, action->low * page_size };
		row->at_most =
			(struct memory_number){ action->high >= 0,
						action->high * page_size };
		snprintf(row->cost, sizeof(row->cost), "%s", action->cost);
		snprintf(row->command, sizeof(row->command), "%s",
			 action->command);
		if (*action->holds)
			snprintf(row->note, sizeof(row->note), "stays: %s",
				 action->holds);
	}
	return 0;
}

int memory_rows_init(struct memory_rows *rows, const struct memory_rows_of *of,
		     enum memory_view view)
{
	static int (*const makers[])(struct memory_rows * rows,
				     const struct memory_rows_of *of) = {
		[MEMORY_VIEW_HEADS] = make_heads,
		[MEMORY_VIEW_AVAILABLE] = available_rows,
		[MEMORY_VIEW_GIVE_BACK] = make_give_back,
		[MEMORY_VIEW_CENSUS] = census_rows,
	};

	*rows = (struct memory_rows){ 0 };
	return makers[view](rows, of);
}
