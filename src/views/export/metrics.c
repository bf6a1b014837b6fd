// SPDX-License-Identifier: GPL-2.0-or-later

#include <bufstat/version.h>

#include "export/export_devices.h"
#include "export/metrics.h"
#include "filesystems/measured_filesystems.h"

struct metric {
	struct metric_family family;
	/* Writes the samples, none for an unknown value. */
	void (*write)(struct exposition *out, const struct metrics_input *input,
		      const struct metric *metric);
	enum figure figure; /* of a device or filesystem */
	/* In place of write(): its only value. Returns whether it is known. */
	bool (*get)(const struct metrics_input *input, int64_t *value);
};

static bool is_measured(const struct metrics_input *input)
{
	return input->all->collected == 0;
}

static bool get_up(const struct metrics_input *input, int64_t *value)
{
	*value = is_measured(input) && devices_have_figures(input->all);
	return true;
}

static void write_build(struct exposition *out,
			const struct metrics_input *input
			__attribute__((unused)),
			const struct metric *metric __attribute__((unused)))
{
	exposition_sample(out);
	exposition_label(out, "version", BUFSTAT_VERSION);
	exposition_label(out, "schema", METRICS_SCHEMA);
	exposition_value(out, 1);
}

static void write_source(struct exposition *out,
			 const struct metrics_input *input,
			 const struct metric *metric __attribute__((unused)))
{
	if (!is_measured(input))
		return;
	exposition_sample(out);
	exposition_label(out, "source", input->all->source);
	exposition_value(out, 1);
}

static bool get_buffers(const struct metrics_input *input, int64_t *value)
{
	*value = (int64_t)(input->all->buffers_pages * input->all->page_size);
	return input->all->has_buffers;
}

static bool get_unattributed(const struct metrics_input *input, int64_t *value)
{
	*value = devices_rest_bytes(input->all);
	return devices_have_rest(input->all) && !input->all->unsettled;
}

static bool get_errors(const struct metrics_input *input, int64_t *value)
{
	*value = (int64_t)input->all->refused;
	return is_measured(input);
}

/* Writes the labels that identify a device. */
static void label_device(struct exposition *out, const struct device *device)
{
	char number[16];

	exposition_label(out, "device", device->names.kname ?: device->number);
	snprintf(number, sizeof(number), "%u", device->sample.major);
	exposition_label(out, "major", number);
	snprintf(number, sizeof(number), "%u", device->sample.minor);
	exposition_label(out, "minor", number);
}

static void write_figure(struct exposition *out,
			 const struct metrics_input *input,
			 const struct metric *metric)
{
	const struct export_devices *devices = &input->devices;
	const enum figure figure = metric->figure;

	for (size_t i = 0; i < devices->count; i++) {
		const struct device *device = device_row(&devices->rows, i);

		if (!sample_has(&device->sample, figure))
			continue;
		exposition_sample(out);
		label_device(out, device);
		exposition_value(out, device_bytes(device, figure));
	}
	if (devices->in_other && sample_has(&devices->other, figure)) {
		exposition_sample(out);
		exposition_label(out, "device", "other");
		exposition_value(out, (int64_t)(devices->other.figures[figure] *
						input->all->page_size));
	}
}

static void write_names(struct exposition *out,
			const struct metrics_input *input,
			const struct metric *metric __attribute__((unused)))
{
	const struct export_devices *devices = &input->devices;

	for (size_t i = 0; i < devices->count; i++) {
		const struct device *device = device_row(&devices->rows, i);
		const struct device_names *names = &device->names;

		exposition_sample(out);
		label_device(out, device);
		exposition_label(out, "name", names->name);
		exposition_label(out, "fstype", names->fstype);
		/* Only one: containers may mount a device a thousand times. */
		exposition_label(out, "mountpoint",
				 names->mountpoints.count ?
					 names->mountpoints.strings[0] :
					 NULL);
		exposition_value(out, 1);
	}
}

static bool get_cached(const struct metrics_input *input, int64_t *value)
{
	return input->filesystems && meminfo_bytes(&input->filesystems->meminfo,
						   MEMINFO_CACHED, value);
}

static bool get_cached_rest(const struct metrics_input *input, int64_t *value)
{
	const struct filesystems *all = input->filesystems;

	if (!all || all->unsettled || !filesystems_rest(all, value))
		return false;
	*value *= (int64_t)all->page_size;
	return true;
}

static bool get_filesystem_errors(const struct metrics_input *input,
				  int64_t *value)
{
	const struct filesystems *all = input->filesystems;

	if (all)
		*value = (int64_t)(all->silent + all->refused);
	return all;
}

static bool get_filled_lost(const struct metrics_input *input, int64_t *value)
{
	if (input->filled)
		*value = input->filled->lost_events;
	return input->filled && input->filled->is_known;
}

static void write_filesystem(struct exposition *out,
			     const struct metrics_input *input,
			     const struct metric *metric)
{
	if (input->filesystems)
		export_filesystem_figure(out, input->filesystems,
					 metric->figure, input->limit);
}

