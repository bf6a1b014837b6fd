// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "devices/device_rows.h"
#include "lib/number.h"
#include "names/openers.h"
#include "table/column.h"

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

int device_rows_init(struct device_rows *rows, const struct devices *devices,
		     bool all)
{
	/* Those of the others and of the rest, too. */
	struct device *list = calloc(devices->count + 2, sizeof(*list));
	size_t count = 0;

	*rows = (struct device_rows){ .rows = list };
	if (!list)
		return -ENOMEM;
	for (size_t i = 0; i < devices->count; i++) {
		if (all || device_is_listed(&devices->devices[i]))
			list[count++] = devices->devices[i];
	}
	qsort(list, count, sizeof(*list), device_by_pages);
	list[count] = devices->rest;
	rows->count = count;
	return 0;
}

void device_rows_deinit(struct device_rows *rows)
{
	free(rows->rows);
	free(rows->parents);
	*rows = (struct device_rows){ 0 };
}

void device_rows_select(struct device_rows *rows,
			bool (*is_wanted)(void *data,
					  const struct device *device),
			void *data)
{
	size_t kept = 0;

	for (size_t i = 0; i < rows->count; i++) {
		if (is_wanted(data, &rows->rows[i]))
			rows->rows[kept++] = rows->rows[i];
	}
	rows->rows[kept] = rows->rows[rows->count];
	rows->count = kept;
	rows->is_selected = true;
}

/*
 * Puts a row, "N @what", for the others in place of the devices from @first on.
 */
static void add_up(struct device_rows *rows, size_t first, const char *what)
{
	struct device *row = &rows->rows[first];
	const struct device rest = rows->rows[rows->count];
	struct device sum = {
		.names.name = rows->others_name,
		.source = rest.source,
		.page_size = rest.page_size,
		.buffers_pages = rest.buffers_pages,
	};

	rows->others = rows->count - first;
	snprintf(rows->others_name, sizeof(rows->others_name), "%zu %s",
		 rows->others, what);
	sample_sum_begin(&sum.sample);
	for (size_t i = first; i < rows->count; i++)
		sample_add(&sum.sample, &rows->rows[i].sample);
	rows->count = first;
	row[0] = sum;
	row[1] = rest;
}

static bool is_unchanged(const void *row)
{
	return sample_is_unchanged(row);
}

void device_rows_arrange(struct device_rows *rows,
			 const struct column_order *order, size_t top,
			 bool only_changed)
{
	const char *others;
	size_t shown = column_sort_shown(rows->rows, rows->count,
					 sizeof(*rows->rows), order, top,
					 only_changed ? is_unchanged : NULL,
					 &others);

	if (shown < rows->count)
		add_up(rows, shown, others);
}

struct table_rows device_rows_of_table(const struct device_rows *rows,
				       bool with_rest)
{
	struct table_rows table = TABLE_ROWS(
		rows->rows, rows->count + (rows->others > 0) + with_rest);

	table.parents = rows->parents;
	return table;
}

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
