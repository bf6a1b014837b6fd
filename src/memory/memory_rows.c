// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/number.h"
#include "memory/available.h"
#include "memory/census.h"
#include "memory/check.h"
#include "memory/give_back.h"
#include "memory/memory_heads.h"
#include "memory/memory_history.h"
#include "memory/memory_reading.h"
#include "memory/memory_rows.h"

struct memory_row *memory_rows_add(struct memory_rows *rows, const char *key,
				   const char *format, ...)
{
	struct memory_row *larger, *row;
	va_list arguments;

	larger = realloc(rows->rows, (rows->count + 1) * sizeof(*rows->rows));
	if (!larger)
		return NULL;
	rows->rows = larger;
	row = &rows->rows[rows->count++];
	*row = (struct memory_row){ .key = key };
	va_start(arguments, format);
	vsnprintf(row->what, sizeof(row->what), format, arguments);
	va_end(arguments);
	return row;
}

void memory_rows_deinit(struct memory_rows *rows)
{
	free(rows->rows);
	*rows = (struct memory_rows){ 0 };
}

void memory_row_set_pages(struct memory_row *row,
			  const struct memory_rows_of *of, int64_t pages)
{
	row->pages = (struct memory_number){ true, pages };
	row->bytes = (struct memory_number){
		true, pages * (int64_t)of->reading->page_size
	};
}

struct memory_row *memory_rows_add_pages(struct memory_rows *rows,
					 const struct memory_rows_of *of,
					 const char *key, const char *what,
					 int64_t pages)
{
	struct memory_row *row = memory_rows_add(rows, key, "%s", what);

	if (row)
		memory_row_set_pages(row, of, pages);
	return row;
}

static void set_size(struct memory_row *row, const struct memory_rows_of *of,
		     int64_t pages)
{
	memory_row_set_pages(row, of, pages);
	row->has_share = of->heads->total > 0;
	if (row->has_share)
		row->share = 100 * (double)pages / (double)of->heads->total;
}

static struct memory_number change_since(const struct memory_past *past,
					 const struct memory_rows_of *of,
					 enum memory_head_id id)
{
	const uint64_t page_size = of->reading->page_size;
	int64_t pages;

	if (!memory_past_change(past, of->heads, page_size, id, &pages))
		return (struct memory_number){ 0 };
	return (struct memory_number){ true, pages * (int64_t)page_size };
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
	};
	struct memory_row *row;

	if (!part->pages && !of->all)
		return 0;
	row = memory_rows_add(rows, part->key, "  %s%s", part->label,
			      bounds[part->bound]);
	if (!row)
		return -ENOMEM;
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

	row = memory_rows_add(rows, info->key, "%s", info->label);
	if (!row)
		return -ENOMEM;
	set_size(row, of, head->pages);
	set_changes(row, of, id);
	if (head->reclaimable >= 0)
		row->reclaimable = (struct memory_number){
			true,
			head->reclaimable * (int64_t)of->reading->page_size
		};
	if (info->remedy && head->pages && !of->reading->is_dump)
		snprintf(row->note, sizeof(row->note), "%s", info->remedy);
	return 0;
}

static enum memory_head_id head_of(const struct memory_row *row)
{
	enum memory_head_id id = 0;

	while (strcmp(memory_head_info(id)->key, row->key) != 0)
		id++;
	return id;
}

/* The heads alone, sorted if that was asked for. */
static int add_heads(struct memory_rows *rows, const struct memory_rows_of *of)
{
	int ret = 0;

	for (enum memory_head_id id = 0; !ret && id < MEMORY_HEADS; id++) {
		const struct memory_head *head = &of->heads->heads[id];

		if (head->known && (head->pages || of->all))
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
	char text[SIZE_TEXT_LENGTH];

	if (!memory_is_whole_host(of->reading))
		snprintf(row->note, sizeof(row->note),
			 "not known: MemTotal is about other memory than the "
			 "kernel's counts");
	else if (!heads->has_rest)
		snprintf(row->note, sizeof(row->note),
			 "not known: a count of programs or caches is "
			 "missing");
	else if (heads->uncertainty >= 0)
		snprintf(row->note, sizeof(row->note), "to within %s%s",
			 size_text(heads->uncertainty *
					   (int64_t)of->reading->page_size,
				   text),
			 of->reading->settled ? "" : ", and unsettled");
}

static int add_rest(struct memory_rows *rows, const struct memory_rows_of *of)
{
	struct memory_row *row =
		memory_rows_add(rows, "unaccounted", "unaccounted");

	if (!row)
		return -ENOMEM;
	set_changes(row, of, MEMORY_HEADS);
	note_rest(row, of);
	if (!of->heads->has_rest)
		return 0;
	set_size(row, of, of->heads->rest);
	return add_parts(rows, of, of->heads->rest_parts,
			 of->heads->rest_part_count);
}

static int add_total(struct memory_rows *rows, const struct memory_rows_of *of)
{
	struct memory_row *row =
		memory_rows_add(rows, "total", "total (MemTotal)");
	char text[SIZE_TEXT_LENGTH];

	if (!row)
		return -ENOMEM;
	set_size(row, of, of->heads->total);
	if (of->heads->missing_from_total > 0)
		snprintf(row->note, sizeof(row->note),
			 "smaller by %s, which a balloon has given to the host",
			 size_text(of->heads->missing_from_total *
					   (int64_t)of->reading->page_size,
				   text));
	return 0;
}

/* Each head, with its parts after it; then the rest and the total. */
static int make_heads(struct memory_rows *rows, const struct memory_rows_of *of)
{
	struct memory_rows heads = { 0 };
	int ret = add_heads(&heads, of);

	for (size_t i = 0; !ret && i < heads.count; i++) {
		const struct memory_head *head =
			&of->heads->heads[head_of(&heads.rows[i])];
		struct memory_row *row = memory_rows_add(rows, NULL, "%s", "");

		if (row) {
			*row = heads.rows[i];
			ret = add_parts(rows, of, head->parts,
					head->part_count);
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

	give_backs_init(&table, of->reading);
	for (size_t i = 0; i < table.count; i++) {
		const struct give_back *action = &table.actions[i];
		struct memory_row *row = memory_rows_add(rows, action->key,
							 "%s", action->action);

		if (!row)
			return -ENOMEM;
		row->at_least =
			(struct memory_number){ true, action->low * page_size };
		row->at_most =
			(struct memory_number){ true,
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
		[MEMORY_VIEW_CHECK] = memory_check_rows,
		[MEMORY_VIEW_AVAILABLE] = available_rows,
		[MEMORY_VIEW_GIVE_BACK] = make_give_back,
		[MEMORY_VIEW_CENSUS] = census_rows,
	};

	*rows = (struct memory_rows){ 0 };
	return makers[view](rows, of);
}
