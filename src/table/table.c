// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <libsmartcols.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cell.h"
#include "column.h"
#include "table.h"
#include "table_fit.h"
#include "terminal.h"

#define BAR_NARROWEST 8
#define BAR_WIDEST 24
/* Bold stands out whatever the colours of the terminal are. */
#define EMPHASIS "\033[1m"

/* The widest cell of the column, or its heading. */
static int column_width(const struct column *column,
			const struct table_rows *rows,
			const struct table_style *style, size_t *widest)
{
	*widest = style->no_headings ? 0 : strlen(column->heading);
	for (size_t i = 0; i < rows->count; i++) {
		char *text, *line, *rest;
		int ret;

		ret = cell_text(column, table_row(rows, i), style, &text);
		if (ret < 0)
			return ret;
		rest = text;
		while ((line = strsep(&rest, "\n"))) {
			size_t width = text_width(line, strlen(line));

			if (width > *widest)
				*widest = width;
		}
		free(text);
	}
	return 0;
}

struct layout {
	size_t bar; /* columns for a bar of the share; 0: none */
	size_t name; /* columns that a name may take */
};

static bool is_name(const struct column *column)
{
	return column->kind == COLUMN_TEXT && !column->leave;
}

/* The place of the names' width; NULL if they are not among the columns. */
static size_t *find_name(const struct column_choice *choice, size_t *widths)
{
	for (size_t i = 0; i < choice->count; i++) {
		if (is_name(choice->columns[i]))
			return &widths[i];
	}
	return NULL;
}

static size_t lesser(size_t a, size_t b)
{
	return a < b ? a : b;
}

/*
 * Makes the table fit the terminal. A name longer than half of it is shortened
 * rather than that other columns are left out, but not more than it has to be.
 */
static void fit(struct column_choice *choice, size_t *widths, size_t terminal,
		struct layout *layout)
{
	size_t *name = find_name(choice, widths);
	size_t whole = name ? *name : 0;
	size_t left, back;

	if (name)
		*name = lesser(whole, terminal / 2);
	left = table_fit(choice, widths, terminal);
	name = find_name(choice, widths);
	if (name) {
		back = lesser(whole - *name, left);
		layout->name = *name + back;
		left -= back;
	}
	layout->bar = left > BAR_NARROWEST ? lesser(left - 1, BAR_WIDEST) : 0;
}

static int make_layout(struct column_choice *choice,
		       const struct table_rows *rows,
		       const struct table_style *style, struct layout *layout)
{
	size_t widths[COLUMN_CHOICE_ROOM];
	int ret = 0;

	*layout = (struct layout){ .name = SIZE_MAX };
	if (style->format != TABLE_PLAIN || !style->terminal_width)
		return 0;
	for (size_t i = 0; !ret && i < choice->count; i++)
		ret = column_width(choice->columns[i], rows, style, &widths[i]);
	if (!ret)
		fit(choice, widths, style->terminal_width, layout);
	return ret;
}

/* Shortens @text, and shows that it did. */
static int shorten(char **text, size_t width)
{
	char *shortened;
	size_t keep;

	if (text_width(*text, strlen(*text)) <= width)
		return 0;
	keep = text_fit(*text, width ? width - 1 : 0);
	if (asprintf(&shortened, "%.*s%s", (int)keep, *text,
		     terminal_is_utf8() ? "\u2026" : "~") < 0)
		return -ENOMEM;
	free(*text);
	*text = shortened;
	return 0;
}

/* The caller frees *@text, on failure too. */
static int fitted_text(const struct column *column, const void *row,
		       const struct table_style *style,
		       const struct layout *layout, char **text)
{
	int ret = cell_text(column, row, style, text);

	if (!ret && *text && is_name(column))
		ret = shorten(text, layout->name);
	return ret;
}

