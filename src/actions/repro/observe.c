// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "devices/device_figures.h"
#include "lib/cleanup.h"
#include "lib/monotonic.h"
#include "lib/sysroot.h"
#include "measure/cachestat.h"
#include "measure/meminfo.h"
#include "measure/snapshot.h"
#include "repro/experiment.h"
#include "repro/observe.h"
#include "trace/trace.h"
#include "worker/patience.h"

#define ATTEMPTS 5

/* ---- one file ------------------------------------------------------------ */

struct resident {
	uint64_t pages;
	uint64_t dirty_pages; /* or under writeback */
	bool has_dirty;
};

/* Mapping the file reads none of its pages. */
static int count_with_mincore(int fd, struct resident *resident)
{
	size_t page_size = (size_t)sysconf(_SC_PAGESIZE), pages;
	_cleanup_(freep) unsigned char *cached = NULL;
	struct stat status;
	void *map;
	int ret;

	*resident = (struct resident){ 0 };
	if (fstat(fd, &status) < 0)
		return -errno;
	if (!status.st_size)
		return 0;
	pages = ((size_t)status.st_size + page_size - 1) / page_size;
	cached = malloc(pages);
	if (!cached)
		return -ENOMEM;
	map = mmap(NULL, (size_t)status.st_size, PROT_READ, MAP_SHARED, fd, 0);
	if (map == MAP_FAILED)
		return -errno;
	ret = mincore(map, (size_t)status.st_size, cached) < 0 ? -errno : 0;
	munmap(map, (size_t)status.st_size);
	for (size_t i = 0; !ret && i < pages; i++)
		resident->pages += cached[i] & 1;
	return ret;
}

/*
 * Counts the cached pages of a regular file of ours: with cachestat(2), or
 * before Linux 6.5 with mincore(2), which does not know dirty pages. (mincore()
 * is wrong about partly uptodate pages, which a device may have; files read
 * whole have none.) Returns 0 or a negative errno.
 */
static int resident_of_file(int fd, struct resident *resident)
{
	struct cachestat_counts counts;
	int ret = cachestat_read(fd, 0, 0, &counts);

	if (ret < 0)
		return count_with_mincore(fd, resident);
	*resident = (struct resident){
		.pages = counts.cached,
		.dirty_pages = counts.dirty + counts.writeback,
		.has_dirty = true,
	};
	return 0;
}

/* ---- all quantities ------------------------------------------------------ */

static void set_meminfo(struct observation *observation, enum quantity quantity,
			const struct meminfo *meminfo, enum meminfo_field field,
			int64_t page_kib)
{
	if (meminfo_has(meminfo, field))
		observation_set(observation, quantity,
				(int64_t)meminfo->kib[field] / page_kib);
}

static void add_meminfo(struct observation *observation,
			const struct meminfo *meminfo)
{
	int64_t page_kib = sysconf(_SC_PAGESIZE) / 1024;

	set_meminfo(observation, QUANTITY_BUFFERS, meminfo, MEMINFO_BUFFERS,
		    page_kib);
	set_meminfo(observation, QUANTITY_CACHED, meminfo, MEMINFO_CACHED,
		    page_kib);
	set_meminfo(observation, QUANTITY_SHMEM, meminfo, MEMINFO_SHMEM,
		    page_kib);
	set_meminfo(observation, QUANTITY_DIRTY, meminfo, MEMINFO_DIRTY,
		    page_kib);
	if (observation_has(observation, QUANTITY_DIRTY) &&
	    meminfo_has(meminfo, MEMINFO_WRITEBACK))
		observation->pages[QUANTITY_DIRTY] +=
			(int64_t)meminfo->kib[MEMINFO_WRITEBACK] / page_kib;
}

static int64_t figure(const struct device_figures *figures, enum figure which)
{
	return (int64_t)figures->sample.figures[which];
}

/*
 * --timeout counts for the whole run, so leave its start alone. Without it,
 * only a single measurement can take long.
 */
static void begin_measuring(const struct sysroot *root)
{
	if (root->patience && !root->patience->seconds)
		patience_begin(root->patience);
}

/*
 * Keeps the first source that measures: figures of two sources cannot be
 * compared.
 */
static int add_device(const struct experiment *experiment,
		      struct observation *observation, struct error *err)
{
	struct outcome *outcome = experiment->outcome;
	const char *source = outcome->source ? outcome->source :
					       experiment->options->source;
	struct device_figures figures;
	int ret;

	if (!experiment->node)
		return 0;
	begin_measuring(experiment->root);
	ret = device_figures_take(experiment->root, source, experiment->device,
				  &figures, &outcome->why);
	if (ret < 0 && experiment->options->source) {
		*err = outcome->why;
		return ret;
	}
	if (ret < 0)
		return 0;
	outcome->source = figures.source;
	if (sample_has(&figures.sample, FIGURE_PAGES))
		observation_set(observation, QUANTITY_DEVICE,
				figure(&figures, FIGURE_PAGES));
	if (sample_has(&figures.sample, FIGURE_DIRTY))
		observation_set(observation, QUANTITY_DEVICE_DIRTY,
				figure(&figures, FIGURE_DIRTY) +
					figure(&figures, FIGURE_WRITEBACK));
	return 0;
}

