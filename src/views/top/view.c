// SPDX-License-Identifier: GPL-2.0-or-later
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "lib/cleanup.h"
#include "top/view.h"

/* A tree deeper than this has no more lines drawn; bits of view_row.branches. */
#define DEEPEST 63

const struct column view_rate_column = {
	.heading = "CHANGE/S",
	.key = "change_bytes_per_second",
	.help = "growth per second since the last measurement",
	.kind = COLUMN_CHANGE,
	.leave = 17,
};

const struct column view_trend_column = {
	.heading = "TREND",
	.key = "trend",
	.help = "the last minutes, each row on a scale of its own",
	.kind = COLUMN_TEXT,
	.leave = 14,
};

void view_init(struct view *view, const struct question *tab)
{
	*view = (struct view){ .tab = tab, .is_tree = tab->is_tree };
}

void view_deinit(struct view *view)
{
	sheet_deinit(&view->sheet);
	trends_deinit(&view->trends);
	free(view->rows);
	free(view->selected_key);
	*view = (struct view){ .tab = view->tab };
}

const struct column *view_name_column(const struct view *view)
{
	const struct column_set *set = view->tab->columns;

	for (size_t i = 0; i < set->count; i++) {
		const struct column *column = &set->columns[i];

		if (column->use == COLUMN_USUAL && !column->leave &&
		    (column->kind == COLUMN_TEXT ||
		     column->kind == COLUMN_PATH))
			return column;
	}
	return set->columns;
}

void view_columns(const struct view *view, struct column_choice *choice)
{
	if (view->tab->shown)
		column_choice_parse(choice, view->tab->columns,
				    view->tab->shown, NULL);
	else
		column_choice_default(choice, view->tab->columns);
	if (view->is_single)
		return;
	/* What happened in an interval is a rate already. */
	if (!view->tab->is_flow)
		choice->columns[choice->count++] = &view_rate_column;
	choice->columns[choice->count++] = &view_trend_column;
}

struct column_value view_value(const struct view *view,
			       const struct view_row *row,
			       const struct column *column)
{
	if (column == &view_rate_column)
		return row->trend ? trend_rate(&view->trends, row->trend) :
				    (struct column_value){ 0 };
	if (column == &view_trend_column || !row->row)
		return (struct column_value){ 0 };
	return row->row->values[column - view->tab->columns->columns];
}

const char *view_row_name(const struct view *view, const struct view_row *row)
{
	const struct column_value name =
		view_value(view, row, view_name_column(view));

	if (name.known)
		return name.text;
	return row->trend ? row->trend->name : "";
}

const struct view_row *view_selected(const struct view *view)
{
	return view->selected < view->count ? &view->rows[view->selected] :
					      NULL;
}

const char *view_row_key(const struct view_row *row)
{
	return row->row ? row->row->key : row->trend->key;
}

void view_select(struct view *view, size_t place)
{
	char *key;

	if (!view->count)
		return;
	view->selected = place < view->count ? place : view->count - 1;
	/* Without memory the selection stays at its place on the screen. */
	key = strdup(view_row_key(&view->rows[view->selected]));
	free(view->selected_key);
	view->selected_key = key;
}

static void select_again(struct view *view)
{
	for (size_t i = 0; view->selected_key && i < view->count; i++) {
		if (strcmp(view_row_key(&view->rows[i]), view->selected_key) ==
		    0) {
			view->selected = i;
			return;
		}
	}
	view_select(view, view->selected);
}

void view_scroll(struct view *view, size_t lines)
{
	if (view->selected < view->first)
		view->first = view->selected;
	if (lines && view->selected >= view->first + lines)
		view->first = view->selected - lines + 1;
	/* No empty lines below the last row while others are above. */
	if (view->first + lines > view->count)
		view->first = view->count > lines ? view->count - lines : 0;
}

static bool contains(const char *text, const char *part)
{
	bool has_upper = false;

	for (const char *c = part; *c; c++)
		has_upper |= isupper((unsigned char)*c) != 0;
	return has_upper ? strstr(text, part) : strcasestr(text, part);
}

static bool value_has(const struct column_value *value, enum column_kind kind,
		      const char *text)
{
	if (!value->known || kind > COLUMN_LIST)
		return false;
	if (kind != COLUMN_LIST)
		return contains(value->text, text);
	for (size_t i = 0; i < value->list->count; i++) {
		if (contains(value->list->strings[i], text))
			return true;
	}
	return false;
}

