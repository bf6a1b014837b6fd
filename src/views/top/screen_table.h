/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Draws the table of a tab. */
#ifndef BUFSTAT_SCREEN_TABLE_H
#define BUFSTAT_SCREEN_TABLE_H

#include <stdbool.h>
#include <stddef.h>

struct cells;
struct view;

/*
 * Draws the headings at line @heading, and from line @y on the rows of the view
 * that fit in @lines. Returns 0 or -ENOMEM.
 */
int screen_table_draw(const struct view *view, struct cells *cells,
		      size_t heading, size_t y, size_t lines, bool utf8);

#endif
