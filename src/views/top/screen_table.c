// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "lib/cleanup.h"
#include "lib/lesser.h"
#include "lib/terminal.h"
#include "table/cell.h"
#include "table/table_fit.h"
#include "table/table_style.h"
#include "top/cells.h"
#include "top/screen_table.h"
#include "top/view.h"

/* The mark of rows that are new or gone. */
#define MARK_WIDTH 1
#define TREND_NARROW 8
/* Text is cut to this before columns are left out. */
#define PROSE_NARROW 20
/* A text that is cut to less says nothing. */
#define TEXT_LEAST 4
#define TREND_WIDEST 60
/* Branches are two columns for each level of a tree. */
#define BRANCH_WIDTH 2
#define DEEPEST_DRAWN 20

/* What is drawn: the texts of the visible rows, by row, then by column. */
struct drawing {
	const struct view *view;
	struct cells *cells;
	bool utf8;
	struct column_choice choice; /* that fits */
	struct column_choice all;
	size_t widths[COLUMN_CHOICE_ROOM]; /* by index in choice */
	size_t first, count; /* rows */
	char **texts; /* by index in all; NULL: empty */
};

static const char *text_at(const struct drawing *drawing, size_t row,
			   const struct column *column)
{
	size_t place = 0;

	while (drawing->all.columns[place] != column)
		place++;
	return drawing->texts[row * drawing->all.count + place];
}

static const struct view_row *row_at(const struct drawing *drawing, size_t row)
{
	return &drawing->view->rows[drawing->first + row];
}

/* The branches before a name, as libsmartcols draws them. */
static int put_branches(const struct view_row *row, bool utf8, char **text,
			const char *name)
{
	char branches[DEEPEST_DRAWN * 8] = "";
	size_t depth = row->depth < DEEPEST_DRAWN ? row->depth : DEEPEST_DRAWN;

	for (size_t i = 1; i <= depth; i++) {
		bool goes_on = row->branches >> i & 1;

		if (i < depth)
			strcat(branches, !goes_on ? "  " : utf8 ? "│ " : "| ");
		else
			strcat(branches, goes_on ? (utf8 ? "├─" : "|-") :
						   (utf8 ? "└─" : "`-"));
	}
	return asprintf(text, "%s%s", branches, name) < 0 ? -ENOMEM : 0;
}

static int render_cell(const struct drawing *drawing, size_t index,
		       const struct column *column, char **text)
{
	static const struct table_style style = { .short_lists = true };
	const struct view *view = drawing->view;
	const struct view_row *row = row_at(drawing, index);
	const struct column_value value = view_value(view, row, column);

	if (column == view_name_column(view))
		return put_branches(row, drawing->utf8, text,
				    view_row_name(view, row));
	return cell_value_text(column->kind, &value, &style, text);
}

static int render(struct drawing *drawing)
{
	const size_t columns = drawing->all.count;
	int ret = 0;

	drawing->texts = calloc(drawing->count * columns + 1, sizeof(char *));
	if (!drawing->texts)
		return -ENOMEM;
	for (size_t i = 0; !ret && i < drawing->count * columns; i++)
		ret = render_cell(drawing, i / columns,
				  drawing->all.columns[i % columns],
				  &drawing->texts[i]);
	return ret;
}

static void drawing_deinit(struct drawing *drawing)
{
	for (size_t i = 0;
	     drawing->texts && i < drawing->count * drawing->all.count; i++)
		free(drawing->texts[i]);
	free(drawing->texts);
}

/* Numbers have room from the start, so that columns stay where they are. */
static size_t least_width(const struct column *column)
{
	if (column == &view_trend_column)
		return TREND_NARROW;
	switch (column->kind) {
	case COLUMN_BYTES:
	case COLUMN_PERCENT:
		return 6;
	case COLUMN_CHANGE:
		return 7;
	default:
		return 0;
	}
}

