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

struct column_order;
struct openers;
struct table_rows;

/* What is said of a device, which is looked for. */
enum device_reason {
	DEVICE_NO_REASON,
	DEVICE_ALONE, /* without figures: the rest is at most its */
	DEVICE_CLOSED, /* it has no pages, and nobody has it open */
	DEVICE_PERHAPS_CLOSED, /* nor is that known */
	DEVICE_REASONS
};

struct device_rows {
	/*
	 * @count copies of devices, which own nothing. If some are not shown, a
	 * row for these others: their sum. Then that of the rest.
	 */
	struct device *rows;
	size_t count;
	size_t *parents; /* for struct table_rows; NULL: a list */
	size_t others; /* how many devices are not shown, with their sum */
	char others_name[32];
	bool is_selected; /* rows were left out that nobody asked for */
};

/*
 * Compares two devices for qsort(): most pages come first, then the lower
 * number; unknown pages come last.
 */
int device_by_pages(const void *left, const void *right);

/*
 * The rows are in that order.
 * Without @all, only those that are listed (device_is_listed()). @devices must
 * outlive @rows, which must not move. Returns 0 or -ENOMEM; the caller deinits
 * in either case.
 */
int device_rows_init(struct device_rows *rows, const struct devices *devices,
		     bool all);
void device_rows_deinit(struct device_rows *rows);

/*
 * Leaves out every row for which @is_wanted returns false. The table then has
 * no row of the rest, which is about all devices.
 */
void device_rows_select(struct device_rows *rows,
			bool (*is_wanted)(void *data,
					  const struct device *device),
			void *data);

/* Whether devices are left out that may have pages. */
static inline bool device_rows_are_part(const struct device_rows *rows)
{
	return rows->is_selected || rows->others;
}

/*
 * Sorts the rows, and adds up those that column_sort_shown() does not show and,
 * with @only_changed, those that did not change.
 */
void device_rows_arrange(struct device_rows *rows,
			 const struct column_order *order, size_t top,
			 bool only_changed);

/* Why @device, which is one of @devices, has no figures or no pages. */
enum device_reason device_reason(const struct devices *devices,
				 const struct device *device,
				 const struct openers *openers);
const char *device_reason_text(enum device_reason reason);

/* The rows for a table, valid as long as @rows is. */
struct table_rows device_rows_of_table(const struct device_rows *rows,
				       bool with_rest);

#endif
