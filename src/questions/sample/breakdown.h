/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef BUFSTAT_BREAKDOWN_H
#define BUFSTAT_BREAKDOWN_H

#include <stdbool.h>
#include <stdio.h>

#include "lib/number.h"

struct error;
struct device_answer;

struct breakdown_style {
	struct size_unit unit;
	size_t most_rows; /* the rest is added up in a line; 0: all are shown */
	bool with_line; /* such a line is one of the rows, so that they fit */
	bool only_changed; /* also those that did not change */
	bool clock; /* with the time in the heading */
};

/*
 * The number of rows that fit on the terminal @out with @before lines of
 * output before the breakdown and @after lines after it; 0 if it is none.
 */
size_t breakdown_fitting(FILE *out, size_t before, size_t after);

/*
 * Prints which devices Buffers belongs to, and a closing line that accounts for
 * all of it; also what changed, if it was compared. Returns 0, or a
 * negative errno with nothing or part of it printed.
 */
int breakdown_print(FILE *out, const struct device_answer *answer,
		    const struct breakdown_style *style, struct error *err);

#endif
