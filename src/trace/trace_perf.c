// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Counts by the records of the tracepoints, which the kernel writes into a
 * buffer for each processor. They cost more than BPF, and are lost when a
 * buffer is full. They do not tell how pages come in, and before Linux 5.11
 * (5.10 was seen) not of which device.
 */
#include <errno.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "kernel/lockdown.h"
#include "lib/array.h"
#include "lib/cleanup.h"
#include "lib/error.h"
#include "lib/sysroot.h"
#include "names/mountinfo.h"
#include "trace/engine.h"
#include "trace/left_out.h"
#include "trace/perf_record.h"
#include "trace/perf_ring.h"
#include "trace/process_names.h"
#include "trace/trace.h"

#define MINOR_BITS 20
#define RING_SIZE (512UL << 10) /* bytes */
#define RINGS_MOST (64UL << 20) /* bytes, of all processors */
#define RING_LEAST (64UL << 10)

struct processor {
	int add, remove; /* events, or -1 */
	struct perf_ring ring;
};

struct perf {
	int epoll; /* all events, or -1 */
	struct processor *processors;
	size_t processor_count;
	struct record_layout layout;
	struct left_out left_out;
	uint32_t bdevfs; /* number of the filesystem of all block devices, or 0 */
	uint32_t *mounted; /* numbers of filesystems that are others */
	size_t mounted_count;
	size_t mounted_capacity;
	/* Sorted by trace_fill_compare(). */
	struct trace_fill *fills;
	size_t count;
	size_t capacity;
	uint64_t samples; /* records of the tracepoints that were read */
	uint64_t lost; /* as records say, or there was no memory */
	uint64_t missing; /* as the events' counts say */
	bool was_full; /* a buffer, since missing was counted */
	struct process_names names;
};

static struct trace_fill *find_or_add(struct perf *perf,
				      const struct trace_fill *key)
{
	size_t first = 0, after = perf->count;

	while (first < after) {
		size_t middle = first + (after - first) / 2;
		int order = trace_fill_compare(key, &perf->fills[middle]);

		if (order == 0)
			return &perf->fills[middle];
		if (order > 0)
			first = middle + 1;
		else
			after = middle;
	}
	if (array_make_room(&perf->fills, perf->count, &perf->capacity,
			    sizeof(*perf->fills)) < 0)
		return NULL;
	memmove(perf->fills + first + 1, perf->fills + first,
		(perf->count - first) * sizeof(*perf->fills));
	perf->count++;
	perf->fills[first] = *key;
	return &perf->fills[first];
}

/*
 * Notes the filesystems without a device that are mounted now, for this process
 * and the first one. Later nothing is allocated. Returns 0 or -ENOMEM.
 */
static int note_mounted(struct perf *perf)
{
	static const struct sysroot live = { .fd = -1 };
	static const char *const tables[] = { "/proc/self/mountinfo",
					      "/proc/1/mountinfo" };
	int ret = 0;

	for (size_t i = 0; !ret && i < 2; i++) {
		struct mountinfo info;

		ret = mountinfo_init(&info, &live, tables[i]);
		for (size_t j = 0; !ret && j < info.count; j++) {
			if (info.mounts[j].major)
				continue;
			ret = array_make_room(&perf->mounted,
					      perf->mounted_count,
					      &perf->mounted_capacity,
					      sizeof(*perf->mounted));
			if (!ret)
				perf->mounted[perf->mounted_count++] =
					info.mounts[j].minor;
		}
		mountinfo_deinit(&info);
	}
	return ret;
}

static bool is_mounted(const struct perf *perf, uint32_t device)
{
	for (size_t i = 0; i < perf->mounted_count; i++) {
		if (perf->mounted[i] == device)
			return true;
	}
	return false;
}

/*
 * Records call a block device by its inode in a filesystem of their own, which
 * is mounted nowhere. Its number has no place in /sys, and that of the inode is
 * that of a device. A file of a large btrfs may have such an inode, too.
 */
static bool is_bdev(struct perf *perf, const struct record *record)
{
	static const struct sysroot live = { .fd = -1 };
	char path[64];

	if (perf->bdevfs || record->device >> MINOR_BITS ||
	    record->inode > UINT32_MAX)
		return perf->bdevfs && record->device == perf->bdevfs;
	snprintf(path, sizeof(path), "/sys/dev/block/%u:%u",
		 (unsigned int)(record->inode >> MINOR_BITS),
		 (unsigned int)(record->inode & ((1U << MINOR_BITS) - 1)));
	if (!record->inode || !sysroot_exists(&live, path) ||
	    is_mounted(perf, record->device))
		return false;
	perf->bdevfs = record->device;
	return true;
}

