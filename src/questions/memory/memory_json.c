// SPDX-License-Identifier: GPL-2.0-or-later
#include "lib/json_out.h"
#include "memory/memory_heads.h"
#include "memory/memory_json.h"
#include "memory/memory_owners.h"
#include "memory/memory_reading.h"

struct writing {
	struct json_out *json;
	const struct memory_rows_of *of;
	int64_t page_size;
};

static void write_pages(const struct writing *to, const char *key,
			int64_t pages)
{
	json_out_signed(to->json, key, pages * to->page_size);
}

static void write_parts(const struct writing *to, const char *key,
			const struct memory_part *parts, size_t count)
{
	static const char *const bounds[] = {
		[MEMORY_EXACT] = "exact",	[MEMORY_AT_LEAST] = "at least",
		[MEMORY_AT_MOST] = "at most",	[MEMORY_ESTIMATE] = "about",
		[MEMORY_UNKNOWN] = "not known",
	};

	json_out_array(to->json, key);
	for (size_t i = 0; i < count; i++) {
		json_out_object(to->json, NULL);
		json_out_string(to->json, "part", parts[i].key);
		json_out_string(to->json, "label", parts[i].label);
		if (parts[i].bound == MEMORY_UNKNOWN)
			json_out_null(to->json, "bytes");
		else
			write_pages(to, "bytes", parts[i].pages);
		json_out_string(to->json, "bound", bounds[parts[i].bound]);
		json_out_object_end(to->json);
	}
	json_out_array_end(to->json);
}

/* @id: MEMORY_HEADS is the rest. */
static void write_change(const struct writing *to, const char *key,
			 const struct memory_heads *before,
			 enum memory_head_id id)
{
	int64_t pages;

	if (before && memory_heads_change(before, to->of->heads, id, &pages))
		write_pages(to, key, pages);
	else
		json_out_null(to->json, key);
}

static void write_changes(const struct writing *to, const char *change,
			  const char *since, enum memory_head_id id)
{
	const struct memory_history *history = to->of->history;

	write_change(to, change, history ? &history->last : NULL, id);
	write_change(to, since, history ? &history->first : NULL, id);
}

static const char *or_null(const char *text)
{
	return text && *text ? text : NULL;
}

static void write_owner(struct json_out *json, const struct memory_owner *owner)
{
	json_out_object(json, NULL);
	json_out_string(json, "name", owner->name);
	json_out_unsigned_if(json, "pid", owner->pid, owner->pid);
	json_out_unsigned(json, "depth", owner->depth);
	json_out_signed(json, "bytes", owner->bytes);
	json_out_object_end(json);
}

static void write_owner_list(struct json_out *json,
			     const struct memory_owners *owners, size_t which)
{
	const struct memory_owner_info *info = memory_owner_info(which);
	const struct memory_owner_list *list = &owners->lists[which];

	json_out_object(json, NULL);
	json_out_string(json, "kind", info->key);
	json_out_string(json, "label", info->label);
	json_out_string(json, "note",
			or_null(memory_owners_note(owners, which)));
	json_out_string(json, "why_not", or_null(list->why));
	json_out_bool(json, "counted", !list->uncounted);
	json_out_unsigned(json, "unread", list->unread);
	json_out_unsigned(json, "others", list->others);
	json_out_signed_if(json, "others_bytes", info->is_disjoint,
			   list->others_bytes);
	json_out_array(json, "largest");
	for (size_t i = 0; i < list->count; i++)
		write_owner(json, &list->owners[i]);
	json_out_array_end(json);
	json_out_object_end(json);
}

/* @id: MEMORY_HEADS is the rest. Null: they were not asked for. */
static void write_owners(const struct writing *to, const char *key,
			 enum memory_head_id id)
{
	const struct memory_owners *owners = to->of->owners;
	bool has_lists = false;

	/* Whatever they have, in the order of 1.0. */
	for (size_t i = 0; owners && i < MEMORY_OWNER_LISTS; i++) {
		if (memory_owner_info(i)->head != id || !owners->lists[i].asked)
			continue;
		if (!has_lists)
			json_out_array(to->json, key);
		has_lists = true;
		write_owner_list(to->json, owners, i);
	}
	if (has_lists)
		json_out_array_end(to->json);
	else
		json_out_null(to->json, key);
}

