// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "devices/devices.h"
#include "lib/cleanup.h"
#include "lib/lesser.h"
#include "lib/number.h"
#include "lib/sysroot.h"
#include "measure/source.h"
#include "measure/vmcore.h"
#include "measure/zoneinfo.h"

#define ATTEMPTS 3
#define MAX_VMSTAT (1U << 20)

void devices_deinit(struct devices *devices)
{
	for (size_t i = 0; i < devices->count; i++) {
		free(devices->devices[i].sample.kname);
		free(devices->devices[i].sample.refused);
		device_names_deinit(&devices->devices[i].names);
	}
	free(devices->devices);
	device_names_deinit(&devices->rest.names);
	free(devices->failed_source);
	free(devices->kernel);
	*devices = (struct devices){ 0 };
}

/* Returns false if the sum in bytes exceeds 63 bits. */
static bool add_up(const struct devices *devices, uint64_t *pages)
{
	uint64_t bytes;

	*pages = 0;
	for (size_t i = 0; i < devices->count; i++) {
		const struct sample *sample = &devices->devices[i].sample;

		if (sample_has(sample, FIGURE_PAGES) &&
		    __builtin_add_overflow(
			    *pages, sample->figures[FIGURE_PAGES], pages))
			return false;
	}
	return !__builtin_mul_overflow(*pages, devices->page_size, &bytes) &&
	       bytes <= INT64_MAX;
}

/* What the devices have, what Buffers has, and what is left of it. */
static void add_up_all(struct devices *devices)
{
	struct sample *rest = &devices->rest.sample;

	devices->has_attributed = !devices->collected &&
				  add_up(devices, &devices->attributed_pages);
	devices->has_buffers = devices->doubt != BUFFERS_FOREIGN &&
			       meminfo_pages(&devices->meminfo, MEMINFO_BUFFERS,
					     devices->page_size,
					     &devices->buffers_pages);
	*rest = (struct sample){ 0 };
	if (devices->has_attributed && devices->has_buffers)
		sample_set(rest, FIGURE_PAGES,
			   devices->buffers_pages - devices->attributed_pages);
}

/* What a record says of itself. */
static void complete(struct devices *devices, struct device *device)
{
	const struct sample *sample = &device->sample;
	unsigned int error = (unsigned int)sample->figures[FIGURE_WRITE_ERROR];

	device->source = devices->source;
	device->page_size = devices->page_size;
	device->buffers_pages =
		devices_have_rest(devices) ? devices->buffers_pages : 0;
	device->is_rest = device == &devices->rest;
	if (device->is_rest)
		return;
	device->place = (size_t)(device - devices->devices);
	/* What does not change is not written again. */
	if (*device->number)
		return;
	snprintf(device->number, sizeof(device->number), "%u:%u", sample->major,
		 sample->minor);
	if (!sample_has(sample, FIGURE_WRITE_ERROR))
		return;
	if (error)
		errno_name(error, device->write_error);
	else
		strcpy(device->write_error, "none");
}

/* Counts what was measured, and says what is missing. */
static void count(struct devices *devices)
{
	devices->with_pages = devices->refused = 0;
	for (size_t i = 0; i < devices->count; i++) {
		const struct sample *sample = &devices->devices[i].sample;

		devices->refused += sample->refused != NULL;
		devices->with_pages += sample_has_pages(sample);
	}
	devices->has_all = !devices->refused && !devices->failed_source &&
			   !devices->unsettled;
	devices->is_whole = devices->has_all &&
			    devices->doubt != BUFFERS_EXCEEDED &&
			    devices_have_rest(devices);
	devices->shown_doubt = devices->doubt;
	if (!devices->doubt && devices_rest_bytes(devices) < 0)
		devices->shown_doubt = BUFFERS_EXCEEDED;
}

