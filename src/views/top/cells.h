/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A screen as an array of characters, which no terminal has shown yet. */
#ifndef BUFSTAT_CELLS_H
#define BUFSTAT_CELLS_H

#include <stddef.h>
#include <wchar.h>

/* What a character is part of. How that looks is the terminal's business. */
enum style {
	STYLE_PLAIN,
	STYLE_TITLE,
	STYLE_HEADING,
	STYLE_SORTED, /* the heading of the column that rows are sorted by */
	STYLE_SELECTED,
	STYLE_NEW,
	STYLE_GONE,
	STYLE_GREW,
	STYLE_STALE, /* old figures, and warnings */
	STYLE_TAB_SHOWN,
	STYLE_BAR, /* the first part of the bar; the others follow */
	STYLE_BAR_LAST = STYLE_BAR + 9,
	STYLES
};

struct cell {
	wchar_t character; /* 0: the second half of a wide character */
	enum style style;
};

struct cells {
	struct cell *cells; /* by line, then by column */
	size_t width, height;
};

/* Makes blank cells. Returns 0 or -ENOMEM. */
int cells_init(struct cells *cells, size_t width, size_t height);
void cells_deinit(struct cells *cells);

/*
 * Writes @text at line @y, column @x, in at most @width columns, and never
 * beyond the screen. What is not printable, above all control characters,
 * becomes \xNN. Returns the columns that it took.
 */
size_t cells_put(struct cells *cells, size_t y, size_t x, size_t width,
		 enum style style, const char *text);

/* Gives a part of a line another style. */
void cells_paint(struct cells *cells, size_t y, size_t x, size_t width,
		 enum style style);

static inline const struct cell *cells_at(const struct cells *cells, size_t y,
					  size_t x)
{
	return &cells->cells[y * cells->width + x];
}

#endif
