/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The rows of a table of devices, or of a part of them, followed by the
 * unattributed rest.
 */
#ifndef BUFSTAT_DEVICE_ROWS_H
#define BUFSTAT_DEVICE_ROWS_H

#include <stdbool.h>
#include <stddef.h>

#include "devices/devices.h"
#include "table/rows.h"

struct openers;

/* What is said of a device, which is looked for. */
enum device_reason {
	DEVICE_NO_REASON,
	DEVICE_ALONE, /* without figures: the rest is at most its */
	DEVICE_CLOSED, /* it has no pages, and nobody has it open */
	DEVICE_PERHAPS_CLOSED, /* nor is that known */
	DEVICE_REASONS
};

/* Rows are copies of devices, which own nothing. */
static inline struct device *device_row(const struct rows *rows, size_t i)
{
	return rows_at(rows, i);
}

extern const struct row_kind device_row_kind;

/*
 * Compares two devices for qsort(): most pages come first, then the lower
 * number; unknown pages come last.
 */
int device_by_pages(const void *left, const void *right);

/*
 * The rows are in that order, and have the rest. Without @all, only those that
 * are listed (device_is_listed()). @devices must outlive @rows, which must not
 * move. Returns 0 or -ENOMEM; the caller deinits in either case.
 */
int device_rows_init(struct rows *rows, const struct devices *devices,
		     bool all);

/* Why @device, which is one of @devices, has no figures or no pages. */
enum device_reason device_reason(const struct devices *devices,
				 const struct device *device,
				 const struct openers *openers);
const char *device_reason_text(enum device_reason reason);

#endif