int devices_check(struct devices *devices)
{
	char **name = &devices->rest.names.name;

	add_up_all(devices);
	complete(devices, &devices->rest);
	for (size_t i = 0; i < devices->count; i++)
		complete(devices, &devices->devices[i]);
	count(devices);
	if (!*name)
		*name = strdup(devices->unsettled ? "unsettled" :
						    "unattributed");
	return *name ? 0 : -ENOMEM;
}

int devices_take(struct devices *devices, struct snapshot *snapshot)
{
	devices->devices =
		calloc(snapshot->count + 1, sizeof(*devices->devices));
	if (!devices->devices)
		return -ENOMEM;
	devices->source = snapshot->source;
	devices->kernel = steal_ptr(snapshot->kernel);
	devices->page_size = snapshot->page_size;
	devices->lists_all_pages = snapshot->lists_all_pages;
	devices->unsettled = snapshot->unsettled;
	devices->failed_source = steal_ptr(snapshot->failed_source);
	devices->count = devices->capacity = snapshot->count;
	for (size_t i = 0; i < snapshot->count; i++)
		devices->devices[i].sample = snapshot->devices[i];
	snapshot->count = 0;
	return devices_check(devices);
}

const char *buffers_doubt_text(enum buffers_doubt doubt)
{
	static const char *const texts[BUFFERS_DOUBTS] = {
		[BUFFERS_SOUND] = "",
		[BUFFERS_FOREIGN] = "Buffers is not this kernel's: "
				    "/proc/meminfo is a container's own",
		[BUFFERS_MOVED] = "Buffers changed while it was measured",
		[BUFFERS_EXCEEDED] = "the devices have more than Buffers says; "
				     "why, is not known",
	};

	return texts[doubt];
}

static bool is_about(uint64_t pages, uint64_t other)
{
	return less(pages, other) + less(other, pages) <= other / 128;
}

/*
 * Whether /proc/meminfo has the kernel's own caches: they add up to the
 * kernel's count of file pages.
 */
static bool has_own_caches(const struct devices *devices,
			   const struct sysroot *root)
{
	const uint64_t *kib = devices->meminfo.kib;
	_cleanup_(freep) char *text = NULL;
	uint64_t pages;

	return sysroot_read(root, "/proc/vmstat", MAX_VMSTAT, &text, NULL) ==
		       0 &&
	       number_of_line(text, "nr_file_pages ",
			      INT64_MAX / devices->page_size, &pages) &&
	       is_about((kib[MEMINFO_CACHED] + kib[MEMINFO_BUFFERS] +
			 kib[MEMINFO_SWAP_CACHED]) *
				1024 / devices->page_size,
			pages);
}

/* Whether the zones manage about as much as MemTotal, as far as it is known. */
static bool is_own_memory(const struct devices *devices,
			  const struct sysroot *root)
{
	struct zoneinfo zones;
	uint64_t total;
	bool is_own = true;

	if (zoneinfo_read(&zones, root, NULL) == 0 &&
	    meminfo_pages(&devices->meminfo, MEMINFO_MEM_TOTAL,
			  devices->page_size, &total))
		is_own = is_about(zoneinfo_managed_pages(&zones,
							 ZONEINFO_ALL_NODES),
				  total);
	zoneinfo_deinit(&zones);
	return is_own;
}

enum buffers_doubt devices_find_doubt(const struct devices *devices,
				      const struct sysroot *root)
{
	const uint64_t *kib = devices->meminfo.kib;
	const int64_t rest = devices_rest_bytes(devices);
	struct meminfo again;

	if (rest >= 0)
		return BUFFERS_SOUND;
	if (!is_own_memory(devices, root) && !has_own_caches(devices, root))
		return BUFFERS_FOREIGN;
	if (sysroot_is_live(root) && meminfo_read(&again, root, NULL) == 0 &&
	    again.kib[MEMINFO_BUFFERS] != kib[MEMINFO_BUFFERS])
		return BUFFERS_MOVED;
	/* What is less is said beside the rest. */
	return rest / (int64_t)devices->page_size <
			       -settled_allowance(devices->buffers_pages) ?
		       BUFFERS_EXCEEDED :
		       BUFFERS_SOUND;
}

