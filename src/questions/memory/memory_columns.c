// SPDX-License-Identifier: GPL-2.0-or-later
#include "memory/memory_rows.h"

static struct column_value get_number(const void *row, size_t place)
{
	const struct memory_number *value =
		(const struct memory_number *)((const char *)row + place);

	return column_number(value->known, value->number);
}

static struct column_value get_share(const void *data)
{
	const struct memory_row *row = data;

	return (struct column_value){ .known = row->has_share,
				      .percent = row->share };
}

static const struct column columns[] = {
	{ "WHAT", "what", "the head; indented: some of its pages", COLUMN_TEXT,
	  COLUMN_USUAL, COLUMN_AT(column_chars_at, struct memory_row, what) },
	{ "SIZE", "bytes", "its size", COLUMN_BYTES, COLUMN_USUAL,
	  COLUMN_AT(get_number, struct memory_row, bytes) },
	{ "SHARE", "share_percent", "its part of MemTotal", COLUMN_PERCENT,
	  COLUMN_USUAL, .leave = 2, .has_bar = true, .value = get_share },
	{ "CHANGE", "change_bytes", "growth since the last sample",
	  COLUMN_CHANGE, COLUMN_WITH_HISTORY,
	  COLUMN_AT(get_number, struct memory_row, change) },
	{ "SINCE", "since_bytes", "growth since the first sample or --since",
	  COLUMN_CHANGE, COLUMN_WITH_HISTORY,
	  COLUMN_AT(get_number, struct memory_row, since) },
	{ "RECLAIMABLE", "reclaimable_bytes", "what can be got back, at most",
	  COLUMN_BYTES, COLUMN_USUAL, .leave = 3,
	  COLUMN_AT(get_number, struct memory_row, reclaimable) },
	{ "NOTE", "note", "what gives it back; how sure the figure is",
	  COLUMN_PROSE, COLUMN_USUAL, .leave = 4,
	  COLUMN_AT(column_chars_at, struct memory_row, note) },
	{ "PAGES", "pages", "its size in pages", COLUMN_COUNT,
	  COLUMN_ON_REQUEST, COLUMN_AT(get_number, struct memory_row, pages) },
	{ "AT-LEAST", "at_least_bytes", "what the action frees, at least",
	  COLUMN_BYTES, COLUMN_ON_REQUEST,
	  COLUMN_AT(get_number, struct memory_row, at_least) },
	{ "AT-MOST", "at_most_bytes", "what the action frees, at most",
	  COLUMN_BYTES, COLUMN_ON_REQUEST,
	  COLUMN_AT(get_number, struct memory_row, at_most) },
	{ "COST", "cost", "what the action costs", COLUMN_PROSE,
	  COLUMN_ON_REQUEST,
	  COLUMN_AT(column_chars_at, struct memory_row, cost) },
	{ "COMMAND", "command", "what does the action", COLUMN_TEXT,
	  COLUMN_ON_REQUEST, .leave = 5,
	  COLUMN_AT(column_chars_at, struct memory_row, command) },
	{ "FIELD", "field", "the kernel's name for it", COLUMN_TEXT,
	  COLUMN_ON_REQUEST, .leave = 2,
	  COLUMN_AT(column_text_at, struct memory_row, field) },
	{ "FILE", "file", "the file with that field", COLUMN_TEXT,
	  COLUMN_ON_REQUEST, .leave = 1,
	  COLUMN_AT(column_text_at, struct memory_row, file) },
};

const struct column_set memory_columns = COLUMN_SET("memory", columns);

void memory_columns_of_view(struct column_choice *choice, enum memory_view view,
			    bool with_history)
{
	static const char *const lists[] = {
		[MEMORY_VIEW_AVAILABLE] = "WHAT,SIZE,FIELD,NOTE",
		[MEMORY_VIEW_GIVE_BACK] = "WHAT,AT-LEAST,AT-MOST,COST,NOTE",
		[MEMORY_VIEW_CENSUS] = "WHAT,SIZE,PAGES,NOTE",
	};

	if (view != MEMORY_VIEW_HEADS)
		column_choice_parse(choice, &memory_columns, lists[view], NULL);
	else if (with_history)
		column_choice_with_history(choice, &memory_columns);
	else
		column_choice_default(choice, &memory_columns);
}