bool view_row_has(const struct view *view, const struct view_row *row,
		  const char *text)
{
	const struct column_set *set = view->tab->columns;

	if (!row->row)
		return contains(row->trend->name, text);
	for (size_t i = 0; i < set->count; i++) {
		if (value_has(&row->row->values[i], set->columns[i].kind, text))
			return true;
	}
	return false;
}

static int compare(const void *left, const void *right, void *data)
{
	const struct view *view = data;
	const struct view_row *a = left, *b = right;
	bool a_last = a->row && a->row->is_last;
	bool b_last = b->row && b->row->is_last;
	struct column_value x, y;
	int compared;

	if (a_last != b_last)
		return a_last ? 1 : -1;
	if (a_last) /* as they were */
		return a->row < b->row ? -1 : 1;
	x = view_value(view, a, view->sorted_by);
	y = view_value(view, b, view->sorted_by);
	compared = column_compare_values(&x, &y, view->sorted_by->kind);
	if (compared)
		return view->ascends ? compared : -compared;
	return strcmp(view_row_key(a), view_row_key(b));
}

/* Sets the depths of a tree, and the branches that go on below each row. */
static int draw_branches(struct view *view, size_t count)
{
	_cleanup_(freep) bool *has_later = calloc(count + 1, sizeof(bool));
	struct view_row *rows = view->rows;

	if (!has_later)
		return -ENOMEM;
	for (size_t i = 0; i < count; i++) {
		size_t parent = rows[i].row->parent;

		if (parent != TABLE_NO_PARENT)
			rows[i].depth = rows[parent].depth + 1;
	}
	/* From the end: a row goes on below if its parent has a later child. */
	for (size_t i = count; i--;) {
		size_t parent = rows[i].row->parent;

		if (parent == TABLE_NO_PARENT || rows[i].depth > DEEPEST)
			continue;
		if (has_later[parent])
			rows[i].branches = UINT64_C(1) << rows[i].depth;
		has_later[parent] = true;
	}
	for (size_t i = 0; i < count; i++) {
		size_t parent = rows[i].row->parent;

		if (parent != TABLE_NO_PARENT)
			rows[i].branches |= rows[parent].branches;
	}
	return 0;
}

/* In a flow, what is not there was only quiet. */
static void add_gone(struct view *view)
{
	if (view->tab->is_flow)
		return;
	for (size_t i = 0; i < view->trends.count; i++) {
		const struct trend *trend = view->trends.trends[i];

		if (trend_is_gone(&view->trends, trend))
			view->rows[view->count++] =
				(struct view_row){ .trend = trend };
	}
}

/* The trend of every row of the sheet was added in order, or found. */
static const struct trend *trend_of(const struct view *view,
				    const struct sheet_row *row)
{
	return trends_find(&view->trends, row->key);
}

int view_arrange(struct view *view)
{
	struct view_row *rows = calloc(
		view->sheet.count + view->trends.count + 1, sizeof(*rows));

	if (!rows)
		return -ENOMEM;
	free(view->rows);
	view->rows = rows;
	view->count = 0;
	for (size_t i = 0; i < view->sheet.count; i++) {
		const struct sheet_row *row = &view->sheet.rows[i];

		rows[view->count++] = (struct view_row){
			.row = row,
			.trend = trend_of(view, row),
		};
	}
	if (!view->sorted_by && view->is_tree &&
	    draw_branches(view, view->count) < 0)
		return -ENOMEM;
	add_gone(view);
	if (view->sorted_by)
		qsort_r(rows, view->count, sizeof(*rows), compare, view);
	select_again(view);
	return 0;
}

static int remember(struct view *view)
{
	const size_t figure =
		sheet_column(view->tab->columns, view->tab->figure);
	int ret = trends_begin(&view->trends, view->sheet.taken_ns);

	for (size_t i = 0; !ret && i < view->sheet.count; i++) {
		const struct view_row row = { .row = &view->sheet.rows[i] };
		const struct column_value *value = &row.row->values[figure];

		ret = trends_add(&view->trends, row.row->key,
				 view_row_name(view, &row),
				 value->known ? value->number : TREND_ABSENT);
	}
	return ret;
}

int view_take(struct view *view, struct sheet *sheet)
{
	sheet_deinit(&view->sheet);
	view->sheet = *sheet;
	*sheet = (struct sheet){ 0 };
	view->has_sheet = true;
	view->err = (struct error){ 0 };
	return remember(view) ?: view_arrange(view);
}

void view_forget(struct view *view)
{
	sheet_deinit(&view->sheet);
	trends_deinit(&view->trends);
	view->has_sheet = false;
	view->err = (struct error){ 0 };
	view->count = 0;
}