static void count(struct perf *perf, const struct record *record)
{
	bool of_bdev = is_bdev(perf, record);
	uint32_t number = of_bdev ? (uint32_t)record->inode : record->device;
	const struct trace_fill key = {
		.major = number >> MINOR_BITS,
		.minor = number & ((1U << MINOR_BITS) - 1),
		.is_bdev = of_bdev,
		.process = record->process,
	};
	struct trace_fill *fill;

	if (!of_bdev && left_out_has(&perf->left_out, key.major, key.minor))
		return;
	fill = find_or_add(perf, &key);
	if (!fill) {
		perf->lost++;
		return;
	}
	if (record->comes_in)
		fill->in[FILL_OTHER] += record->pages;
	else
		fill->out += record->pages;
}

struct lost {
	struct perf_event_header header;
	uint64_t id;
	uint64_t events;
};

static void take(void *data, const struct perf_event_header *header)
{
	struct perf *perf = data;
	struct record record;

	if (header->type == PERF_RECORD_SAMPLE) {
		perf->samples++;
		if (record_read(&perf->layout, header, &record))
			count(perf, &record);
	} else if (header->type == PERF_RECORD_LOST &&
		   header->size >= sizeof(struct lost)) {
		perf->lost += ((const struct lost *)header)->events;
	} else {
		process_names_take(&perf->names, header);
	}
}

static void perf_serve(void *data)
{
	struct perf *perf = data;

	for (size_t i = 0; i < perf->processor_count; i++) {
		if (perf->processors[i].ring.memory &&
		    perf_ring_drain(&perf->processors[i].ring, take, perf))
			perf->was_full = true;
	}
	/* Their names may have come on another processor. */
	for (size_t i = 0; i < perf->count; i++)
		process_names_find(&perf->names, perf->fills[i].process,
				   perf->fills[i].command);
}

static int perf_fd(const void *data)
{
	return ((const struct perf *)data)->epoll;
}

/* How often the tracepoint was hit on that processor. */
static uint64_t hits_of(int event)
{
	uint64_t hits;

	return event >= 0 && read(event, &hits, sizeof(hits)) == sizeof(hits) ?
		       hits :
		       0;
}

static uint64_t count_hits(const struct perf *perf)
{
	uint64_t hits = 0;

	for (size_t i = 0; i < perf->processor_count; i++)
		hits += hits_of(perf->processors[i].add) +
			hits_of(perf->processors[i].remove);
	return hits;
}

/*
 * The kernel says in a record what it lost, but only before the next record
 * that has room. If nothing happens any more, none comes. Hits before the
 * buffers are drained that have no record afterwards are lost all the same.
 * Reading the counts interrupts every processor.
 */
static void count_missing(struct perf *perf)
{
	uint64_t hits = count_hits(perf);

	perf_serve(perf);
	if (hits > perf->samples && hits - perf->samples > perf->missing)
		perf->missing = hits - perf->samples;
}

static int perf_read(void *data, struct trace_totals *totals, struct error *err)
{
	struct perf *perf = data;

	perf_serve(perf);
	if (perf->was_full) {
		perf->was_full = false;
		count_missing(perf);
	}
	totals->fills = calloc(perf->count + 1, sizeof(*totals->fills));
	if (!totals->fills)
		return error_errno(err, ENOMEM, "reading", "the records");
	memcpy(totals->fills, perf->fills, perf->count * sizeof(*perf->fills));
	totals->count = perf->count;
	totals->lost_events = perf->lost > perf->missing ? perf->lost :
							   perf->missing;
	return 0;
}

static void perf_close(void *data)
{
	struct perf *perf = data;

	for (size_t i = 0; i < perf->processor_count; i++) {
		perf_ring_deinit(&perf->processors[i].ring);
		closep(&perf->processors[i].remove);
		closep(&perf->processors[i].add);
	}
	closep(&perf->epoll);
	free(perf->processors);
	free(perf->mounted);
	free(perf->fills);
	free(perf);
}

/* Returns a descriptor or a negative errno. */
static int open_event(const struct perf *perf, uint64_t id, int cpu,
		      size_t ring_size)
{
	struct perf_event_attr attributes = {
		.type = PERF_TYPE_TRACEPOINT,
		.size = sizeof(attributes),
		.config = id,
		.sample_period = 1,
		.sample_type = PERF_SAMPLE_TID | PERF_SAMPLE_RAW,
		.disabled = 1,
		/* Names, once. */
		.comm = id == perf->layout.add,
		.task = id == perf->layout.add,
		.watermark = 1,
		.wakeup_watermark = (uint32_t)(ring_size / 4),
	};
	long fd = syscall(SYS_perf_event_open, &attributes, -1, cpu, -1,
			  PERF_FLAG_FD_CLOEXEC);

	return fd < 0 ? -errno : (int)fd;
}

