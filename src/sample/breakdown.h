/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef BUFSTAT_BREAKDOWN_H
#define BUFSTAT_BREAKDOWN_H

#include <stdbool.h>
#include <stdio.h>

#include "lib/number.h"

struct error;
struct reading;

/*
 * Prints which devices Buffers belongs to, and a closing line that accounts for
 * all of it; also what changed, if the reading has a history. Sizes are in
 * @unit. Returns 0, or a negative errno with nothing or part of it printed.
 */
int breakdown_print(FILE *out, const struct reading *reading,
		    struct size_unit unit, struct error *err);

#endif
