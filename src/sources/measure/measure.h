/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef BUFSTAT_MEASURE_H
#define BUFSTAT_MEASURE_H

#include "lib/error.h"
#include "measure/meminfo.h"
#include "measure/snapshot.h"

struct json_out;
struct sysroot;

struct measurement {
	struct meminfo meminfo;
	struct snapshot snapshot;
	int collected; /* 0, or what source_collect() returned */
	struct error why; /* set if collected is negative */
};

/*
 * Reads /proc/meminfo and takes a snapshot right after it. On a busy host
 * Buffers moves between the two. Then both are taken again, at most twice, so
 * that only pages that really belong to no device show as unattributed.
 *
 * Returns 0 if /proc/meminfo was read, even if no snapshot could be taken, or a
 * negative errno. The caller deinits @measurement in any case.
 */
int measure(const struct sysroot *root, const char *source,
	    struct measurement *measurement, struct error *err);
void measurement_deinit(struct measurement *measurement);

/*
 * Where the devices have more than Buffers, looks why: reads /proc/zoneinfo,
 * and /proc/meminfo again if the host runs. measure() does it.
 */
enum buffers_doubt measurement_doubt(const struct measurement *measurement,
				     const struct sysroot *root);

/*
 * Sets *@pages to the pages of Buffers that are on no measured device. Returns
 * false if Buffers or the sum over the devices is not known.
 */
bool measurement_rest(const struct measurement *measurement, int64_t *pages);

/*
 * Whether a source that answered measured every device, and Buffers is known
 * and no less than they have.
 */
bool measurement_is_whole(const struct measurement *measurement);

/* How far Cached or Buffers may move while its parts are measured, in pages. */
int64_t settled_allowance(uint64_t pages);

/* Whether two figures differ by no more than that. */
bool settled_is_near(uint64_t pages, uint64_t others);

/*
 * Writes meminfo_kib and devices of a saved reading (saved.h). Both are null if
 * @measurement is NULL, and devices is null if they could not be measured.
 */
void measurement_write(struct json_out *json,
		       const struct measurement *measurement);

#endif
