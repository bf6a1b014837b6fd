// SPDX-License-Identifier: GPL-2.0-or-later
#include <ctype.h>
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/cleanup.h"
#include "lib/error.h"
#include "lib/lesser.h"
#include "lib/terminal.h"
#include "lib/wrap.h"
#include "table/cell.h"
#include "table/column.h"
#include "table/libsmartcols.h"
#include "table/table.h"
#include "table/table_fit.h"

#define BAR_NARROWEST 8
#define BAR_WIDEST 24
/* Prose gets no narrower than this as long as other columns can be left out. */
#define PROSE_NARROW 20
#define PROSE_NARROWEST 8
/* Bold stands out whatever the colours of the terminal are. */
#define EMPHASIS "\033[1m"

/* Room for a heading as a variable's name. */
#define HEADING_SIZE 32

/*
 * Returns the heading, or writes it as a shell variable's name as lsblk -y does
 * since util-linux 2.38: CACHED_PCT, MAJ_MIN.
 */
static const char *heading(const struct column *column,
			   const struct table_style *style,
			   char name[HEADING_SIZE])
{
	const char *from = column->heading;
	size_t length = 0;

	if (!style->shell_names)
		return from;
	for (; *from && length < HEADING_SIZE - sizeof("_PCT"); from++)
		name[length++] = isalnum((unsigned char)*from) ? *from : '_';
	strcpy(name + length, from[-1] == '%' ? "PCT" : "");
	return name;
}

/* Such a column is never left out. The first one names the row. */
static bool is_name(const struct column *column)
{
	return (column->kind == COLUMN_TEXT || column->kind == COLUMN_PATH) &&
	       !column->leave;
}

/* The index of the column that names the row, or choice->count. */
static size_t find_name(const struct column_choice *choice)
{
	size_t place = 0;

	while (place < choice->count && !is_name(choice->columns[place]))
		place++;
	return place;
}

/* Columns that the library puts before a row's text for each of its parents. */
#define BRANCH_WIDTH 2

/* The text of every cell, or NULL, by row and by index in columns. */
struct cells {
	const struct libsmartcols *lib;
	const struct column_choice *columns;
	const struct table_rows *rows;
	char **texts;
	const struct column *tree; /* the column with the branches, or NULL */
	size_t *indents; /* by row: width of the branches; or NULL */
	struct libscols_line **lines; /* by row, the table's; with a tree */
	const struct table_style *style;
};

/* The column that names the rows, if they are a tree that is to be shown. */
static const struct column *find_tree(const struct column_choice *choice,
				      const struct table_rows *rows,
				      const struct table_style *style)
{
	size_t name = find_name(choice);

	return rows->parents && table_format_is_plain(style->format) &&
			       name < choice->count ?
		       choice->columns[name] :
		       NULL;
}

static int make_tree(struct cells *cells)
{
	const size_t *parents = cells->rows->parents;

	cells->indents =
		calloc(cells->rows->count + 1, sizeof(*cells->indents));
	cells->lines = calloc(cells->rows->count + 1, sizeof(*cells->lines));
	if (!cells->indents || !cells->lines)
		return -ENOMEM;
	for (size_t i = 0; i < cells->rows->count; i++) {
		if (parents[i] != TABLE_NO_PARENT)
			cells->indents[i] =
				cells->indents[parents[i]] + BRANCH_WIDTH;
	}
	return 0;
}

/* The width of what stands before the text of a cell. */
static size_t indent_of(const struct cells *cells, const struct column *column,
			size_t row)
{
	return cells->tree == column && cells->indents ? cells->indents[row] :
							 0;
}

static int render(struct cells *cells, const struct table_style *style)
{
	size_t columns = cells->columns->count;
	int ret = 0;

	cells->style = style;
	cells->tree = find_tree(cells->columns, cells->rows, style);
	cells->texts =
		calloc(cells->rows->count * columns + 1, sizeof(*cells->texts));
	if (!cells->texts || (cells->tree && make_tree(cells) < 0))
		return -ENOMEM;
	for (size_t i = 0; !ret && i < cells->rows->count * columns; i++)
		ret = cell_text(cells->columns->columns[i % columns],
				table_row(cells->rows, i / columns), style,
				&cells->texts[i]);
	return ret;
}

