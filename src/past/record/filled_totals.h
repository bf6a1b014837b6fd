/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What each command has brought into each cache since the tracer began, for
 * metrics: few rows, and none of them ever gets less. A command that brings in
 * little has no row: it counts for the others of the cache. Once it has one it
 * keeps it.
 */
#ifndef BUFSTAT_FILLED_TOTALS_H
#define BUFSTAT_FILLED_TOTALS_H

#include <stddef.h>
#include <stdint.h>

#include "store/documents.h"

struct filled;

enum {
	TOTALS_COMMANDS = 100, /* rows of commands */
	TOTALS_CACHES = 64, /* with a row of others */
};

/* All zero bytes is empty. */
struct filled_totals {
	struct store_total rows[TOTALS_COMMANDS + TOTALS_CACHES];
	size_t commands; /* rows of commands */
	size_t count; /* all rows */
	uint64_t elsewhere_bytes; /* in caches that have no row of others */
};

/* Adds what was brought in since the last report. */
void filled_totals_add(struct filled_totals *totals,
		       const struct filled *filled);

#endif
