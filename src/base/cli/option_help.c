// SPDX-License-Identifier: GPL-2.0-or-later
#include <ctype.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "cli/option.h"
#include "lib/wrap.h"

enum {
	LINE_WIDTH = 79,
	HELP_COLUMN = 23, /* where the texts of the options begin */
};

/* Text to be wrapped into lines. */
struct filled {
	char text[2048];
	size_t size;
};

static void add(struct filled *filled, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

static void add(struct filled *filled, const char *format, ...)
{
	size_t room = sizeof(filled->text) - filled->size;
	va_list values;
	int length;

	va_start(values, format);
	length = vsnprintf(filled->text + filled->size, room, format, values);
	va_end(values);
	if (length > 0)
		filled->size += (size_t)length < room ? (size_t)length :
							room - 1;
}

/* Makes the spaces since @from hard, so that no line ends there. */
static void bind(struct filled *filled, size_t from)
{
	for (; from < filled->size; from++) {
		if (filled->text[from] == ' ')
			filled->text[from] = WRAP_HARD_SPACE;
	}
}

static void print(FILE *out, const struct filled *filled, unsigned int hanging)
{
	const struct wrap wrap = { .width = LINE_WIDTH, .hanging = hanging };

	wrap_print(out, filled->text, filled->size, &wrap);
}

bool option_is_shown(const struct option_row *row)
{
	return row->type != OPTION_REFUSED && !(row->flags & OPTION_HIDDEN);
}

void option_list_print(FILE *out, const struct option_list *list)
{
	for (size_t i = 0; i < list->count; i++) {
		const struct option_row *row = list->slots[i].row;
		struct filled line = { .size = 0 };

		if (!option_is_shown(row))
			continue;
		if (row->letter)
			add(&line, " -%c, --%s", row->letter, row->name);
		else
			add(&line, "     --%s", row->name);
		if (row->argument)
			add(&line, " %s", row->argument);
		add(&line, "%*s",
		    line.size < HELP_COLUMN ? HELP_COLUMN - (int)line.size : 2,
		    "");
		bind(&line, 0);
		add(&line, "%s", row->help);
		print(out, &line, HELP_COLUMN);
	}
}

static int compare_letters(const void *left, const void *right)
{
	const char a = *(const char *)left, b = *(const char *)right;
	int order = tolower((unsigned char)a) - tolower((unsigned char)b);

	return order ? order : a - b;
}

/* Options that every command has are left out. */
static bool is_in_synopsis(const struct option_row *row)
{
	return option_is_shown(row) && row->type != OPTION_ANSWER;
}

/* Letters without a value share their brackets. */
static void add_letters(struct filled *line, const struct option_list *list,
			size_t first)
{
	char letters[OPTIONS_ROOM + 1];
	size_t count = 0;

	for (size_t i = first; i < list->count; i++) {
		const struct option_row *row = list->slots[i].row;

		if (is_in_synopsis(row) && row->letter && !row->argument)
			letters[count++] = row->letter;
	}
	letters[count] = '\0';
	qsort(letters, count, 1, compare_letters);
	if (count)
		add(line, " [-%s]", letters);
}

static void add_option(struct filled *line, const struct option_row *row)
{
	size_t from;

	if (!is_in_synopsis(row) || (row->letter && !row->argument))
		return;
	add(line, " ");
	from = line->size;
	if (row->letter)
		add(line, "[-%c", row->letter);
	else
		add(line, "[--%s", row->name);
	add(line, "%s%s]", row->argument ? " " : "",
	    row->argument ? row->argument : "");
	bind(line, from);
}

void option_list_print_synopsis(FILE *out, const struct option_list *list,
				size_t first, const char *start,
				const char *operands)
{
	struct filled line = { .size = 0 };

	add(&line, "%s", start);
	bind(&line, 0);
	add_letters(&line, list, first);
	for (size_t i = first; i < list->count; i++)
		add_option(&line, list->slots[i].row);
	if (operands)
		add(&line, " %s", operands);
	print(out, &line, (unsigned int)strlen(start) + 1);
}
