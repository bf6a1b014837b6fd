/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef BUFSTAT_FILE_COLUMNS_H
#define BUFSTAT_FILE_COLUMNS_H

#include "table/column.h"

struct cached_file;

struct file_row {
	const struct cached_file *file;
	uint64_t page_size; /* bytes */
	bool has_users; /* they were looked for */
};

/* The rows are struct file_row. */
extern const struct column_set file_columns;

#endif