static int add_column(struct libscols_table *table, const struct column *column,
		      const struct table_style *style)
{
	bool list = column->kind == COLUMN_LIST;
	bool number = !list && column->kind != COLUMN_TEXT;
	struct libscols_column *made;

	made = scols_table_new_column(table, column->heading, 0,
				      number ? SCOLS_FL_RIGHT :
				      list && !style->short_lists ?
					       SCOLS_FL_WRAP :
					       0);
	if (!made)
		return -ENOMEM;
	if (!list || style->short_lists)
		return 0;
	scols_column_set_safechars(made, "\n\\");
	return scols_column_set_wrapfunc(made, scols_wrapnl_chunksize,
					 scols_wrapnl_nextchunk, NULL);
}

/* A bar has no heading: it is the share once more, for the eye. */
static int add_bar_column(struct libscols_table *table)
{
	return scols_table_new_column(table, "", 0, 0) ? 0 : -ENOMEM;
}

static int add_bar(struct libscols_line *line, size_t place,
		   const struct column_value *share, size_t width)
{
	char text[BAR_WIDEST * 3 + 1];

	if (!share->known)
		return 0;
	table_bar(text, share->percent, width, terminal_is_utf8());
	return scols_line_set_data(line, place, text);
}

static bool has_bar(const struct column *column, size_t bar)
{
	return bar && column->kind == COLUMN_PERCENT && column->has_bar;
}

static int add_columns(struct libscols_table *table,
		       const struct column_choice *choice,
		       const struct table_style *style, size_t bar)
{
	int ret = 0;

	for (size_t i = 0; !ret && i < choice->count; i++) {
		ret = add_column(table, choice->columns[i], style);
		if (!ret && has_bar(choice->columns[i], bar))
			ret = add_bar_column(table);
	}
	return ret;
}

static bool has_grown(const struct column *column, const void *row)
{
	struct column_value value;

	if (column->kind != COLUMN_CHANGE)
		return false;
	value = column->value(row);
	return value.known && value.number > 0;
}

static int emphasise(struct libscols_line *line, size_t place)
{
	return scols_cell_set_color(scols_line_get_cell(line, place), EMPHASIS);
}

static int add_row(struct libscols_table *table, const void *row,
		   const struct column_choice *choice,
		   const struct table_style *style, const struct layout *layout)
{
	struct libscols_line *line = scols_table_new_line(table, NULL);
	size_t place = 0;
	int ret = line ? 0 : -ENOMEM;

	for (size_t i = 0; !ret && i < choice->count; i++) {
		const struct column *column = choice->columns[i];
		char *text;

		ret = fitted_text(column, row, style, layout, &text);
		/* The line takes the text over. */
		if (!ret && text)
			ret = scols_line_refer_data(line, place, text);
		else
			free(text);
		if (!ret && style->emphasis && has_grown(column, row))
			ret = emphasise(line, place);
		place++;
		if (!ret && has_bar(column, layout->bar)) {
			struct column_value share = column->value(row);

			ret = add_bar(line, place++, &share, layout->bar);
		}
	}
	return ret;
}

static void set_style(struct libscols_table *table, FILE *out,
		      const struct table_style *style)
{
	scols_table_set_stream(table, out);
	scols_table_enable_noheadings(table, style->no_headings);
	scols_table_enable_colors(table, style->emphasis);
	scols_table_enable_raw(table, style->format == TABLE_RAW);
	scols_table_enable_export(table, style->format == TABLE_PAIRS);
}

int table_print(FILE *out, const struct table_rows *rows,
		const struct column_choice *choice,
		const struct table_style *style)
{
	struct libscols_table *table = scols_new_table();
	struct column_choice shown = *choice;
	struct layout layout;
	int ret;

	if (!table)
		return -ENOMEM;
	set_style(table, out, style);
	ret = make_layout(&shown, rows, style, &layout);
	if (!ret)
		ret = add_columns(table, &shown, style, layout.bar);
	for (size_t i = 0; !ret && i < rows->count; i++)
		ret = add_row(table, table_row(rows, i), &shown, style,
			      &layout);
	if (!ret)
		ret = scols_print_table(table);
	scols_unref_table(table);
	return ret;
}