static void cells_deinit(struct cells *cells)
{
	for (size_t i = 0;
	     cells->texts && i < cells->rows->count * cells->columns->count;
	     i++)
		free(cells->texts[i]);
	free(cells->texts);
	free(cells->indents);
	free(cells->lines);
}

static const char *cell_at(const struct cells *cells, size_t row, size_t place)
{
	return cells->texts[row * cells->columns->count + place];
}

/* The index of a column that is among the cells' columns. */
static size_t place_of(const struct cells *cells, const struct column *column)
{
	size_t place = 0;

	while (cells->columns->columns[place] != column)
		place++;
	return place;
}

static bool is_prose(const struct column *column)
{
	return column->kind == COLUMN_PROSE;
}

/* Whether the column may have cells of several lines. */
static bool has_lines(const struct column *column,
		      const struct table_style *style)
{
	if (is_prose(column))
		return table_format_is_plain(style->format);
	return column->kind == COLUMN_LIST && !style->short_lists;
}

/*
 * The width of the column's widest cell, or of its heading: that has room even
 * if it is not printed.
 */
static size_t column_width(const struct cells *cells, size_t place)
{
	const struct column *column = cells->columns->columns[place];
	char name[HEADING_SIZE];
	size_t widest = strlen(heading(column, cells->style, name));

	for (size_t i = 0; i < cells->rows->count; i++) {
		const char *line = cell_at(cells, i, place);

		while (line) {
			size_t length = strcspn(line, "\n");
			size_t width = text_width(line, length) +
				       indent_of(cells, column, i);

			if (width > widest)
				widest = width;
			line = line[length] ? line + length + 1 : NULL;
		}
	}
	return widest;
}

/* The room that the terminal leaves to each column that is shown. */
struct layout {
	size_t bar; /* width of a bar of the share; 0: no bar */
	size_t widths[COLUMN_CHOICE_ROOM]; /* of text, by place */
};

/*
 * Widens the column at @place by what it needs, but at most by @most, and takes
 * that from @left.
 */
static void widen(const struct column_choice *choice, const struct cells *cells,
		  size_t place, size_t most, size_t *widths, size_t *left)
{
	size_t whole =
		column_width(cells, place_of(cells, choice->columns[place]));
	size_t back = lesser_unsigned(whole - widths[place],
				      lesser_unsigned(most, *left));

	widths[place] += back;
	*left -= back;
}

/*
 * Widens the columns in turn, so that one that needs little leaves the rest to
 * the others.
 */
static void widen_prose(const struct column_choice *choice,
			const struct cells *cells, size_t *widths, size_t *left)
{
	size_t before;

	do {
		before = *left;
		for (size_t i = 0; i < choice->count; i++) {
			if (is_prose(choice->columns[i]))
				widen(choice, cells, i, 1, widths, left);
		}
	} while (*left < before);
}

/*
 * Makes the table fit the terminal. Before other columns are left out, a name
 * longer than half the terminal is shortened and prose is wrapped, but no more
 * than necessary.
 */
static void fit(struct column_choice *choice, const struct cells *cells,
		size_t terminal, struct layout *layout)
{
	size_t *widths = layout->widths;
	size_t name = find_name(choice), left;

	for (size_t i = 0; i < choice->count; i++) {
		widths[i] = column_width(cells, i);
		if (i == name)
			widths[i] = lesser_unsigned(widths[i], terminal / 2);
		else if (is_prose(choice->columns[i]))
			widths[i] = lesser_unsigned(widths[i], PROSE_NARROW);
	}
	left = table_fit(choice, widths, terminal);
	for (size_t i = 0; !left && i < choice->count; i++) {
		if (is_prose(choice->columns[i]))
			widths[i] = lesser_unsigned(widths[i], PROSE_NARROWEST);
	}
	if (!left)
		left = table_fit(choice, widths, terminal);

	name = find_name(choice);
	if (name < choice->count)
		widen(choice, cells, name, SIZE_MAX, widths, &left);
	widen_prose(choice, cells, widths, &left);
	layout->bar = left > BAR_NARROWEST ?
			      lesser_unsigned(left - 1, BAR_WIDEST) :
			      0;
}

