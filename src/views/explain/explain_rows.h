/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The table of an explanation. Reads nothing. */
#ifndef BUFSTAT_EXPLAIN_ROWS_H
#define BUFSTAT_EXPLAIN_ROWS_H

#include "memory/memory_rows.h"

struct explain_facts;

/*
 * Makes the rows: the large heads of memory, the others in one row, what is
 * unaccounted, and the total. Below the caches, indented, who has most of them.
 * Needs @facts->has_memory. Returns 0 or -ENOMEM; the caller deinits @rows in
 * either case.
 */
int explain_rows_init(struct memory_rows *rows,
		      const struct explain_facts *facts);

#endif
