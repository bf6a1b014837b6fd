// SPDX-License-Identifier: GPL-2.0-or-later
#include "source_list/source_rows.h"

static struct column_value get_question(const void *row)
{
	const struct source_row *source = row;

	return column_text(source_question_name(source->question));
}

static struct column_value get_name(const void *row)
{
	return column_text(((const struct source_row *)row)->name);
}

static struct column_value get_answers(const void *row)
{
	static const char *const texts[][2] = {
		[SOURCE_NOT_USABLE] = { "no", "no" },
		[SOURCE_NOT_TRIED] = { "not tried", "yes" },
		[SOURCE_USABLE_IN_PART] = { "could in part", "in part" },
		[SOURCE_USABLE] = { "could", "yes" },
	};
	const struct source_row *source = row;

	return column_text(texts[source->usable][source->answers]);
}

/* Blank if @number is negative. */
static struct column_value known_number(int64_t number)
{
	return (struct column_value){ .known = number >= 0, .number = number };
}

static struct column_value get_count(const void *row)
{
	return known_number(((const struct source_row *)row)->count);
}

static struct column_value get_pages(const void *row)
{
	return known_number(((const struct source_row *)row)->pages);
}

static struct column_value get_time(const void *row)
{
	return known_number(((const struct source_row *)row)->time_ns);
}

static struct column_value get_note(const void *row)
{
	return column_text(((const struct source_row *)row)->note);
}

static struct column_value get_cost(const void *row)
{
	return column_text(((const struct source_row *)row)->cost);
}

static struct column_value get_limits(const void *row)
{
	return column_text(((const struct source_row *)row)->limits);
}

static struct column_value known_text(const char *text)
{
	return column_text(*text ? text : NULL);
}

static struct column_value get_reason(const void *row)
{
	return known_text(((const struct source_row *)row)->why.reason);
}

static struct column_value get_remedy(const void *row)
{
	return known_text(((const struct source_row *)row)->why.remedy);
}

static const struct column columns[] = {
	{ "QUESTION", "question",
	  "devices, filesystems, files, who, blocks or path", COLUMN_TEXT,
	  COLUMN_USUAL, 0, false, .value = get_question },
	{ "SOURCE", "source", "name, as --source takes it", COLUMN_TEXT,
	  COLUMN_USUAL, 0, false, .value = get_name },
	{ "ANSWERS", "answers",
	  "yes, in part, could (a better one does), no, not tried", COLUMN_TEXT,
	  COLUMN_USUAL, 0, false, .value = get_answers },
	{ "COUNT", "count", "devices or filesystems that it measured",
	  COLUMN_COUNT, COLUMN_USUAL, 2, false, .value = get_count },
	{ "PAGES", "pages", "the sum of their pages", COLUMN_COUNT,
	  COLUMN_USUAL, 1, false, .value = get_pages },
	{ "TIME", "time_ns", "time that it took here and now", COLUMN_DURATION,
	  COLUMN_USUAL, 3, false, .value = get_time },
	{ "NOTE", "note", "what it cannot tell; if it is not usable, why",
	  COLUMN_PROSE, COLUMN_USUAL, 0, false, .value = get_note },
	{ "COST", "cost", "what it does to the host", COLUMN_PROSE,
	  COLUMN_ON_REQUEST, 0, false, .value = get_cost },
	{ "CANNOT-TELL", "cannot_tell", "what it cannot tell", COLUMN_PROSE,
	  COLUMN_ON_REQUEST, 0, false, .value = get_limits },
	{ "REASON", "reason", "why it is not usable, or not for all",
	  COLUMN_PROSE, COLUMN_ON_REQUEST, 0, false, .value = get_reason },
	{ "REMEDY", "remedy", "what would help", COLUMN_PROSE,
	  COLUMN_ON_REQUEST, 0, false, .value = get_remedy },
};

_Static_assert(sizeof(columns) / sizeof(*columns) <= COLUMN_CHOICE_ROOM,
	       "a choice must have room for all columns");

const struct column_set source_columns = {
	.command = "sources",
	.columns = columns,
	.count = sizeof(columns) / sizeof(*columns),
};
