/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What one tab shows: its sheet, in the order and at the place of the user. */
#ifndef BUFSTAT_VIEW_H
#define BUFSTAT_VIEW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/error.h"
#include "table/column.h"
#include "top/sheet.h"
#include "top/tab.h"
#include "top/trend.h"

/* A row on the screen. */
struct view_row {
	const struct sheet_row *row; /* NULL: it is gone */
	const struct trend *trend; /* NULL: it has none */
	size_t depth; /* in the tree */
	uint64_t branches; /* bit n: at depth n, a branch goes on below */
};

/* All zero but tab: nothing was measured. */
struct view {
	const struct question *tab;
	struct sheet sheet;
	bool has_sheet;
	struct error err; /* why the last measurement failed, if set */
	struct trends trends;
	bool is_tree;
	bool is_single; /* measured once: it has no trends to show */

	const struct column *sorted_by; /* NULL: in the order of the command */
	bool ascends;

	struct view_row *rows;
	size_t count;
	size_t selected; /* a place in rows */
	char *selected_key; /* follows the row when others come and go */
	size_t first; /* the row at the top of the screen */
};

/* The columns that only the screen has; their value() is NULL. */
extern const struct column view_rate_column, view_trend_column;

void view_init(struct view *view, const struct question *tab);
void view_deinit(struct view *view);

/*
 * Shows another sheet, which the view takes. Returns 0 or -ENOMEM, with the
 * sheet taken too.
 */
int view_take(struct view *view, struct sheet *sheet);

/* Forgets its sheet and its trends: what comes next is of another moment. */
void view_forget(struct view *view);

/* Puts the rows in order again, after the order was changed. As view_take(). */
int view_arrange(struct view *view);

/* The columns to choose from, in order: those of the tab, rate and trend. */
void view_columns(const struct view *view, struct column_choice *choice);

/* The value of a cell. Absent in rows that are gone. */
struct column_value view_value(const struct view *view,
			       const struct view_row *row,
			       const struct column *column);

/* The column that names the rows. */
const struct column *view_name_column(const struct view *view);

/* The name of a row, also of one that is gone. */
const char *view_row_name(const struct view *view, const struct view_row *row);

/* The key of a row, also of one that is gone. */
const char *view_row_key(const struct view_row *row);

/* The row that is selected, or NULL if there are none. */
const struct view_row *view_selected(const struct view *view);

/* Selects a row; a place after the last is the last one. */
void view_select(struct view *view, size_t place);

/* Scrolls so that the selected row is among @lines. */
void view_scroll(struct view *view, size_t lines);

/*
 * Whether some text of the row contains @text; upper and lower case are the
 * same unless @text has upper case, as in less -i.
 */
bool view_row_has(const struct view *view, const struct view_row *row,
		  const char *text);

#endif
