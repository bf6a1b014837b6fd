/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A snapshot set against /proc/meminfo: rows in order, their sum, and what is
 * left of Buffers. Pure: nothing is read, opened or printed here.
 */
#ifndef BUFSTAT_REPORT_H
#define BUFSTAT_REPORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "meminfo.h"
#include "snapshot.h"

struct baseline;

struct report {
	const char *source;
	uint64_t page_size; /* bytes */
	/* Most pages first, then by number; those without a figure last. */
	const struct device_sample **rows;
	size_t count;
	size_t with_pages; /* how many rows, from the first, have pages */
	size_t refused; /* devices that could not be measured */
	bool unsettled; /* as in the snapshot: the figures are not proven */
	uint64_t attributed_pages; /* sum of the rows */
	uint64_t buffers_pages; /* meminfo's Buffers */
	/*
	 * buffers - attributed. Negative if Buffers shrank between the two
	 * readings: shown as it is, not hidden.
	 */
	int64_t unattributed_pages;
	/* Without these two flags the three figures above are not there. */
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

/*
 * The row's part of Buffers in percent; for the unattributed rest give NULL.
 * False where it is not known or would divide by zero.
 */
bool report_share(const struct report *report,
		  const struct device_sample *sample, double *percent);

/*
 * What the unattributed rest has gained since @baseline, negative if it lost
 * some. False if either is not known.
 */
bool report_rest_change(const struct report *report,
			const struct baseline *baseline, int64_t *pages);

#endif
