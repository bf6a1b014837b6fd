/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Releases one device's pages and measures it before and after. */
#ifndef BUFSTAT_DROP_H
#define BUFSTAT_DROP_H

#include <stdbool.h>
#include <stdint.h>

#include "drop/drop_result.h"
#include "measure/meminfo.h"

struct drop_target;
struct sysroot;

struct drop_device {
	struct drop_result result;
	const struct drop_target *target;
	/* For when the figures are absent. */
	struct meminfo host_before, host_after;
	uint64_t openers; /* at the last reading; 0: none, or not known */
	bool knows_write_error; /* whether a write has failed */
	unsigned int write_error; /* errno, or 0 */
};

/*
 * Writes the dirty pages of @target and then releases its clean ones, except
 * those in use. Other devices, including a disk's partitions, have their own
 * pages and keep them. With @dry_run, only takes the first reading.
 *
 * A page that could not be written is clean from then on, and may be the only
 * copy of its data. If the kernel has recorded a failed write, all pages stay,
 * unless @despite_errors is set, as they do if the record cannot be
 * read. The kernel has no record of an error from before it had the device in
 * memory. No program loses the report that fsync(2) makes of it (write_out.h).
 *
 * If nobody else has the device open, closing it here makes the kernel release
 * all its pages, as any last close does. The second reading is taken after
 * that.
 *
 * @source is a name or NULL, as for source_collect(). Figures that cannot be
 * measured are absent, and nothing else depends on them. Returns
 * 0, or a negative errno with the error in the result; then nothing was
 * released.
 *
 * A worker (ask.h) does what may wait for the disk. If it makes no progress,
 * the error names the step that it goes on with, and it may still release
 * the pages.
 */
int drop_device(const struct sysroot *root, const char *source,
		struct drop_device *device);

/* Whether there is nothing to release and nothing was done. */
bool drop_is_empty(const struct drop_device *device);

#endif
