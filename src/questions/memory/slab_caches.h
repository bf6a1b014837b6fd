/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The caches of the slab allocator as rows of a table, from /proc/slabinfo. A
 * cache that the kernel has merged into another has no row of its own.
 */
#ifndef BUFSTAT_SLAB_CACHES_H
#define BUFSTAT_SLAB_CACHES_H

#include <stddef.h>
#include <stdint.h>

#include "memory/kernel_lists.h"
#include "table/column.h"

struct error;
struct sysroot;

struct slab_row {
	struct slab_cache cache;
	uint64_t page_size; /* bytes; 0: not known, so its size is not either */
};

struct slab_rows {
	struct slab_row *rows; /* the largest first */
	size_t count;
};

/* The rows are struct slab_row. */
extern const struct column_set slab_columns;

/*
 * @page_size is in bytes, or 0. Returns 0 or a negative errno, with the class
 * ERROR_UNUSABLE if the file is not there or not for this user; the caller
 * deinits @rows in either case.
 */
int slab_rows_read(struct slab_rows *rows, uint64_t page_size,
		   const struct sysroot *root, struct error *err);
void slab_rows_deinit(struct slab_rows *rows);

#endif