/* A processor that is offline has no events. */
static int open_processor(struct perf *perf, struct processor *processor,
			  int cpu, size_t ring_size)
{
	struct epoll_event event = { .events = EPOLLIN };
	int ret;

	processor->add = open_event(perf, perf->layout.add, cpu, ring_size);
	if (processor->add == -ENODEV || processor->add == -ENXIO)
		return 0;
	if (processor->add < 0)
		return processor->add;
	processor->remove =
		open_event(perf, perf->layout.remove, cpu, ring_size);
	if (processor->remove < 0)
		return processor->remove;
	ret = perf_ring_init(&processor->ring, processor->add, ring_size);
	if (ret < 0)
		return ret;
	if (ioctl(processor->remove, PERF_EVENT_IOC_SET_OUTPUT,
		  processor->add) < 0 ||
	    epoll_ctl(perf->epoll, EPOLL_CTL_ADD, processor->add, &event) < 0)
		return -errno;
	return 0;
}

static int start(struct perf *perf)
{
	long count = sysconf(_SC_NPROCESSORS_CONF);
	size_t size = RING_SIZE;
	int ret = 0;

	if (count < 1)
		count = 1;
	while (size * (size_t)count > RINGS_MOST && size > RING_LEAST)
		size /= 2;
	perf->epoll = epoll_create1(EPOLL_CLOEXEC);
	if (perf->epoll < 0)
		return -errno;
	perf->processors = calloc((size_t)count, sizeof(*perf->processors));
	if (!perf->processors)
		return -ENOMEM;
	for (long i = 0; !ret && i < count; i++) {
		perf->processors[i] =
			(struct processor){ .add = -1, .remove = -1 };
		perf->processor_count++;
		ret = open_processor(perf, &perf->processors[i], (int)i, size);
	}
	for (size_t i = 0; !ret && i < perf->processor_count; i++) {
		const struct processor *processor = &perf->processors[i];

		if (processor->add >= 0 &&
		    (ioctl(processor->add, PERF_EVENT_IOC_ENABLE, 0) < 0 ||
		     ioctl(processor->remove, PERF_EVENT_IOC_ENABLE, 0) < 0))
			ret = -errno;
	}
	return ret;
}

static int explain(int error, const struct sysroot *root, struct error *err)
{
	const char *level = lockdown_level(root);

	if ((error == -EPERM || error == -EACCES) && geteuid() != 0)
		return error_remedy(
			err, error_set(err, ERROR_UNUSABLE, "needs root"),
			"use sudo");
	if (error == -EPERM && lockdown_hides(level))
		return error_remedy(
			err,
			error_set(err, ERROR_UNUSABLE,
				  "this kernel's lockdown (%s) refuses it",
				  level),
			"boot with lockdown=integrity");
	if (error == -EPERM || error == -EACCES)
		return error_remedy(err,
				    error_set(err, ERROR_UNUSABLE, "%s",
					      strerror(-error)),
				    "give it CAP_PERFMON");
	if (error == -ENOSYS)
		return error_remedy(err,
				    error_set(err, ERROR_UNUSABLE,
					      "this kernel has no events"),
				    "one with CONFIG_PERF_EVENTS=y");
	if (error == -EMFILE || error == -ENFILE || error == -ENOMEM)
		return error_set(err, ERROR_UNUSABLE, "%s", strerror(-error));
	return error_set(err, ERROR_UNUSABLE,
			 "this kernel refuses the events: %s",
			 strerror(-error));
}

static int perf_open(void **data, const struct sysroot *root, bool evictions,
		     struct error *err)
{
	struct perf *perf = calloc(1, sizeof(*perf));
	int ret;

	(void)evictions; /* it never counts them */
	*data = NULL;
	if (!perf)
		return error_errno(err, ENOMEM, "opening", "events");
	perf->epoll = -1;
	left_out_init(&perf->left_out);
	ret = record_layout_init(&perf->layout, root, err);
	if (!ret && note_mounted(perf) < 0)
		ret = error_errno(err, ENOMEM, "reading", "the mounts");
	if (!ret) {
		ret = start(perf);
		if (ret < 0)
			ret = explain(ret, root, err);
	}
	if (ret < 0) {
		perf_close(perf);
		return ret;
	}
	*data = perf;
	return 0;
}

const struct engine engine_perf = {
	.name = "perf",
	.open = perf_open,
	.close = perf_close,
	.read = perf_read,
	.fd = perf_fd,
	.serve = perf_serve,
};
