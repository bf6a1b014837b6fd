// SPDX-License-Identifier: GPL-2.0-or-later
#include <stdio.h>
#include <string.h>

#include "lib/terminal.h"
#include "table/column.h"
#include "table/table_fit.h"

static size_t total_width(const struct column_choice *choice,
			  const size_t *widths)
{
	size_t total = choice->count ? choice->count - 1 : 0;

	for (size_t i = 0; i < choice->count; i++)
		total += widths[i];
	return total;
}

/* The index of the column to leave out next, or choice->count. */
static size_t next_to_leave(const struct column_choice *choice)
{
	size_t next = choice->count;

	for (size_t i = 0; i < choice->count; i++) {
		unsigned int order = choice->columns[i]->leave;

		if (order && (next == choice->count ||
			      order < choice->columns[next]->leave))
			next = i;
	}
	return next;
}

size_t table_fit(struct column_choice *choice, size_t *widths, size_t width)
{
	size_t total;

	while ((total = total_width(choice, widths)) > width) {
		size_t next = next_to_leave(choice);
		size_t after;

		if (next == choice->count)
			return 0;
		after = choice->count - next - 1;
		memmove(&choice->columns[next], &choice->columns[next + 1],
			after * sizeof(*choice->columns));
		memmove(&widths[next], &widths[next + 1],
			after * sizeof(*widths));
		choice->count--;
	}
	return width - total;
}

/* U+2588 is a full block; the seven after it each lose an eighth. */
static void bar_of_blocks(char *text, size_t eighths)
{
	static const char *const parts[] = {
		"",	  "\u258f", "\u258e", "\u258d",
		"\u258c", "\u258b", "\u258a", "\u2589",
	};

	for (size_t i = 0; i < eighths / 8; i++)
		text = stpcpy(text, "\u2588");
	strcpy(text, parts[eighths % 8]);
}

void table_bar(char *text, double percent, size_t width, bool utf8)
{
	size_t eighths = 0;

	if (percent >= 100)
		eighths = width * 8;
	else if (percent > 0)
		eighths = (size_t)(percent / 100 * (double)width * 8 + 0.5);
	if (percent > 0 && !eighths)
		eighths = 1;

	if (utf8) {
		bar_of_blocks(text, eighths);
	} else if (eighths && eighths < 4) {
		strcpy(text, ".");
	} else {
		memset(text, '#', (eighths + 4) / 8);
		text[(eighths + 4) / 8] = '\0';
	}
}

const char *table_cut_mark(void)
{
	return terminal_is_utf8() ? "\u2026" : "~";
}

char *table_cut_path(const char *path, size_t width)
{
	const char *slash = strrchr(path, '/');
	const char *name = slash ? slash : path;
	size_t taken = text_width(name, strlen(name)) + 1;
	size_t keep = text_fit(path, width > taken ? width - taken : 0);
	char *cut;

	if (keep >= (size_t)(name - path))
		return strdup(path);
	return asprintf(&cut, "%.*s%s%s", (int)keep, path, table_cut_mark(),
			name) < 0 ?
		       NULL :
		       cut;
}

char *table_cut(const struct column *column, const char *text, size_t width)
{
	char *cut;

	if (column->kind == COLUMN_PATH)
		return table_cut_path(text, width);
	return asprintf(&cut, "%.*s%s",
			(int)text_fit(text, width ? width - 1 : 0), text,
			table_cut_mark()) < 0 ?
		       NULL :
		       cut;
}