static void write_head(const struct writing *to, enum memory_head_id id)
{
	const struct memory_head_info *info = memory_head_info(id);
	const struct memory_head *head = &to->of->heads->heads[id];

	json_out_object(to->json, NULL);
	json_out_string(to->json, "head", info->key);
	json_out_string(to->json, "label", info->label);
	write_pages(to, "bytes", head->pages);
	write_changes(to, "change_bytes", "since_bytes", id);
	if (head->reclaimable < 0)
		json_out_null(to->json, "reclaimable_bytes");
	else
		write_pages(to, "reclaimable_bytes", head->reclaimable);
	json_out_string(to->json, "remedy",
			to->of->reading->is_dump ? NULL : info->remedy);
	write_parts(to, "parts", head->parts, head->part_count);
	write_owners(to, "owners", id);
	json_out_object_end(to->json);
}

static void write_baseline(const struct writing *to)
{
	const struct memory_baseline *baseline = &to->of->reading->baseline;
	const struct memory_heads *heads = to->of->heads;

	if (!baseline->known || !heads->has_rest) {
		json_out_null(to->json, "unaccounted_baseline");
		return;
	}
	json_out_object(to->json, "unaccounted_baseline");
	json_out_string(to->json, "taken_at", baseline->taken_at);
	json_out_signed(to->json, "bytes", baseline->rest_bytes);
	json_out_signed(to->json, "change_bytes",
			heads->rest * to->page_size - baseline->rest_bytes);
	json_out_object_end(to->json);
}

static void write_heads(const struct writing *to)
{
	const struct memory_heads *heads = to->of->heads;

	write_pages(to, "total_bytes", heads->total);
	json_out_array(to->json, "heads");
	for (enum memory_head_id id = 0; id < MEMORY_HEADS; id++) {
		if (heads->heads[id].known)
			write_head(to, id);
	}
	json_out_array_end(to->json);
	if (heads->has_rest)
		write_pages(to, "unaccounted_bytes", heads->rest);
	else
		json_out_null(to->json, "unaccounted_bytes");
	write_changes(to, "unaccounted_change_bytes", "unaccounted_since_bytes",
		      MEMORY_HEADS);
	write_baseline(to);
	write_parts(to, "unaccounted_parts", heads->rest_parts,
		    heads->rest_part_count);
	write_owners(to, "unaccounted_owners", MEMORY_HEADS);
	if (heads->uncertainty < 0)
		json_out_null(to->json, "uncertainty_bytes");
	else
		write_pages(to, "uncertainty_bytes", heads->uncertainty);
	if (heads->missing_from_total < 0)
		json_out_null(to->json, "missing_from_total_bytes");
	else
		write_pages(to, "missing_from_total_bytes",
			    heads->missing_from_total);
}

static void write_number(const struct writing *to, const char *key,
			 struct memory_number number)
{
	json_out_signed_if(to->json, key, number.known, number.number);
}

static void write_row(const struct writing *to, const struct memory_row *row,
		      enum memory_view view)
{
	json_out_object(to->json, NULL);
	json_out_string(to->json, "key", row->key);
	json_out_string(to->json, "what", row->what + row->indent);
	if (view == MEMORY_VIEW_GIVE_BACK) {
		write_number(to, "at_least_bytes", row->at_least);
		write_number(to, "at_most_bytes", row->at_most);
		json_out_string(to->json, "command", or_null(row->command));
		json_out_string(to->json, "cost", or_null(row->cost));
	} else {
		write_number(to, "bytes", row->bytes);
		write_number(to, "pages", row->pages);
		json_out_string(to->json, "field", or_null(row->field));
		json_out_string(to->json, "file", or_null(row->file));
		json_out_null(to->json, "why");
	}
	json_out_string(to->json, "note", or_null(row->note));
	json_out_object_end(to->json);
}

static void write_view(const struct writing *to, const struct memory_rows *rows,
		       enum memory_view view)
{
	static const char *const keys[] = {
		[MEMORY_VIEW_AVAILABLE] = "available",
		[MEMORY_VIEW_GIVE_BACK] = "give_back",
		[MEMORY_VIEW_CENSUS] = "census",
	};

	if (view == MEMORY_VIEW_HEADS)
		return;
	json_out_array(to->json, keys[view]);
	for (size_t i = 0; i < rows->count; i++)
		write_row(to, &rows->rows[i], view);
	json_out_array_end(to->json);
}

void memory_json_write(struct json_out *json, const struct memory_rows_of *of,
		       const struct memory_rows *rows, enum memory_view view)
{
	const struct memory_reading *reading = of->reading;
	const struct writing to = { json, of, (int64_t)reading->page_size };

	json_out_bool(json, "settled", reading->settled);
	json_out_unsigned(json, "samples", reading->samples);
	write_pages(&to, "spread_bytes", reading->spread_pages);
	json_out_unsigned(json, "page_size_bytes", reading->page_size);
	write_heads(&to);
	write_view(&to, rows, view);
}