static void add_witness(const struct experiment *experiment,
			struct observation *observation)
{
	const struct lab *lab = &experiment->lab;
	struct device_figures figures;

	if (lab->device_count < 2 || !experiment->outcome->source)
		return;
	begin_measuring(experiment->root);
	if (device_figures_take(experiment->root, experiment->outcome->source,
				lab->devices[1].number, &figures,
				&experiment->outcome->why) == 0 &&
	    sample_has(&figures.sample, FIGURE_PAGES))
		observation_set(observation, QUANTITY_WITNESS,
				figure(&figures, FIGURE_PAGES));
}

static void add_file(const struct experiment *experiment,
		     struct observation *observation)
{
	struct resident resident;

	if (experiment->file_fd < 0 ||
	    resident_of_file(experiment->file_fd, &resident) < 0)
		return;
	observation_set(observation, QUANTITY_FILE, (int64_t)resident.pages);
	if (resident.has_dirty)
		observation_set(observation, QUANTITY_FILE_DIRTY,
				(int64_t)resident.dirty_pages);
}

/* Without direct I/O, a backing file is cached too. Takes it off Cached. */
static void subtract_backing(const struct experiment *experiment,
			     struct observation *observation)
{
	const struct lab *lab = &experiment->lab;
	int64_t pages = 0;

	for (unsigned int i = 0; i < lab->device_count; i++) {
		struct resident resident;

		if (resident_of_file(lab->files[i], &resident) < 0)
			return;
		pages += (int64_t)resident.pages;
	}
	if (lab->device_count)
		observation_set(observation, QUANTITY_BACKING, pages);
	observation->pages[QUANTITY_CACHED] -= pages;
}

static void add_traced(const struct experiment *experiment,
		       const struct trace_fill *fill,
		       struct observation *observation)
{
	const struct lab *lab = &experiment->lab;
	dev_t number = makedev(fill->major, fill->minor);
	int64_t pages = (int64_t)trace_fill_in(fill);

	if (!fill->is_bdev || (number != lab->devices[0].number &&
			       number != lab->devices[1].number))
		return;
	if (strcmp(fill->command, "dd") == 0)
		observation->pages[QUANTITY_DD] += pages;
	else if (strcmp(fill->command, "find") == 0)
		observation->pages[QUANTITY_FIND] += pages;
}

static int add_trace(const struct experiment *experiment,
		     struct observation *observation, struct error *err)
{
	_cleanup_(trace_totals_deinit) struct trace_totals totals = { 0 };
	int ret;

	if (!experiment->trace)
		return 0;
	ret = trace_read(experiment->trace, &totals, err);
	if (ret < 0)
		return ret;
	observation_set(observation, QUANTITY_DD, 0);
	observation_set(observation, QUANTITY_FIND, 0);
	for (size_t i = 0; i < totals.count; i++)
		add_traced(experiment, &totals.fills[i], observation);
	return 0;
}

static void add_ways(const struct experiment *experiment,
		     struct observation *observation)
{
	const struct ways_sum *ways = &experiment->ways;

	if (!experiment->scenario->ways || !ways->is_known)
		return;
	observation_set(observation, QUANTITY_THROUGH, ways->through);
	observation_set(observation, QUANTITY_PAST, ways->past);
	observation_set(observation, QUANTITY_ASTRAY,
			ways->astray *
				(int64_t)experiment->outcome->amount_pages);
}

static void add_others(struct observation *observation)
{
	if (!observation_has(observation, QUANTITY_BUFFERS) ||
	    !observation_has(observation, QUANTITY_DEVICE))
		return;
	observation_set(observation, QUANTITY_OTHERS,
			observation->pages[QUANTITY_BUFFERS] -
				observation->pages[QUANTITY_DEVICE] -
				observation->pages[QUANTITY_WITNESS]);
}

static int observe_once(const struct experiment *experiment,
			struct observation *observation, struct error *err)
{
	struct meminfo before, after;
	int ret = meminfo_read(&before, experiment->root, err);

	*observation = (struct observation){ 0 };
	if (!ret)
		ret = add_device(experiment, observation, err);
	if (ret < 0)
		return ret;
	add_witness(experiment, observation);
	add_file(experiment, observation);
	add_ways(experiment, observation);
	ret = add_trace(experiment, observation, err);
	if (!ret)
		ret = meminfo_read(&after, experiment->root, err);
	if (ret < 0)
		return ret;
	add_meminfo(observation, &after);
	subtract_backing(experiment, observation);
	add_others(observation);
	observation->at_ns = monotonic_ns();
	observation->settled = before.kib[MEMINFO_BUFFERS] ==
			       after.kib[MEMINFO_BUFFERS];
	return 0;
}

int experiment_observe(const struct experiment *experiment,
		       struct observation *observation, struct error *err)
{
	int tries = ATTEMPTS, ret;

	do
		ret = observe_once(experiment, observation, err);
	while (!ret && !observation->settled && --tries);
	return ret;
}
