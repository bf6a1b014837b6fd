/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Runs the screen: keys, signals, time, and the processes that measure. */
#ifndef BUFSTAT_LOOP_H
#define BUFSTAT_LOOP_H

#include <stdbool.h>

#include "top/tab.h"
#include "top/work.h"

struct loop_options {
	struct work_options work; /* what to measure */
	enum question_id tab; /* that is shown first */
	double seconds; /* between two measurements */
};

/*
 * Shows the screen until the user quits or the terminal goes away, and gives
 * the terminal back. Sets *@shown if memory, or a recording, was on the screen.
 * A signal that ends the program ends it in here. Returns 0 or a negative errno.
 */
int loop_run(const struct loop_options *options, bool *shown,
	     struct error *err);

#endif
