/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the screen shows, as text, one measurement after the other. */
#ifndef BUFSTAT_BATCH_H
#define BUFSTAT_BATCH_H

#include "top/tab.h"

struct interval;
struct sysroot;

struct batch_options {
	const struct sysroot *root;
	const char *source; /* --source, or NULL */
	enum tab_id tab;
	/* As top -b: without a count, for ever. */
	const struct interval *interval;
};

/*
 * Prints the heads of memory, the limit that is next and the table of the tab,
 * with all of its usual columns. Prints its own errors. Returns 0 once memory
 * was printed, else the exit code.
 */
int batch_run(const struct batch_options *options);

#endif
