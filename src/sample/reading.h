/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * One reading of a host: what was measured and what it is called. It is
 * complete before any of it is printed, and whatever prints it looks at nothing
 * else.
 */
#ifndef BUFSTAT_READING_H
#define BUFSTAT_READING_H

#include <stdbool.h>

#include "devices/device_rows.h"
#include "filesystems/measured_filesystems.h"
#include "measure/measure.h"
#include "measure/provenance.h"

struct column;
struct error;
struct history;
struct sysroot;

/* An empty one is all zero bytes. Its parts point to each other: it stays. */
struct reading {
	struct measurement measurement; /* measure() or vmcore_measure() */
	struct provenance provenance;
	struct report report; /* empty unless the devices were measured */
	struct device_rows rows; /* to be shown, in their order; or empty */
	const struct history *history; /* the caller's, or NULL */
	struct filesystems filesystems;
	bool asked_filesystems;
	bool has_filesystems; /* they could be asked */
};

/*
 * Completes what was measured: by names from @root, and by what changed since
 * @history, which may be NULL and outlives the reading. @sort: NULL is most
 * pages first. Returns 0 or -ENOMEM, without rows then; the
 * caller deinits in either case.
 */
int reading_complete(struct reading *reading, const struct sysroot *root,
		     const struct history *history,
		     enum device_rows_choice choice, const struct column *sort);

/* Are there devices to show? */
static inline bool reading_has_devices(const struct reading *reading)
{
	return reading->rows.rows;
}

/* Adds what Cached is made of. Returns as filesystems_init() does. */
int reading_ask_filesystems(struct reading *reading, const struct sysroot *root,
			    struct error *err);

void reading_deinit(struct reading *reading);

#endif