static void make_layout(struct column_choice *choice, const struct cells *cells,
			const struct table_style *style, struct layout *layout)
{
	layout->bar = 0;
	for (size_t i = 0; i < choice->count; i++)
		layout->widths[i] = SIZE_MAX;
	if (table_format_is_plain(style->format) && style->terminal_width)
		fit(choice, cells, style->terminal_width, layout);
	if (style->no_bars)
		layout->bar = 0;
}

/* The line takes ownership of @text. NULL means out of memory. */
static int give_text(struct libscols_line *line, size_t place,
		     const struct cells *cells, char *text)
{
	return text ? cells->lib->line_refer_data(line, place, text) : -ENOMEM;
}

/* The start of @text, and a mark that it was cut. */
static char *cut_end(const char *text, size_t width)
{
	size_t keep = text_fit(text, width ? width - 1 : 0);
	char *cut;

	return asprintf(&cut, "%.*s%s", (int)keep, text, table_cut_mark()) < 0 ?
		       NULL :
		       cut;
}

static int set_text(struct libscols_line *line, size_t place,
		    const struct cells *cells, const struct column *column,
		    const char *text, size_t width)
{
	if (!text)
		return 0;
	if (text_width(text, strlen(text)) <= width)
		return cells->lib->line_set_data(line, place, text);
	if (is_prose(column))
		return give_text(line, place, cells, wrap_lines(text, width));
	if (column->kind == COLUMN_PATH)
		return give_text(line, place, cells,
				 table_cut_path(text, width));
	if (is_name(column))
		return give_text(line, place, cells, cut_end(text, width));
	return cells->lib->line_set_data(line, place, text);
}

static int flags_of(const struct column *column, bool lines, bool is_tree)
{
	if (column_is_number(column))
		return SCOLS_FL_RIGHT;
	if (is_tree)
		return SCOLS_FL_TREE;
	return lines ? SCOLS_FL_WRAP : 0;
}

static int add_column(struct libscols_table *table, const struct cells *cells,
		      const struct column *column, bool is_tree)
{
	const struct libsmartcols *lib = cells->lib;
	char name[HEADING_SIZE];
	bool lines = has_lines(column, cells->style);
	struct libscols_column *made;

	made = lib->table_new_column(table, heading(column, cells->style, name),
				     0, flags_of(column, lines, is_tree));
	if (!made)
		return -ENOMEM;
	return lines ? lib->column_set_wrapfunc(made, lib->wrapnl_chunksize,
						lib->wrapnl_nextchunk, NULL) :
		       0;
}

/* A bar has no heading: it shows the share again, for the eye. */
static int add_bar_column(struct libscols_table *table,
			  const struct cells *cells)
{
	return cells->lib->table_new_column(table, "", 0, 0) ? 0 : -ENOMEM;
}

static int add_bar(struct libscols_line *line, size_t place,
		   const struct cells *cells, const struct column_value *share,
		   size_t width)
{
	char text[BAR_WIDEST * 3 + 1];

	if (!share->known)
		return 0;
	table_bar(text, share->percent, width, terminal_is_utf8());
	return cells->lib->line_set_data(line, place, text);
}

static bool has_bar(const struct column *column, size_t bar)
{
	return bar && column->kind == COLUMN_PERCENT && column->has_bar;
}

static int add_columns(struct libscols_table *table, const struct cells *cells,
		       const struct column_choice *choice, size_t bar)
{
	const struct column *tree = cells->tree;
	int ret = 0;

	for (size_t i = 0; !ret && i < choice->count; i++) {
		bool is_tree = choice->columns[i] == tree;

		ret = add_column(table, cells, choice->columns[i], is_tree);
		/* Chosen twice, it shows the branches once. */
		if (is_tree)
			tree = NULL;
		if (!ret && has_bar(choice->columns[i], bar))
			ret = add_bar_column(table, cells);
	}
	return ret;
}

static bool has_grown(const struct column *column, const void *row)
{
	struct column_value value;

	if (column->kind != COLUMN_CHANGE)
		return false;
	value = column_get(column, row);
	return value.known && value.number > 0;
}

