/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Makes a table fit a terminal, whose rows must not wrap. Pure. */
#ifndef BUFSTAT_TABLE_FIT_H
#define BUFSTAT_TABLE_FIT_H

#include <stdbool.h>
#include <stddef.h>

struct column_choice;

/*
 * Leaves out columns, those first that can be missed first, until the others
 * fit @width. @widths: columns each takes, by place in @choice; both are
 * closed up after what is left out. Returns the columns that are left over.
 */
size_t table_fit(struct column_choice *choice, size_t *widths, size_t width);

/*
 * Writes a bar of @percent of @width columns into @text, which has room for
 * three bytes per column and a NUL: to an eighth of a column, or without @utf8
 * of whole '#' and a '.' for what would be none. Only zero and less is empty.
 */
void table_bar(char *text, double percent, size_t width, bool utf8);

#endif
