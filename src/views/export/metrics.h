/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The exported metrics, in one table. A new metric is a row in metrics.c and a
 * function that writes its samples from struct metrics_input.
 */
#ifndef BUFSTAT_METRICS_H
#define BUFSTAT_METRICS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "devices/device_rows.h"
#include "export/export_devices.h"
#include "export/export_filled.h"
#include "export/exposition.h"

/*
 * The version of all names, labels and units. It grows when one goes or means
 * something else (docs/stability.md).
 */
#define METRICS_SCHEMA "1"

struct filesystems;
struct sysroot;

/* The data that metrics are written from. */
struct metrics_input {
	const struct devices *all;
	struct export_devices devices; /* empty unless they were measured */
	const struct filesystems *filesystems; /* NULL: not measured */
	size_t limit; /* filesystems with rows of their own */
	const struct export_filled *filled; /* NULL: nobody is traced */
};

/*
 * Gathers the metrics of @devices: a row for each of the @limit devices
 * with the most pages, with names from @root, and one for the others. The same
 * for @filesystems, which may be NULL. Both must outlive @input. The caller may
 * set @filled then. Returns 0 or -ENOMEM; the caller deinits @input in either
 * case.
 */
int metrics_init(struct metrics_input *input, const struct devices *devices,
		 const struct filesystems *filesystems,
		 const struct sysroot *root, size_t limit);
void metrics_deinit(struct metrics_input *input);

/*
 * Writes the metrics, to a terminal in a form that is safe there. If no device
 * could be measured, bufstat_up is 0. Write errors show in ferror().
 */
void metrics_print(FILE *out, enum exposition_format format, bool is_terminal,
		   const struct metrics_input *input);

#endif
