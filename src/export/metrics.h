/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What is exported: one table of metrics. A new one is a row in metrics.c and a
 * function that writes its samples from struct metrics_input.
 */
#ifndef BUFSTAT_METRICS_H
#define BUFSTAT_METRICS_H

#include <stddef.h>
#include <stdio.h>

#include "exposition.h"

struct error;
struct filesystems;
struct measurement;
struct sysroot;

/*
 * Writes the metrics of @measurement, a row each for the @limit devices with
 * the most pages and one for the others; the same for @filesystems, which is
 * NULL if they were not measured. If no device could be, that is what they say.
 * Returns 0 or -ENOMEM; what could not be written shows in ferror().
 */
int metrics_print(FILE *out, enum exposition_format format,
		  const struct measurement *measurement,
		  const struct filesystems *filesystems,
		  const struct sysroot *root, size_t limit, struct error *err);

#endif
