/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Releasing one device's pages, with its figures before and after. */
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
	struct meminfo meminfo; /* for where the figures are not there */
};

struct drop_result {
	const struct drop_target *target;
	bool dry_run; /* nothing was done: there is no after */
	bool despite_errors; /* also where a write has failed */
	const char *source; /* NULL: none could measure */
	uint64_t page_size; /* bytes */
	struct drop_reading before;
	struct drop_reading after;
	bool done; /* the pages were released */
	struct error error; /* why not, if it is set */
	struct error why; /* why some figures are not there */
};

/*
 * Writes the dirty pages of @target and then releases its clean ones, but those
 * in use. Only that device's: others, and the partitions of a disk, have pages
 * of their own. With @result->dry_run nothing is done but the first reading.
 *
 * A page that could not be written is clean from then on, and may be the only
 * copy of its data. If the kernel has recorded that a write failed, all stay,
 * but with @result->despite_errors. It has not where the error came before it
 * had the device in memory, and whether it has can be unknown; then only errors
 * that nobody was told of yet keep the pages, through fsync().
 *
 * If nobody else has the device open, the kernel releases all its pages when it
 * is closed here, as on any last close; the second reading is taken after that.
 *
 * @source is a name or NULL, as for source_collect(). What cannot be measured
 * is absent from @result, and nothing else depends on it. Returns 0 or a
 * negative errno with @result->error; then nothing was released.
 *
 * What may wait for the disk is done by a worker (ask.h). If it makes no
 * progress, @result->error says with which step it goes on, and it may still
 * release the pages.
 */
int drop_device(const struct sysroot *root, const char *source,
		struct drop_result *result);

static inline bool drop_is_measured(const struct drop_reading *reading)
{
	return sample_has(&reading->figures, FIGURE_PAGES);
}

/* Is there nothing to release, and nothing was done? */
bool drop_is_empty(const struct drop_result *result);

/* Is it known that no write has failed, or that one did so with *@error? */
static inline bool drop_knows_write_error(const struct drop_result *result,
					  unsigned int *error)
{
	const struct sample *sample = &result->before.figures;

	*error = (unsigned int)sample->figures[FIGURE_WRITE_ERROR];
	return sample_has(sample, FIGURE_WRITE_ERROR);
}

/* 0 also where the figure is absent. */
static inline uint64_t drop_figure(const struct drop_reading *reading,
				   enum figure figure)
{
	return drop_is_measured(reading) ? reading->figures.figures[figure] : 0;
}

/* Did pages stay that are dirty or being written? */
static inline bool drop_left_dirty(const struct drop_result *result)
{
	return drop_figure(&result->after, FIGURE_DIRTY) ||
	       drop_figure(&result->after, FIGURE_WRITEBACK);
}

#endif
