// SPDX-License-Identifier: GPL-2.0-or-later
#include "source_list/source_rows.h"

static struct column_value get_question(const void *row)
{
	const struct source_row *source = row;

	return column_text(source_questions[source->question]);
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

/* Blank if the number is negative. */
static struct column_value get_number(const void *row, size_t place)
{
	int64_t number = column_number_at(row, place).number;

	return column_number(number >= 0, number);
}

static const char *const sources[] = { "module", "cachestat", "kcore",
				       "bpf",	 "ftrace",    NULL };

static const char *const answers[] = {
	"yes", "in part", "could", "could in part", "no", "not tried", NULL,
};

static const struct column columns[] = {
	{ "QUESTION", "question",
	  "devices, filesystems, files, who, blocks or path", COLUMN_TEXT,
	  COLUMN_USUAL, .always = true, .words = source_questions,
	  .value = get_question },
	{ "SOURCE", "source", "name, as --source takes it", COLUMN_TEXT,
	  COLUMN_USUAL, .always = true, .words = sources,
	  COLUMN_AT(column_text_at, struct source_row, name) },
	{ "ANSWERS", "answers",
	  "yes, in part, could (a better one does), no, not tried", COLUMN_TEXT,
	  COLUMN_USUAL, .always = true, .words = answers,
	  .value = get_answers },
	{ "COUNT", "count", "devices or filesystems that it measured",
	  COLUMN_COUNT, COLUMN_USUAL, .leave = 2,
	  COLUMN_AT(get_number, struct source_row, count) },
	{ "PAGES", "pages", "the sum of their pages", COLUMN_COUNT,
	  COLUMN_USUAL, .leave = 1,
	  COLUMN_AT(get_number, struct source_row, pages) },
	{ "TIME", "time_ns", "time that it took here and now", COLUMN_DURATION,
	  COLUMN_USUAL, .leave = 3,
	  COLUMN_AT(get_number, struct source_row, time_ns) },
	{ "NOTE", "note", "what it cannot tell; if it is not usable, why",
	  COLUMN_PROSE, COLUMN_USUAL,
	  COLUMN_AT(column_text_at, struct source_row, note) },
	{ "COST", "cost", "what it does to the host", COLUMN_PROSE,
	  COLUMN_ON_REQUEST,
	  COLUMN_AT(column_text_at, struct source_row, cost) },
	{ "CANNOT-TELL", "cannot_tell", "what it cannot tell", COLUMN_PROSE,
	  COLUMN_ON_REQUEST,
	  COLUMN_AT(column_text_at, struct source_row, limits) },
	{ "REASON", "reason", "why it is not usable, or not for all",
	  COLUMN_PROSE, COLUMN_ON_REQUEST,
	  COLUMN_AT(column_chars_at, struct source_row, why.reason) },
	{ "REMEDY", "remedy", "what would help", COLUMN_PROSE,
	  COLUMN_ON_REQUEST,
	  COLUMN_AT(column_chars_at, struct source_row, why.remedy) },
};

const struct column_set source_columns = COLUMN_SET("sources", columns);
