/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef BUFSTAT_CELL_H
#define BUFSTAT_CELL_H

struct column;
struct table_style;

/*
 * The text of one cell, which the caller frees. *@text is NULL for what is not
 * known: an empty cell. Returns 0 or -ENOMEM.
 */
int cell_text(const struct column *column, const void *row,
	      const struct table_style *style, char **text);

#endif
