/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Whether what a process brought in went again because it asked for that, by
 * posix_fadvise() with POSIX_FADV_DONTNEED, as backup programs do. The kernel
 * says nothing: a page that is dirty, being written, mapped or locked stays.
 */
#ifndef BUFSTAT_ADVICE_H
#define BUFSTAT_ADVICE_H

#include <stdio.h>

#include "lib/number.h"

struct json_out;
struct trace_fill;
struct trace_totals;
struct who_rows;

enum advice {
	ADVICE_NONE, /* it did not ask, or there was nothing to drop */
	ADVICE_WORKED, /* nine tenths of what it brought in went */
	ADVICE_IN_PART,
	ADVICE_FAILED, /* less than a tenth went */
};

enum advice advice_of(const struct trace_fill *fill);

/*
 * Prints a sentence on each process that asked; not more than a few. Returns 0
 * or -ENOMEM.
 */
int advice_print(FILE *stream, const struct trace_totals *totals,
		 const struct who_rows *rows, struct size_unit unit);

/* Writes the member "advised", which is null if that was not seen. */
void advice_write(struct json_out *json, const struct trace_totals *totals,
		  const struct who_rows *rows);

#endif
