// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <unistd.h>

#include "device_figures.h"
#include "experiment.h"
#include "monotonic.h"
#include "meminfo.h"
#include "quantity.h"
#include "resident.h"
#include "take_reading.h"

#define ATTEMPTS 5

static void set_meminfo(struct reading *reading, enum quantity quantity,
			const struct meminfo *meminfo, enum meminfo_field field,
			int64_t page_kib)
{
	if (meminfo_has(meminfo, field))
		reading_set(reading, quantity,
			    (int64_t)meminfo->kib[field] / page_kib);
}

static void add_meminfo(struct reading *reading, const struct meminfo *meminfo)
{
	int64_t page_kib = sysconf(_SC_PAGESIZE) / 1024;

	set_meminfo(reading, QUANTITY_BUFFERS, meminfo, MEMINFO_BUFFERS,
		    page_kib);
	set_meminfo(reading, QUANTITY_CACHED, meminfo, MEMINFO_CACHED,
		    page_kib);
	set_meminfo(reading, QUANTITY_SHMEM, meminfo, MEMINFO_SHMEM, page_kib);
	set_meminfo(reading, QUANTITY_DIRTY, meminfo, MEMINFO_DIRTY, page_kib);
	if (reading_has(reading, QUANTITY_DIRTY) &&
	    meminfo_has(meminfo, MEMINFO_WRITEBACK))
		reading->pages[QUANTITY_DIRTY] +=
			(int64_t)meminfo->kib[MEMINFO_WRITEBACK] / page_kib;
}

static int64_t figure(const struct device_figures *figures, enum figure which)
{
	return (int64_t)figures->sample.figures[which];
}

/* Once a source has measured, it is that one: two would not compare. */
static int add_device(const struct experiment *experiment,
		      struct reading *reading, struct error *err)
{
	struct outcome *outcome = experiment->outcome;
	const char *source = outcome->source ? outcome->source :
					       experiment->options->source;
	struct device_figures figures;
	int ret;

	if (!experiment->node)
		return 0;
	ret = device_figures_take(experiment->root, source, experiment->device,
				  &figures, &outcome->why);
	if (ret == -EINVAL || (ret < 0 && experiment->options->source)) {
		*err = outcome->why;
		return ret;
	}
	if (ret < 0)
		return 0;
	outcome->source = figures.source;
	if (sample_has(&figures.sample, FIGURE_PAGES))
		reading_set(reading, QUANTITY_DEVICE,
			    figure(&figures, FIGURE_PAGES));
	if (sample_has(&figures.sample, FIGURE_DIRTY))
		reading_set(reading, QUANTITY_DEVICE_DIRTY,
			    figure(&figures, FIGURE_DIRTY) +
				    figure(&figures, FIGURE_WRITEBACK));
	return 0;
}

static void add_witness(const struct experiment *experiment,
			struct reading *reading)
{
	const struct lab *lab = &experiment->lab;
	struct device_figures figures;

	if (lab->device_count < 2 || !experiment->outcome->source)
		return;
	if (device_figures_take(experiment->root, experiment->outcome->source,
				lab->devices[1].number, &figures,
				&experiment->outcome->why) == 0 &&
	    sample_has(&figures.sample, FIGURE_PAGES))
		reading_set(reading, QUANTITY_WITNESS,
			    figure(&figures, FIGURE_PAGES));
}

static void add_file(const struct experiment *experiment,
		     struct reading *reading)
{
	struct resident resident;

	if (experiment->file_fd < 0 ||
	    resident_of_file(experiment->file_fd, &resident) < 0)
		return;
	reading_set(reading, QUANTITY_FILE, (int64_t)resident.pages);
	if (resident.has_dirty)
		reading_set(reading, QUANTITY_FILE_DIRTY,
			    (int64_t)resident.dirty_pages);
}

/* A loop device whose file is cached too shows in Cached as well. */
static void subtract_backing(const struct experiment *experiment,
			     struct reading *reading)
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
		reading_set(reading, QUANTITY_BACKING, pages);
	reading->pages[QUANTITY_CACHED] -= pages;
}

static void add_others(struct reading *reading)
{
	if (!reading_has(reading, QUANTITY_BUFFERS) ||
	    !reading_has(reading, QUANTITY_DEVICE))
		return;
	reading_set(reading, QUANTITY_OTHERS,
		    reading->pages[QUANTITY_BUFFERS] -
			    reading->pages[QUANTITY_DEVICE] -
			    reading->pages[QUANTITY_WITNESS]);
}

static int take_once(const struct experiment *experiment,
		     struct reading *reading, struct error *err)
{
	struct meminfo before, after;
	int ret = meminfo_read(&before, experiment->root, err);

	*reading = (struct reading){ 0 };
	if (!ret)
		ret = add_device(experiment, reading, err);
	if (ret < 0)
		return ret;
	add_witness(experiment, reading);
	add_file(experiment, reading);
	ret = meminfo_read(&after, experiment->root, err);
	if (ret < 0)
		return ret;
	add_meminfo(reading, &after);
	subtract_backing(experiment, reading);
	add_others(reading);
	reading->at_ns = monotonic_ns();
	reading->settled = before.kib[MEMINFO_BUFFERS] ==
			   after.kib[MEMINFO_BUFFERS];
	return 0;
}

int take_reading(const struct experiment *experiment, struct reading *reading,
		 struct error *err)
{
	int tries = ATTEMPTS, ret;

	do
		ret = take_once(experiment, reading, err);
	while (!ret && !reading->settled && --tries);
	return ret;
}
