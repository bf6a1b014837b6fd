/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef BUFSTAT_MEASURE_H
#define BUFSTAT_MEASURE_H

#include "lib/error.h"
#include "measure/meminfo.h"
#include "measure/snapshot.h"

struct sysroot;

struct measurement {
	struct meminfo meminfo;
	struct snapshot snapshot;
	int collected; /* 0, or what source_collect() returned */
	struct error why; /* with its text */
};

/*
 * Reads /proc/meminfo and takes a snapshot directly after it. On a busy host
 * Buffers moves between the two: then both are taken again, at most twice, so
 * that what is shown as unattributed is what is really nobody's.
 *
 * Returns 0 if /proc/meminfo was read, also if no snapshot could be taken, else
 * a negative errno. The caller deinits @measurement in any case.
 */
int measure(const struct sysroot *root, const char *source,
	    struct measurement *measurement, struct error *err);
void measurement_deinit(struct measurement *measurement);

/*
 * The pages of Buffers that are on no device that was measured. False if
 * either is not known.
 */
bool measurement_rest(const struct measurement *measurement, int64_t *pages);

#endif
