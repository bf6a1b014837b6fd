// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <wchar.h>
#include <wctype.h>

#include "lib/utf8.h"
#include "top/cells.h"

int cells_init(struct cells *cells, size_t width, size_t height)
{
	*cells = (struct cells){ .width = width, .height = height };
	cells->cells = calloc(width * height + 1, sizeof(*cells->cells));
	if (!cells->cells)
		return -ENOMEM;
	for (size_t i = 0; i < width * height; i++)
		cells->cells[i].character = L' ';
	return 0;
}

void cells_deinit(struct cells *cells)
{
	free(cells->cells);
	*cells = (struct cells){ 0 };
}

/* Where the next character goes. */
struct place {
	struct cells *cells;
	size_t y, x, end;
	enum style style;
};

static bool put(struct place *place, wchar_t character, size_t width)
{
	struct cells *cells = place->cells;
	struct cell *cell;

	if (place->end - place->x < width)
		return false;
	cell = &cells->cells[place->y * cells->width + place->x];
	for (size_t i = 0; i < width; i++)
		cell[i] = (struct cell){ i ? 0 : character, place->style };
	place->x += width;
	return true;
}

static bool put_escaped(struct place *place, const char *text, size_t length)
{
	char escaped[8];

	for (size_t i = 0; i < length; i++) {
		snprintf(escaped, sizeof(escaped), "\\x%02x",
			 (unsigned char)text[i]);
		for (const char *c = escaped; *c; c++) {
			if (!put(place, (wchar_t)*c, 1))
				return false;
		}
	}
	return true;
}

/* Writes the first character of @text and sets *@length to its bytes. */
static bool put_next(struct place *place, const char *text, size_t *length)
{
	mbstate_t state = { 0 };
	size_t left;
	wchar_t wide;
	int width;

	*length = 1;
	if (*text >= ' ' && *text <= '~')
		return put(place, (wchar_t)*text, 1);
	left = strnlen(text, MB_LEN_MAX);
	*length = mbrtowc(&wide, text, left, &state);
	if (!*length || *length > left) {
		*length = 1;
		return put_escaped(place, text, 1);
	}
	width = wcwidth(wide);
	if (width < 0 || !iswprint((wint_t)wide) ||
	    utf8_is_control((uint32_t)wide))
		return put_escaped(place, text, *length);
	/* A cell has no room for marks above or below its letter. */
	return !width || put(place, wide, (size_t)width);
}

size_t cells_put(struct cells *cells, size_t y, size_t x, size_t width,
		 enum style style, const char *text)
{
	struct place place = { cells, y, x, x, style };
	size_t length;

	if (y >= cells->height || x >= cells->width)
		return 0;
	place.end = width < cells->width - x ? x + width : cells->width;
	while (*text && put_next(&place, text, &length))
		text += length;
	return place.x - x;
}

void cells_paint(struct cells *cells, size_t y, size_t x, size_t width,
		 enum style style)
{
	for (size_t i = x;
	     y < cells->height && i < cells->width && i - x < width; i++)
		cells->cells[y * cells->width + i].style = style;
}
