/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The caches of the slab allocator as rows of a table, from /proc/slabinfo. A
 * cache that the kernel has merged into another has no row of its own.
 */
#ifndef BUFSTAT_SLAB_CACHES_H
#define BUFSTAT_SLAB_CACHES_H

#include <stdint.h>

#include "memory/kernel_lists.h"
#include "table/column.h"

struct question;

struct slab_row {
	struct slab_cache cache;
	uint64_t page_size; /* bytes; 0: not known, so its size is not either */
};

/* The rows are struct slab_row. */
extern const struct column_set slab_columns;

/*
 * The largest first. Fails with the class ERROR_UNUSABLE if the file is not
 * there or not for this user.
 */
extern const struct question slab_question;

#endif