static size_t find_width(const struct drawing *drawing,
			 const struct column *column)
{
	size_t widest = strlen(column->heading);

	if (least_width(column) > widest)
		widest = least_width(column);
	for (size_t i = 0; i < drawing->count; i++) {
		const char *text = text_at(drawing, i, column);
		size_t width = text ? text_width(text, strlen(text)) : 0;

		if (width > widest)
			widest = width;
	}
	return widest;
}

/* Gives a column of what is left, until it is @most wide. */
static void widen(struct drawing *drawing, const struct column *column,
		  size_t most, size_t *left)
{
	for (size_t i = 0; i < drawing->choice.count; i++) {
		size_t *width = &drawing->widths[i];
		size_t more = most > *width ? most - *width : 0;

		if (drawing->choice.columns[i] != column)
			continue;
		more = more < *left ? more : *left;
		*width += more;
		*left -= more;
	}
}

/* Adds a column to those that fit, if there is room for it. */
static void add_column(struct drawing *drawing, const struct column *column,
		       size_t width, size_t *left)
{
	struct column_choice *choice = &drawing->choice;
	const size_t gap = choice->count > 0;

	if (gap + width > *left)
		return;
	drawing->widths[choice->count] = width;
	choice->columns[choice->count++] = column;
	*left -= gap + width;
}

/*
 * On the narrowest screens, the name and the figure of a row are there before
 * anything else. A text between them, such as a command, is cut.
 */
static size_t fit_least(struct drawing *drawing, size_t room)
{
	const struct column_set *set = drawing->view->tab->columns;
	const struct column *figure =
		&set->columns[sheet_column(set, drawing->view->tab->figure)];
	const struct column *name = view_name_column(drawing->view);
	const struct column *text = NULL;
	const size_t widths[] = { find_width(drawing, name),
				  find_width(drawing, figure) };
	size_t left = room - widths[1] - 1, least;

	for (size_t i = 0; !text && i < drawing->all.count; i++) {
		const struct column *column = drawing->all.columns[i];

		if (column != name && !column->leave &&
		    !column_is_number(column))
			text = column;
	}
	drawing->choice.count = 0;
	add_column(drawing, name, lesser_unsigned(widths[0], left), &left);
	least = text && left ?
			lesser_unsigned(find_width(drawing, text), left - 1) :
			0;
	if (least >= TEXT_LEAST)
		add_column(drawing, text, least, &left);
	left += widths[1] + 1;
	add_column(drawing, figure, widths[1], &left);
	return left;
}

/* Whether the columns that are never left out fit. */
static bool fits(const struct drawing *drawing, size_t room)
{
	size_t total = drawing->choice.count - 1;

	for (size_t i = 0; i < drawing->choice.count; i++)
		total += drawing->widths[i];
	return total <= room;
}

/* Makes the table fit: first long names are cut, then columns left out. */
static void fit(struct drawing *drawing)
{
	const struct column *name = view_name_column(drawing->view);
	const size_t room = drawing->cells->width - MARK_WIDTH;
	size_t left, whole = 0;

	drawing->choice = drawing->all;
	for (size_t i = 0; i < drawing->all.count; i++) {
		const struct column *column = drawing->all.columns[i];
		size_t width = find_width(drawing, column);

		if (column == name) {
			whole = width;
			width = width < room / 2 ? width : room / 2;
		} else if (column->kind == COLUMN_PROSE) {
			width = width < PROSE_NARROW ? width : PROSE_NARROW;
		}
		drawing->widths[i] = width;
	}
	left = table_fit(&drawing->choice, drawing->widths, room);
	if (!fits(drawing, room))
		left = fit_least(drawing, room);
	widen(drawing, name, whole, &left);
	for (size_t i = 0; i < drawing->choice.count; i++) {
		const struct column *column = drawing->choice.columns[i];

		if (column->kind == COLUMN_PROSE)
			widen(drawing, column, find_width(drawing, column),
			      &left);
	}
	widen(drawing, &view_trend_column, TREND_WIDEST, &left);
}

