/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The rows of a table of devices: what was measured, what it is called, and
 * at the end the unattributed rest.
 */
#ifndef BUFSTAT_DEVICE_ROWS_H
#define BUFSTAT_DEVICE_ROWS_H

#include <stddef.h>

#include "errno_name.h"
#include "history.h"
#include "names.h"
#include "report.h"

struct device_row {
	const struct report *report;
	const struct history *history; /* NULL: there is none */
	const struct device_sample *sample; /* NULL: the unattributed rest */
	struct device_names names;
	char *number; /* "major:minor", or NULL for the rest */
	char write_error[ERRNO_NAME_SIZE]; /* "none", or "": not known */
};

struct column;
struct table_rows;

struct device_rows {
	struct device_row *rows;
	size_t count;
};

enum device_rows_choice {
	/* And those that could not be measured, or whose pages changed. */
	ROWS_WITH_PAGES,
	ROWS_ALL,
};

/*
 * Looks the devices of @report up. @history may be NULL; it and @report must
 * outlive the result. Returns 0 or -ENOMEM; the caller deinits @rows in either
 * case.
 */
int device_rows_init(struct device_rows *rows, const struct report *report,
		     const struct history *history, const struct sysroot *root,
		     enum device_rows_choice choice);
void device_rows_deinit(struct device_rows *rows);

/*
 * Adds the row of the unattributed rest, which is called unsettled if the
 * figures are. Returns 0 or -ENOMEM.
 */
int device_rows_add_rest(struct device_rows *rows, const struct report *report,
			 const struct history *history);

/* Sorts them ascending; the rest, if it is there, with them. */
void device_rows_sort(struct device_rows *rows, const struct column *column);

/* As a table has them; valid as long as @rows is not changed. */
struct table_rows device_rows_of_table(const struct device_rows *rows);

#endif
