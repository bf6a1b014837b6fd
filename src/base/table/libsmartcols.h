/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The functions of libsmartcols (2.37 or later) that are called, without
 * "scols_" in their names. The library is loaded on demand: most of the time
 * that a start takes would go to linking it, and free's table needs none of it.
 */
#ifndef BUFSTAT_LIBSMARTCOLS_H
#define BUFSTAT_LIBSMARTCOLS_H

#include <libsmartcols.h>

struct error;

struct libsmartcols {
	void *handle; /* of the loaded library, or NULL */
	__typeof__(scols_new_table) *new_table;
	__typeof__(scols_unref_table) *unref_table;
	__typeof__(scols_print_table) *print_table;
	__typeof__(scols_table_set_stream) *table_set_stream;
	__typeof__(scols_table_set_termforce) *table_set_termforce;
	__typeof__(scols_table_enable_noheadings) *table_enable_noheadings;
	__typeof__(scols_table_enable_colors) *table_enable_colors;
	__typeof__(scols_table_enable_raw) *table_enable_raw;
	__typeof__(scols_table_enable_export) *table_enable_export;
	__typeof__(scols_table_enable_noencoding) *table_enable_noencoding;
	__typeof__(scols_table_new_column) *table_new_column;
	__typeof__(scols_table_new_line) *table_new_line;
	__typeof__(scols_column_set_wrapfunc) *column_set_wrapfunc;
	__typeof__(scols_wrapnl_chunksize) *wrapnl_chunksize;
	__typeof__(scols_wrapnl_nextchunk) *wrapnl_nextchunk;
	__typeof__(scols_line_set_data) *line_set_data;
	__typeof__(scols_line_refer_data) *line_refer_data;
	__typeof__(scols_line_get_cell) *line_get_cell;
	__typeof__(scols_cell_set_color) *cell_set_color;
};

/*
 * Loads the library. Returns 0 or -ENOENT, with its packages in the text. The
 * caller deinits @lib in either case.
 */
int libsmartcols_init(struct libsmartcols *lib, struct error *err);
void libsmartcols_deinit(struct libsmartcols *lib);

#endif
