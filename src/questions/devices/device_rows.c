// SPDX-License-Identifier: GPL-2.0-or-later
#include <stdlib.h>

#include "devices/device_rows.h"
#include "lib/number.h"
#include "names/openers.h"

int device_by_pages(const void *left, const void *right)
{
	const struct sample *a = left;
	const struct sample *b = right;
	bool a_known = sample_has(a, FIGURE_PAGES);
	bool b_known = sample_has(b, FIGURE_PAGES);

	if (a_known != b_known)
		return a_known ? -1 : 1;
	if (a_known && a->figures[FIGURE_PAGES] != b->figures[FIGURE_PAGES])
		return a->figures[FIGURE_PAGES] > b->figures[FIGURE_PAGES] ?
			       -1 :
			       1;
	return dev_number_compare(a->major, a->minor, b->major, b->minor);
}

int device_rows_init(struct rows *rows, const struct devices *devices, bool all)
{
	int ret = rows_init(rows, devices->count, sizeof(struct device), false);

	if (ret < 0)
		return ret;
	for (size_t i = 0; i < devices->count; i++) {
		if (all || device_is_listed(&devices->devices[i]))
			*(struct device *)rows_add(rows) = devices->devices[i];
	}
	qsort(rows->rows, rows->count, rows->size, device_by_pages);
	*device_row(rows, rows->count) = devices->rest;
	rows->has_rest = true;
	return 0;
}

static int device_rows_add_up(struct rows *rows, size_t first, void *made)
{
	const struct device *one = device_row(rows, first);
	struct device *sum = made;

	*sum = (struct device){
		.names.name = rows->others_name,
		.source = one->source,
		.page_size = one->page_size,
		.buffers_pages = one->buffers_pages,
	};
	sample_sum_begin(&sum->sample);
	for (size_t i = first; i < rows->count; i++)
		sample_add(&sum->sample, &device_row(rows, i)->sample);
	return 0;
}

static bool device_row_is_rest(const void *row)
{
	return ((const struct device *)row)->is_rest;
}

static bool device_row_is_unchanged(const void *row)
{
	return sample_is_unchanged(row);
}

const struct row_kind device_row_kind = {
	.is_rest = device_row_is_rest,
	.is_unchanged = device_row_is_unchanged,
	.add_up = device_rows_add_up,
};

enum device_reason device_reason(const struct devices *devices,
				 const struct device *device,
				 const struct openers *openers)
{
	const struct device *only = devices_only_refused(devices);
	const struct sample *sample = &device->sample;
	size_t count;

	if (only && only->place == device->place)
		return DEVICE_ALONE;
	openers_find(openers, sample->major, sample->minor, &count);
	if (!sample_has(sample, FIGURE_PAGES) ||
	    sample->figures[FIGURE_PAGES] || device->names.mountpoints.count ||
	    device->names.holders.count || count ||
	    sample->figures[FIGURE_OPENERS])
		return DEVICE_NO_REASON;
	return sample_has(sample, FIGURE_OPENERS) ||
			       openers_are_whole(openers) ?
		       DEVICE_CLOSED :
		       DEVICE_PERHAPS_CLOSED;
}

const char *device_reason_text(enum device_reason reason)
{
	static const char *const texts[DEVICE_REASONS] = {
		[DEVICE_NO_REASON] = "",
		[DEVICE_ALONE] = "the only device not measured",
		[DEVICE_CLOSED] = "the last close of a device drops them",
		[DEVICE_PERHAPS_CLOSED] =
			"if nobody has it open, the last close dropped them",
	};

	return texts[reason];
}