static void put_text(struct drawing *drawing, size_t y, size_t x, size_t width,
		     const struct column *column, enum style style,
		     const char *text)
{
	size_t needed = text_width(text, strlen(text));

	if (needed <= width) {
		if (column_is_number(column))
			x += width - needed;
		cells_put(drawing->cells, y, x, width, style, text);
	} else if (column_is_number(column)) {
		/* Digits are never cut: no number is better than half of one. */
		cells_put(drawing->cells, y, x, width, style, table_cut_mark());
	} else {
		_cleanup_(freep) char *cut = table_cut(column, text, width);

		if (cut)
			cells_put(drawing->cells, y, x, width, style, cut);
	}
}

static void put_headings(struct drawing *drawing, size_t y)
{
	size_t x = MARK_WIDTH;

	cells_paint(drawing->cells, y, 0, SIZE_MAX, STYLE_HEADING);
	for (size_t i = 0; i < drawing->choice.count; i++) {
		const struct column *column = drawing->choice.columns[i];
		enum style style = column == drawing->view->sorted_by ?
					   STYLE_SORTED :
					   STYLE_HEADING;

		put_text(drawing, y, x, drawing->widths[i], column, style,
			 column->heading);
		x += drawing->widths[i] + 1;
	}
}

static enum style cell_style(const struct view *view,
			     const struct view_row *row,
			     const struct column *column)
{
	const struct column_value value = view_value(view, row, column);

	if (!row->row)
		return STYLE_GONE;
	if (row->trend && trend_is_new(&view->trends, row->trend))
		return STYLE_NEW;
	if (column->kind == COLUMN_CHANGE && value.known && value.number > 0)
		return STYLE_GREW;
	return STYLE_PLAIN;
}

static void put_mark(struct drawing *drawing, size_t y,
		     const struct view_row *row)
{
	const struct view *view = drawing->view;

	if (!row->row)
		cells_put(drawing->cells, y, 0, 1, STYLE_GONE, "-");
	else if (row->trend && trend_is_new(&view->trends, row->trend))
		cells_put(drawing->cells, y, 0, 1, STYLE_NEW, "+");
}

static void put_trend(struct drawing *drawing, size_t y, size_t x, size_t width,
		      const struct view_row *row, enum style style)
{
	char text[TREND_WIDEST * 3 + 1];

	if (!row->trend)
		return;
	trend_line(&drawing->view->trends, row->trend, width, drawing->utf8,
		   text);
	/* The newest is always at the right. */
	cells_put(drawing->cells, y, x + width - text_width(text, strlen(text)),
		  width, style, text);
}

static void put_row(struct drawing *drawing, size_t y, size_t index)
{
	const struct view *view = drawing->view;
	const struct view_row *row = row_at(drawing, index);
	size_t x = MARK_WIDTH;

	put_mark(drawing, y, row);
	for (size_t i = 0; i < drawing->choice.count; i++) {
		const struct column *column = drawing->choice.columns[i];
		const char *text = text_at(drawing, index, column);
		enum style style = cell_style(view, row, column);

		if (column == &view_trend_column)
			put_trend(drawing, y, x, drawing->widths[i], row,
				  style);
		else if (text)
			put_text(drawing, y, x, drawing->widths[i], column,
				 style, text);
		x += drawing->widths[i] + 1;
	}
	if (drawing->first + index == view->selected)
		cells_paint(drawing->cells, y, 0, SIZE_MAX, STYLE_SELECTED);
}

int screen_table_draw(const struct view *view, struct cells *cells,
		      size_t heading, size_t y, size_t lines, bool utf8)
{
	struct drawing drawing = {
		.view = view,
		.cells = cells,
		.utf8 = utf8,
		.first = view->first < view->count ? view->first : 0,
	};
	int ret;

	drawing.count = view->count - drawing.first;
	if (drawing.count > lines)
		drawing.count = lines;
	view_columns(view, &drawing.all);
	ret = render(&drawing);
	if (!ret) {
		fit(&drawing);
		put_headings(&drawing, heading);
		for (size_t i = 0; i < drawing.count; i++)
			put_row(&drawing, y + i, i);
	}
	drawing_deinit(&drawing);
	return ret;
}
