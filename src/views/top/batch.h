/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the screen shows, as text, one measurement after the other. */
#ifndef BUFSTAT_BATCH_H
#define BUFSTAT_BATCH_H

#include "cli/interval.h"
#include "top/tab.h"
#include "top/work.h"

struct batch_options {
	struct work_options work; /* what to measure */
	enum question_id tab;
	/*
	 * As top --batch: without a count, for ever. Then a captured host is
	 * measured once, and a recording ends by itself.
	 */
	const struct interval *interval;
};

/*
 * Prints the heads of memory, the limit that is next and the table of the tab,
 * with all of its usual columns. Prints its own errors. Returns 0 once memory
 * was printed, or a moment of a recording, else the exit code.
 */
int batch_run(const struct batch_options *options);

#endif