/*
 * Whether both readings show the same Buffers, or measuring again cannot help.
 */
static bool is_settled(const struct devices *devices)
{
	return !devices->has_all || !devices->has_attributed ||
	       !meminfo_has(&devices->meminfo, MEMINFO_BUFFERS) ||
	       devices->attributed_pages * (devices->page_size / 1024) ==
		       devices->meminfo.kib[MEMINFO_BUFFERS];
}

/* @ret is what the source returned. */
static int take(struct devices *devices, struct snapshot *snapshot, int ret,
		struct error *err)
{
	if (!ret) {
		ret = devices_take(devices, snapshot);
		if (ret < 0)
			error_errno(err, -ret, "measuring", NULL);
	}
	snapshot_deinit(snapshot);
	devices->collected = ret;
	return ret;
}

/* What is in a capture is as good as an answer of the host. */
int devices_collect(struct devices *devices, const struct sysroot *root,
		    const char *source, const dev_t *device, struct error *err)
{
	struct snapshot snapshot = { 0 };
	int ret = devices_read_tree(devices, root, source, err);

	if (ret != -ENODATA)
		return ret < 0 ? error_within(err, ret, "measuring", NULL) : 0;
	ret = device ? source_collect_device(root, source, *device, &snapshot,
					     err) :
		       source_collect(root, source, &snapshot, err);
	return take(devices, &snapshot, ret, err);
}

int devices_try(struct devices *devices, const struct sysroot *root,
		size_t source, struct error *err)
{
	struct snapshot snapshot = { 0 };
	int ret = devices_read_tree(devices, root, source_name(source), err);

	return ret != -ENODATA ?
		       ret :
		       take(devices, &snapshot,
			    source_try(root, source, &snapshot, err), err);
}

int devices_init(struct devices *devices, const struct sysroot *root,
		 const char *source, struct error *err)
{
	int attempts = sysroot_is_live(root) ? ATTEMPTS : 1;
	struct error why = { 0 };
	int ret;

	*devices = (struct devices){ 0 };
	do {
		devices_deinit(devices);
		ret = meminfo_read(&devices->meminfo, root, err);
		if (ret < 0)
			return ret;
		devices->collected =
			devices_collect(devices, root, source, NULL, &why);
		devices->why = why;
	} while (devices->collected == 0 && !is_settled(devices) && --attempts);
	if (devices->collected < 0)
		return 0;
	devices->doubt = devices_find_doubt(devices, root);
	return devices_check(devices);
}

int devices_init_kernel(struct devices *devices, const struct kernel *kernel)
{
	struct snapshot snapshot = { 0 };

	*devices = (struct devices){ 0 };
	return take(devices, &snapshot,
		    vmcore_read(kernel, &snapshot, &devices->meminfo,
				&devices->why),
		    &devices->why);
}

bool device_share(const struct device *device, double *percent)
{
	int64_t pages = (int64_t)device->sample.figures[FIGURE_PAGES];

	if (!device->buffers_pages ||
	    !sample_has(&device->sample, FIGURE_PAGES))
		return false;
	*percent = 100 * (double)pages / (double)device->buffers_pages;
	return true;
}

bool devices_have_figures(const struct devices *devices)
{
	size_t i = 0;

	while (i < devices->count &&
	       !sample_has(&devices->devices[i].sample, FIGURE_PAGES))
		i++;
	return !devices->refused || i < devices->count;
}

const struct device *devices_only_refused(const struct devices *devices)
{
	size_t i = 0;

	if (devices->refused != 1 || devices->unsettled ||
	    !devices_have_rest(devices) || devices_rest_bytes(devices) < 0)
		return NULL;
	while (!devices->devices[i].sample.refused)
		i++;
	return &devices->devices[i];
}