static int emphasise(struct libscols_line *line, size_t place,
		     const struct cells *cells)
{
	return cells->lib->cell_set_color(
		cells->lib->line_get_cell(line, place), EMPHASIS);
}

static struct libscols_line *new_line(struct libscols_table *table,
				      const struct cells *cells, size_t index)
{
	size_t parent;

	if (!cells->tree)
		return cells->lib->table_new_line(table, NULL);
	parent = cells->rows->parents[index];
	cells->lines[index] = cells->lib->table_new_line(
		table, parent == TABLE_NO_PARENT ? NULL : cells->lines[parent]);
	return cells->lines[index];
}

/* The width for a text, without what stands before it. */
static size_t room_of(const struct cells *cells, const struct column *column,
		      size_t row, size_t width)
{
	size_t taken = indent_of(cells, column, row);

	return width > taken ? width - taken : 1;
}

static int add_row(struct libscols_table *table, size_t index,
		   const struct cells *cells,
		   const struct column_choice *choice,
		   const struct table_style *style, const struct layout *layout)
{
	struct libscols_line *line = new_line(table, cells, index);
	const void *row = table_row(cells->rows, index);
	size_t place = 0;
	int ret = line ? 0 : -ENOMEM;

	for (size_t i = 0; !ret && i < choice->count; i++) {
		const struct column *column = choice->columns[i];
		const char *text =
			cell_at(cells, index, place_of(cells, column));

		ret = set_text(line, place, cells, column, text,
			       room_of(cells, column, index,
				       layout->widths[i]));
		if (!ret && style->emphasis && has_grown(column, row))
			ret = emphasise(line, place, cells);
		place++;
		if (!ret && has_bar(column, layout->bar)) {
			struct column_value share = column_get(column, row);

			ret = add_bar(line, place++, cells, &share,
				      layout->bar);
		}
	}
	return ret;
}

static void set_style(const struct libsmartcols *lib,
		      struct libscols_table *table, FILE *out,
		      const struct table_style *style)
{
	lib->table_set_stream(table, out);
	lib->table_enable_noheadings(table, style->no_headings);
	lib->table_enable_colors(table, style->emphasis);
	lib->table_enable_raw(table, style->format == TABLE_RAW);
	lib->table_enable_export(table, style->format == TABLE_PAIRS);
	/* Of a plain table, cell_text() does it. */
	lib->table_enable_noencoding(table,
				     table_format_is_plain(style->format));
	/* The library must not fit again what fit() has fitted. */
	if (style->terminal_width)
		lib->table_set_termforce(table, SCOLS_TERMFORCE_NEVER);
}

static int fill(struct libscols_table *table, const struct cells *cells,
		const struct table_style *style)
{
	struct column_choice shown = *cells->columns;
	struct layout layout;
	int ret;

	make_layout(&shown, cells, style, &layout);
	ret = add_columns(table, cells, &shown, layout.bar);
	for (size_t i = 0; !ret && i < cells->rows->count; i++)
		ret = add_row(table, i, cells, &shown, style, &layout);
	return ret;
}

int table_print(FILE *out, const struct table_rows *rows,
		const struct column_choice *choice,
		const struct table_style *style)
{
	_cleanup_(libsmartcols_deinit) struct libsmartcols lib;
	struct cells cells = { .lib = &lib, .columns = choice, .rows = rows };
	struct libscols_table *table;
	int ret;

	if (libsmartcols_init(&lib, NULL) < 0)
		return -ELIBACC;
	table = lib.new_table();
	ret = table ? render(&cells, style) : -ENOMEM;
	if (!ret) {
		set_style(&lib, table, out, style);
		ret = fill(table, &cells, style);
	}
	if (!ret)
		ret = lib.print_table(table);
	cells_deinit(&cells);
	lib.unref_table(table);
	return ret;
}

int table_error(struct error *err, int ret, const char *what)
{
	_cleanup_(libsmartcols_deinit) struct libsmartcols lib = { 0 };

	/* Asked again, the library says what it lacks. */
	if (ret == -ELIBACC && libsmartcols_init(&lib, err) < 0)
		return error_within(err, ret, "printing", what);
	return ret < 0 ? error_errno(err, -ret, "printing", what) : 0;
}
