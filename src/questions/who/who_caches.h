/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The caches that a table of bufstat who is about, with their names. */
#ifndef BUFSTAT_WHO_CACHES_H
#define BUFSTAT_WHO_CACHES_H

#include "who/who_rows.h"

/*
 * Fills in the caches of @rows: those that were traced, and those that changed.
 * As who_rows_init().
 */
int who_caches_find(struct who_rows *rows, const struct trace_totals *totals,
		    const struct caches_before *before,
		    const struct caches *now, const struct sysroot *root);

/*
 * Sorts the caches of @rows, leaves one of each, and adds up what of @totals
 * was traced. All of @totals have to be there.
 */
void who_caches_arrange(struct who_rows *rows,
			const struct trace_totals *totals);

/* NULL if it is not there. */
struct who_cache *who_caches_at(const struct who_rows *rows, unsigned int major,
				unsigned int minor, bool is_bdev);

/* Its name, or its number. */
const char *who_cache_name(const struct who_cache *cache);

/* Whether @selection, which may be empty, has it. */
bool who_cache_is_chosen(const struct who_cache *cache,
			 struct selection *selection);

#endif
