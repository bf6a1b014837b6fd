/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The report compares the measured devices with Buffers. With names, it becomes
 * the rows of a table, followed by the unattributed rest.
 */
#ifndef BUFSTAT_DEVICE_ROWS_H
#define BUFSTAT_DEVICE_ROWS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/error.h"
#include "measure/history.h"
#include "measure/meminfo.h"
#include "measure/snapshot.h"
#include "names/names.h"

struct column_order;
struct openers;
struct sysroot;
struct table_rows;

/*
 * A snapshot compared with /proc/meminfo: its devices in order, their sum, and
 * what is left of Buffers. No I/O.
 */
struct report {
	const char *source;
	uint64_t page_size; /* bytes */
	/* Most pages first, then by number; unknown pages come last. */
	const struct sample **rows;
	size_t count;
	size_t with_pages; /* how many of the first rows have pages */
	size_t refused; /* devices that could not be measured */
	bool unsettled; /* as in the snapshot: the figures are not proven */
	uint64_t attributed_pages; /* sum of the rows */
	uint64_t buffers_pages; /* meminfo's Buffers */
	/* buffers - attributed; may be negative, and is shown all the same. */
	int64_t unattributed_pages;
	enum buffers_doubt doubt; /* why it is, or why it is not known */
	/* Without these flags, the three figures above are unknown. */
	bool has_attributed;
	bool has_buffers;
};

/*
 * @report points into @snapshot, which must outlive it. Returns 0 or -ENOMEM;
 * the caller deinits @report in either case.
 */
int report_init(struct report *report, const struct snapshot *snapshot,
		const struct meminfo *meminfo);
void report_deinit(struct report *report);

/* False if devices refused to be measured and none has a figure. */
static inline bool report_has_figures(const struct report *report)
{
	return !report->refused || sample_has(report->rows[0], FIGURE_PAGES);
}

/*
 * The only device that could not be measured: it has the unattributed rest at
 * most. NULL if there are others or none, or if the rest tells nothing.
 */
const struct sample *report_only_refused(const struct report *report);

/*
 * Sets @percent to the sample's part of Buffers; NULL is the unattributed rest.
 * Returns false if that is unknown or Buffers is zero.
 */
bool report_share(const struct report *report, const struct sample *sample,
		  double *percent);

/*
 * Sets @pages to what the unattributed rest has gained since @baseline,
 * negative if it shrank. Returns false if either is unknown.
 */
bool report_rest_change(const struct report *report,
			const struct baseline *baseline, int64_t *pages);

struct device_row {
	const struct report *report;
	const struct history *history; /* NULL: none */
	/* Of the row of the others, a sum. NULL: the unattributed rest. */
	const struct sample *sample;
	struct device_names names;
	char *number; /* "major:minor", or NULL for the rest */
	char write_error[ERRNO_NAME_SIZE]; /* a name, "none", or "": unknown */
};

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
	 * @count devices. If some are not shown, a row for these others. Then
	 * that of the rest.
	 */
	struct device_row *rows;
	size_t count;
	size_t *parents; /* for struct table_rows; NULL: a list */
	size_t others; /* how many devices are not shown, with their sum */
	struct sample sum;
	bool is_selected; /* rows were left out that nobody asked for */
};

enum device_rows_choice {
	/* Also those that could not be measured, or that had pages before. */
	ROWS_WITH_PAGES,
	ROWS_ALL,
};

/* Whether ROWS_WITH_PAGES includes the device. @history may be NULL. */
bool device_rows_lists(const struct sample *sample,
		       const struct history *history);

/*
 * Looks up the devices of @report, in its order. The rest is called unsettled
 * if the figures are. @history may be NULL; it and @report must outlive the
 * result. Returns 0 or -ENOMEM; the caller deinits @rows in either case.
 */
int device_rows_init(struct device_rows *rows, const struct report *report,
		     const struct history *history, const struct sysroot *root,
		     enum device_rows_choice choice);
void device_rows_deinit(struct device_rows *rows);
void device_row_deinit(struct device_row *row);

/*
 * Leaves out every row for which @is_wanted returns false. The table then has
 * no row of the rest, which is about all devices.
 */
void device_rows_select(struct device_rows *rows,
			bool (*is_wanted)(void *data,
					  const struct device_row *row),
			void *data);

/* Whether devices are left out that may have pages. */
static inline bool device_rows_are_part(const struct device_rows *rows)
{
	return rows->is_selected || rows->others;
}

/*
 * Sorts the rows, and adds up those that column_sort_top() does not show and,
 * with @only_changed, those that did not change. Returns 0 or -ENOMEM.
 */
int device_rows_arrange(struct device_rows *rows,
			const struct column_order *order, size_t top,
			bool only_changed);

/*
 * Whether the device is known to have as many pages as in the last sample of
 * its history.
 */
bool device_row_is_unchanged(const struct device_row *row);

/* Why @row has no figures or no pages. */
enum device_reason device_row_reason(const struct device_row *row,
				     const struct openers *openers);
const char *device_reason_text(enum device_reason reason);

/* The rows for a table, valid as long as @rows is. */
struct table_rows device_rows_of_table(const struct device_rows *rows,
				       bool with_rest);

#endif