static void write_filesystem_names(struct exposition *out,
				   const struct metrics_input *input,
				   const struct metric *metric
				   __attribute__((unused)))
{
	if (input->filesystems)
		export_filesystem_names(out, input->filesystems, input->limit);
}

static void write_filled(struct exposition *out,
			 const struct metrics_input *input,
			 const struct metric *metric __attribute__((unused)))
{
	if (input->filled)
		export_filled_bytes(out, input->filled);
}

static const struct metric metrics[] = {
	{ { .name = "bufstat_build",
	    .type = METRIC_INFO,
	    .help = "The version of bufstat, and that of these metrics." },
	  .write = write_build },
	{ { .name = "bufstat_up",
	    .help = "Whether a source could measure the block devices." },
	  .get = get_up },
	{ { .name = "bufstat_source",
	    .type = METRIC_INFO,
	    .help = "What measured them." },
	  .write = write_source },
	{ { .name = "bufstat_buffers_bytes",
	    .unit = "bytes",
	    .help = "Buffers in /proc/meminfo directly before the devices were "
		    "measured." },
	  .get = get_buffers },
	{ { .name = "bufstat_unattributed_bytes",
	    .unit = "bytes",
	    .help = "The part of Buffers that belongs to no measured device; "
		    "negative if the devices have more." },
	  .get = get_unattributed },
	{ { .name = "bufstat_device_read_errors",
	    .help = "Devices that could not be measured this time." },
	  .get = get_errors },
	{ { .name = "bufstat_device_buffers_bytes",
	    .unit = "bytes",
	    .help = "Page cache of the block device itself: its part of "
		    "Buffers." },
	  .write = write_figure,
	  .figure = FIGURE_PAGES },
	{ { .name = "bufstat_device_dirty_bytes",
	    .unit = "bytes",
	    .help = "The dirty part of it, not yet written." },
	  .write = write_figure,
	  .figure = FIGURE_DIRTY },
	{ { .name = "bufstat_device_writeback_bytes",
	    .unit = "bytes",
	    .help = "The part of it under writeback." },
	  .write = write_figure,
	  .figure = FIGURE_WRITEBACK },
	{ { .name = "bufstat_device",
	    .type = METRIC_INFO,
	    .help = "The names and the use of a block device." },
	  .write = write_names },
	{ { .name = "bufstat_cached_bytes",
	    .unit = "bytes",
	    .help = "Cached in /proc/meminfo directly after the filesystems "
		    "were measured." },
	  .get = get_cached },
	{ { .name = "bufstat_cached_unattributed_bytes",
	    .unit = "bytes",
	    .help = "The part of Cached that belongs to no measured "
		    "filesystem; negative if the filesystems have more." },
	  .get = get_cached_rest },
	{ { .name = "bufstat_filesystem_read_errors",
	    .help = "Filesystems that could not be measured this time." },
	  .get = get_filesystem_errors },
	{ { .name = "bufstat_filesystem_cached_bytes",
	    .unit = "bytes",
	    .help = "Page cache of a filesystem's files: its part of Cached." },
	  .write = write_filesystem,
	  .figure = FIGURE_PAGES },
	{ { .name = "bufstat_filesystem_dirty_bytes",
	    .unit = "bytes",
	    .help = "The dirty part of it, not yet written." },
	  .write = write_filesystem,
	  .figure = FIGURE_DIRTY },
	{ { .name = "bufstat_filesystem",
	    .type = METRIC_INFO,
	    .help = "The type and the mount point of a filesystem." },
	  .write = write_filesystem_names },
	{ { .name = "bufstat_filled_bytes",
	    .unit = "bytes",
	    .type = METRIC_COUNTER,
	    .help = "What a command brought into the page cache of a device, or "
		    "of the files on it, since bufstat record began." },
	  .write = write_filled },
	{ { .name = "bufstat_filled_lost_events",
	    .type = METRIC_COUNTER,
	    .help = "Events that were not counted for it: it is a lower "
		    "bound." },
	  .get = get_filled_lost },
};

int metrics_init(struct metrics_input *input, const struct devices *devices,
		 const struct filesystems *filesystems,
		 const struct sysroot *root, size_t limit)
{
	*input = (struct metrics_input){
		.all = devices,
		.filesystems = filesystems,
		.limit = limit,
	};
	return is_measured(input) ? export_devices_init(&input->devices,
							devices, root, limit) :
				    0;
}

void metrics_deinit(struct metrics_input *input)
{
	export_devices_deinit(&input->devices);
}

void metrics_print(FILE *out, enum exposition_format format, bool is_terminal,
		   const struct metrics_input *input)
{
	struct exposition exposition;

	exposition_init(&exposition, out, format, is_terminal);
	for (size_t i = 0; i < sizeof(metrics) / sizeof(*metrics); i++) {
		int64_t value = 0;

		exposition_family(&exposition, &metrics[i].family);
		if (metrics[i].write) {
			metrics[i].write(&exposition, input, &metrics[i]);
		} else if (metrics[i].get(input, &value)) {
			exposition_sample(&exposition);
			exposition_value(&exposition, value);
		}
	}
	exposition_finish(&exposition);
}
