/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What is exported: one table of metrics. A new one is a row in metrics.c and a
 * function that writes its samples from struct metrics_input.
 */
#ifndef BUFSTAT_METRICS_H
#define BUFSTAT_METRICS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "devices/device_rows.h"
#include "export/export_devices.h"
#include "export/exposition.h"

struct filesystems;
struct measurement;
struct sysroot;

/* All that metrics are written from. */
struct metrics_input {
	bool measured; /* else only what needs no measurement is there */
	struct report report;
	struct export_devices devices;
	const struct filesystems *filesystems; /* NULL: were not measured */
	size_t limit; /* filesystems with rows of their own */
};

/*
 * Gathers the metrics of @measurement: a row each for the @limit devices with
 * the most pages, whose names @root has, and one for the others; the same for
 * @filesystems, which may be NULL. Both outlive @input. Returns 0 or -ENOMEM;
 * the caller deinits in either case.
 */
int metrics_init(struct metrics_input *input,
		 const struct measurement *measurement,
		 const struct filesystems *filesystems,
		 const struct sysroot *root, size_t limit);
void metrics_deinit(struct metrics_input *input);

/*
 * Writes them. If no device could be measured, that is what they say. What
 * could not be written shows in ferror().
 */
void metrics_print(FILE *out, enum exposition_format format,
		   const struct metrics_input *input);

#endif
