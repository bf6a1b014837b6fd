// SPDX-License-Identifier: GPL-2.0-or-later
#include "memory/memory_rows.h"

static const struct memory_row *as_row(const void *row)
{
	return row;
}

static struct column_value number(struct memory_number value)
{
	return (struct column_value){ .known = value.known,
				      .number = value.number };
}

static struct column_value text(const char *value)
{
	return column_text(value && *value ? value : NULL);
}

static struct column_value get_what(const void *row)
{
	return column_text(as_row(row)->what);
}

static struct column_value get_size(const void *row)
{
	return number(as_row(row)->bytes);
}

static struct column_value get_pages(const void *row)
{
	return number(as_row(row)->pages);
}

static struct column_value get_share(const void *row)
{
	return (struct column_value){
		.known = as_row(row)->has_share,
		.percent = as_row(row)->share,
	};
}

static struct column_value get_reclaimable(const void *row)
{
	return number(as_row(row)->reclaimable);
}

static struct column_value get_at_least(const void *row)
{
	return number(as_row(row)->at_least);
}

static struct column_value get_at_most(const void *row)
{
	return number(as_row(row)->at_most);
}

static struct column_value get_change(const void *row)
{
	return number(as_row(row)->change);
}

static struct column_value get_since(const void *row)
{
	return number(as_row(row)->since);
}

static struct column_value get_note(const void *row)
{
	return text(as_row(row)->note);
}

static struct column_value get_cost(const void *row)
{
	return text(as_row(row)->cost);
}

static struct column_value get_command(const void *row)
{
	return text(as_row(row)->command);
}

static struct column_value get_field(const void *row)
{
	return text(as_row(row)->field);
}

static struct column_value get_file(const void *row)
{
	return text(as_row(row)->file);
}

static const struct column columns[] = {
	{ "WHAT", "what", "the head; indented: some of its pages", COLUMN_TEXT,
	  COLUMN_USUAL, 0, false, get_what },
	{ "SIZE", "bytes", "its size", COLUMN_BYTES, COLUMN_USUAL, 0, false,
	  get_size },
	{ "SHARE", "share_percent", "its part of MemTotal", COLUMN_PERCENT,
	  COLUMN_USUAL, 2, true, get_share },
	{ "CHANGE", "change_bytes", "growth since the last sample",
	  COLUMN_CHANGE, COLUMN_WITH_HISTORY, 0, false, get_change },
	{ "SINCE", "since_bytes", "growth since the first sample or --since",
	  COLUMN_CHANGE, COLUMN_WITH_HISTORY, 0, false, get_since },
	{ "RECLAIMABLE", "reclaimable_bytes", "what can be got back, at most",
	  COLUMN_BYTES, COLUMN_USUAL, 3, false, get_reclaimable },
	{ "NOTE", "note", "what gives it back; how sure the figure is",
	  COLUMN_PROSE, COLUMN_USUAL, 4, false, get_note },
	{ "PAGES", "pages", "its size in pages", COLUMN_COUNT,
	  COLUMN_ON_REQUEST, 0, false, get_pages },
	{ "AT-LEAST", "at_least_bytes", "what the action frees, at least",
	  COLUMN_BYTES, COLUMN_ON_REQUEST, 0, false, get_at_least },
	{ "AT-MOST", "at_most_bytes", "what the action frees, at most",
	  COLUMN_BYTES, COLUMN_ON_REQUEST, 0, false, get_at_most },
	{ "COST", "cost", "what the action costs", COLUMN_PROSE,
	  COLUMN_ON_REQUEST, 0, false, get_cost },
	{ "COMMAND", "command", "what does the action", COLUMN_TEXT,
	  COLUMN_ON_REQUEST, 5, false, get_command },
	{ "FIELD", "field", "the kernel's name for it", COLUMN_TEXT,
	  COLUMN_ON_REQUEST, 2, false, get_field },
	{ "FILE", "file", "the file with that field", COLUMN_TEXT,
	  COLUMN_ON_REQUEST, 1, false, get_file },
};

const struct column_set memory_columns = {
	.command = "memory",
	.columns = columns,
	.count = sizeof(columns) / sizeof(*columns),
};

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
