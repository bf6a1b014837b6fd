/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Releases one device's pages and measures it before and after. */
#ifndef BUFSTAT_DROP_H
#define BUFSTAT_DROP_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "lib/error.h"
#include "measure/meminfo.h"
#include "measure/snapshot.h"

struct drop_target;
struct sysroot;

struct drop_reading {
	struct sample figures; /* its strings are NULL */
	struct meminfo meminfo; /* for when the figures are absent */
};

struct drop_result {
	const struct drop_target *target;
	bool dry_run; /* only the first reading: after is empty */
	bool despite_errors; /* release even if a write has failed */
	const char *source; /* NULL: none could measure */
	uint64_t page_size; /* bytes */
	struct drop_reading before;
	struct drop_reading after;
	bool done; /* the pages were released */
	struct error error; /* why they were not, if set */
	struct error why; /* why some figures are absent */
};

/*
 * Writes the dirty pages of @target and then releases its clean ones, except
 * those in use. Other devices, including a disk's partitions, have their own
 * pages and keep them. With @result->dry_run, only takes the first reading.
 *
 * A page that could not be written is clean from then on, and may be the only
 * copy of its data. If the kernel has recorded a failed write, all pages stay,
 * unless @result->despite_errors is set, as they do if the record cannot be
 * read. The kernel has no record of an error from before it had the device in
 * memory. No program loses the report that fsync(2) makes of it (write_out.h).
 *
 * If nobody else has the device open, closing it here makes the kernel release
 * all its pages, as any last close does. The second reading is taken after
 * that.
 *
 * @source is a name or NULL, as for source_collect(). Figures that cannot be
 * measured are absent from @result, and nothing else depends on them. Returns
 * 0, or a negative errno with @result->error set; then nothing was released.
 *
 * A worker (ask.h) does what may wait for the disk. If it makes no progress,
 * @result->error names the step that it goes on with, and it may still release
 * the pages.
 */
int drop_device(const struct sysroot *root, const char *source,
		struct drop_result *result);

static inline bool drop_is_measured(const struct drop_reading *reading)
{
	return sample_has(&reading->figures, FIGURE_PAGES);
}

/* Whether there is nothing to release and nothing was done. */
bool drop_is_empty(const struct drop_result *result);

/*
 * Whether it is known if a write has failed. *@error is then its errno, or 0.
 */
static inline bool drop_knows_write_error(const struct drop_result *result,
					  unsigned int *error)
{
	const struct sample *sample = &result->before.figures;

	*error = (unsigned int)sample->figures[FIGURE_WRITE_ERROR];
	return sample_has(sample, FIGURE_WRITE_ERROR);
}

/* The figure, or 0 if it is absent. */
static inline uint64_t drop_figure(const struct drop_reading *reading,
				   enum figure figure)
{
	return drop_is_measured(reading) ? reading->figures.figures[figure] : 0;
}

/* Whether pages stayed that are dirty or under writeback. */
static inline bool drop_left_dirty(const struct drop_result *result)
{
	return drop_figure(&result->after, FIGURE_DIRTY) ||
	       drop_figure(&result->after, FIGURE_WRITEBACK);
}

#endif
