/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Draws the model. What is where follows from its size: lines at the top are
 * given up first, then whole columns of the table, and never digits.
 */
#ifndef BUFSTAT_SCREEN_H
#define BUFSTAT_SCREEN_H

#include <stddef.h>

#include "top/cells.h"

struct model;

/* The smallest terminal that anything can be shown on. */
#define SCREEN_LEAST_WIDTH 20
#define SCREEN_LEAST_HEIGHT 5

/* From the top of the screen to the bottom. */
enum area {
	AREA_TITLE, /* the host and the time */
	AREA_BAR, /* all of memory */
	AREA_LEGEND, /* its parts, with numbers */
	AREA_HOLDER, /* who has what is large or near */
	AREA_LIMIT, /* the limit that is next */
	AREA_TABS,
	AREA_HEADING,
	AREA_ROWS,
	AREA_STATUS, /* prompts, messages, keys */
	AREAS
};

/* Whole lines of the screen. */
struct layout {
	struct {
		size_t y, lines; /* no lines: it is not shown */
	} areas[AREAS];
};

void screen_layout(const struct model *model, struct layout *layout);

/* The lines of the text or the help that is shown. */
size_t screen_text_lines(const struct model *model);

/*
 * Draws into cells of the model's size, which are blank. Returns 0 or -ENOMEM.
 */
int screen_draw(const struct model *model, struct cells *cells);

#endif
