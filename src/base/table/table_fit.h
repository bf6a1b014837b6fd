/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Makes a table fit a terminal without wrapping its rows. No I/O. */
#ifndef BUFSTAT_TABLE_FIT_H
#define BUFSTAT_TABLE_FIT_H

#include <stdbool.h>
#include <stddef.h>

struct column;
struct column_choice;

/*
 * Leaves out columns, those with the lowest leave first, until the others fit
 * @width. @widths has each column's width, by index in @choice; what is left
 * out is removed from both. All widths are in terminal columns. Returns the
 * width that is left over, or 0 if the columns do not fit.
 */
size_t table_fit(struct column_choice *choice, size_t *widths, size_t width);

/*
 * Writes a bar of @percent of @width columns into @text, which has room for
 * three bytes per column and a NUL. With @utf8, it is exact to an eighth of a
 * column; else it has whole '#', or a '.' if that would be none. Only zero and
 * less is empty.
 */
void table_bar(char *text, double percent, size_t width, bool utf8);

/* What stands for the text that was cut. */
const char *table_cut_mark(void);

/*
 * Both shorten a text to @width columns, with a mark where it was cut. Of a
 * path the last name is kept, even if it is longer than that. The caller frees
 * the result; NULL if out of memory.
 */
char *table_cut_path(const char *path, size_t width);
char *table_cut(const struct column *column, const char *text, size_t width);

#endif
