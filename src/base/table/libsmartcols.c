// SPDX-License-Identifier: GPL-2.0-or-later
#include <dlfcn.h>

#include "lib/library.h"
#include "table/libsmartcols.h"

#define SYMBOL(name)                                                           \
	{                                                                      \
		"scols_" #name, &lib->name                                     \
	}

int libsmartcols_init(struct libsmartcols *lib, struct error *err)
{
	const struct library_symbol symbols[] = {
		SYMBOL(new_table),	     SYMBOL(unref_table),
		SYMBOL(print_table),	     SYMBOL(table_set_stream),
		SYMBOL(table_set_termforce), SYMBOL(table_enable_noheadings),
		SYMBOL(table_enable_colors), SYMBOL(table_enable_raw),
		SYMBOL(table_enable_export), SYMBOL(table_new_column),
		SYMBOL(table_new_line),	     SYMBOL(table_enable_noencoding),
		SYMBOL(column_set_wrapfunc), SYMBOL(wrapnl_chunksize),
		SYMBOL(wrapnl_nextchunk),    SYMBOL(line_set_data),
		SYMBOL(line_refer_data),     SYMBOL(line_get_cell),
		SYMBOL(cell_set_color),
	};

	*lib = (struct libsmartcols){ 0 };
	return library_open(LIBRARY_SMARTCOLS, symbols,
			    sizeof(symbols) / sizeof(*symbols), &lib->handle,
			    err);
}

void libsmartcols_deinit(struct libsmartcols *lib)
{
	if (lib->handle)
		dlclose(lib->handle);
	*lib = (struct libsmartcols){ 0 };
}
