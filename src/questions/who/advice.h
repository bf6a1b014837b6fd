/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Whether what a process brought in went again because it asked for that, by
 * posix_fadvise() with POSIX_FADV_DONTNEED, as backup programs do. The kernel
 * says nothing: a page that is dirty, being written, mapped or locked stays.
 */
#ifndef BUFSTAT_ADVICE_H
#define BUFSTAT_ADVICE_H

#include <stdio.h>

#include "fields/fields.h"
#include "lib/number.h"
#include "trace/trace.h"

struct who_cache;
struct who_rows;

enum advice {
	ADVICE_NONE, /* it did not ask, or there was nothing to drop */
	ADVICE_WORKED, /* nine tenths of what it brought in went */
	ADVICE_IN_PART,
	ADVICE_FAILED, /* less than a tenth went */
};

enum advice advice_of(const struct trace_fill *fill);

/* A process that asked, and what came of it in one cache. */
struct advised {
	struct trace_fill fill;
	const struct who_cache *cache;
	enum advice worked;
	uint64_t pages_in;
	bool has_pid; /* else ids mean nothing here */
	bool knows_asked; /* as in struct trace_totals */
};

struct advices {
	struct advised *list; /* in the order of the totals */
	size_t count;
};

/*
 * The caches of @rows, which must outlive @advices, are those of @totals.
 * Returns 0 or -ENOMEM; the caller deinits in either case.
 */
int advices_init(struct advices *advices, const struct trace_totals *totals,
		 const struct who_rows *rows);
void advices_deinit(struct advices *advices);

/*
 * Prints a sentence on each process that asked; not more than a few. Returns 0
 * or -ENOMEM.
 */
int advices_print(FILE *stream, const struct advices *advices,
		  struct size_unit unit);

/* Of struct advised. */
extern const struct fields advised_fields;

#endif
