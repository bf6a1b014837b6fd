// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "devices/device_rows.h"
#include "lib/number.h"
#include "measure/history.h"
#include "names/openers.h"
#include "table/column.h"

bool device_rows_lists(const struct sample *sample,
		       const struct history *history)
{
	if (sample->refused)
		return true;
	if (sample_has(sample, FIGURE_PAGES) &&
	    sample->figures[FIGURE_PAGES] > 0)
		return true;
	return history && (baseline_had_pages(&history->last, sample) ||
			   baseline_had_pages(&history->first, sample));
}

static void fill_write_error(struct device_row *row)
{
	uint64_t error = row->sample->figures[FIGURE_WRITE_ERROR];

	if (!sample_has(row->sample, FIGURE_WRITE_ERROR))
		return;
	if (error)
		errno_name((unsigned int)error, row->write_error);
	else
		strcpy(row->write_error, "none");
}

static int fill_row(struct device_row *row, struct names *names)
{
	fill_write_error(row);
	if (asprintf(&row->number, "%u:%u", row->sample->major,
		     row->sample->minor) < 0) {
		row->number = NULL;
		return -ENOMEM;
	}
	return names_lookup(names, row->sample, &row->names);
}

static int add_devices(struct device_rows *rows, const struct report *report,
		       const struct history *history,
		       const struct sysroot *root,
		       enum device_rows_choice choice)
{
	struct names *names = names_create(root);
	int ret = names ? 0 : -ENOMEM;

	for (size_t i = 0; !ret && i < report->count; i++) {
		struct device_row *row = &rows->rows[rows->count];

		if (choice != ROWS_ALL &&
		    !device_rows_lists(report->rows[i], history))
			continue;
		row->report = report;
		row->history = history;
		row->sample = report->rows[i];
		rows->count++;
		ret = fill_row(row, names);
	}
	names_destroy(names);
	return ret;
}

static int add_rest(struct device_rows *rows, const struct report *report,
		    const struct history *history)
{
	struct device_row *row = &rows->rows[rows->count];

	row->report = report;
	row->history = history;
	row->names.name =
		strdup(report->unsettled ? "unsettled" : "unattributed");
	return row->names.name ? 0 : -ENOMEM;
}

int device_rows_init(struct device_rows *rows, const struct report *report,
		     const struct history *history, const struct sysroot *root,
		     enum device_rows_choice choice)
{
	int ret;

	*rows = (struct device_rows){
		.rows = calloc(report->count + 1, sizeof(*rows->rows)),
	};
	if (!rows->rows)
		return -ENOMEM;
	ret = add_devices(rows, report, history, root, choice);
	return ret < 0 ? ret : add_rest(rows, report, history);
}

void device_row_deinit(struct device_row *row)
{
	device_names_deinit(&row->names);
	free(row->number);
	*row = (struct device_row){ 0 };
}

/* The rows of the devices, of the others if there are any, and of the rest. */
static size_t count_all(const struct device_rows *rows)
{
	return rows->count + (rows->others > 0) + 1;
}

void device_rows_deinit(struct device_rows *rows)
{
	for (size_t i = 0; rows->rows && i < count_all(rows); i++)
		device_row_deinit(&rows->rows[i]);
	free(rows->rows);
	free(rows->parents);
	*rows = (struct device_rows){ 0 };
}

void device_rows_select(struct device_rows *rows,
			bool (*is_wanted)(void *data,
					  const struct device_row *row),
			void *data)
{
	size_t kept = 0;

	for (size_t i = 0; i < rows->count; i++) {
		if (!is_wanted(data, &rows->rows[i]))
			device_row_deinit(&rows->rows[i]);
		else
			rows->rows[kept++] = rows->rows[i];
	}
	rows->rows[kept] = rows->rows[rows->count];
	rows->count = kept;
	rows->is_selected = true;
}

/*
 * The sum of the rows from @first on: pages, dirty and writeback. Devices that
 * could not be measured are not in it. A figure that another one lacks is
 * absent.
 */
static struct sample device_rows_sum(const struct device_rows *rows,
				     size_t first)
{
	static const enum figure summed[] = { FIGURE_PAGES, FIGURE_DIRTY,
					      FIGURE_WRITEBACK };
	struct sample sum = { 0 };

	for (size_t f = 0; f < sizeof(summed) / sizeof(*summed); f++) {
		enum figure figure = summed[f];
		bool known = true;

		sample_set(&sum, figure, 0);
		for (size_t i = first; i < rows->count && known; i++) {
			const struct sample *sample = rows->rows[i].sample;

			if (sample->refused)
				continue;
			known = sample_has(sample, figure) &&
				!__builtin_add_overflow(sum.figures[figure],
							sample->figures[figure],
							&sum.figures[figure]);
		}
		if (!known)
			sum.present &= ~(1U << figure);
	}
	return sum;
}

bool device_row_is_unchanged(const struct device_row *row)
{
	int64_t pages;

	return row->sample && row->history && row->history->last.taken &&
	       baseline_change(&row->history->last, row->sample,
			       row->report->page_size, &pages) &&
	       !pages;
}

/*
 * Puts a row, "N @what", for the others in place of the devices from @first on.
 */
static int add_up(struct device_rows *rows, size_t first, const char *what)
{
	struct device_row *row = &rows->rows[first];
	struct device_row rest = rows->rows[rows->count];
	char *name;

	rows->sum = device_rows_sum(rows, first);
	if (asprintf(&name, "%zu %s", rows->count - first, what) < 0)
		return -ENOMEM;
	for (size_t i = first; i < rows->count; i++)
		device_row_deinit(&rows->rows[i]);
	rows->others = rows->count - first;
	rows->count = first;
	row->report = rest.report;
	row->sample = &rows->sum;
	row->names.name = name;
	row[1] = rest;
	return 0;
}

static bool is_unchanged(const void *row)
{
	return device_row_is_unchanged(row);
}

int device_rows_arrange(struct device_rows *rows,
			const struct column_order *order, size_t top,
			bool only_changed)
{
	const char *what = "unchanged";
	size_t shown = rows->count;
	size_t most = shown;

	if (only_changed)
		most = column_sort_last(rows->rows, shown, sizeof(*rows->rows),
					is_unchanged);
	shown = column_sort_top(rows->rows, most, sizeof(*rows->rows), order,
				top);
	if (shown < most)
		what = rows->count - shown == 1 ? "other" : "others";
	return shown < rows->count ? add_up(rows, shown, what) : 0;
}

struct table_rows device_rows_of_table(const struct device_rows *rows,
				       bool with_rest)
{
	return (struct table_rows){
		.rows = rows->rows,
		.count = count_all(rows) - !with_rest,
		.size = sizeof(*rows->rows),
		.parents = rows->parents,
	};
}

static int by_pages(const void *left, const void *right)
{
	const struct sample *a = *(const struct sample *const *)left;
	const struct sample *b = *(const struct sample *const *)right;
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

static void add_row(struct report *report, const struct sample *sample)
{
	report->rows[report->count++] = sample;
	report->refused += sample->refused != NULL;
	report->with_pages += sample_has(sample, FIGURE_PAGES) &&
			      sample->figures[FIGURE_PAGES] > 0;
}

int report_init(struct report *report, const struct snapshot *snapshot,
		const struct meminfo *meminfo)
{
	*report = (struct report){
		.source = snapshot->source,
		.page_size = snapshot->page_size,
		.unsettled = snapshot->unsettled,
		.doubt = meminfo->doubt,
	};
	report->rows = calloc(snapshot->count + 1, sizeof(*report->rows));
	if (!report->rows)
		return -ENOMEM;
	for (size_t i = 0; i < snapshot->count; i++)
		add_row(report, &snapshot->devices[i]);
	qsort(report->rows, report->count, sizeof(*report->rows), by_pages);

	report->has_attributed =
		snapshot_sum(snapshot, &report->attributed_pages);
	report->has_buffers = meminfo->doubt != BUFFERS_FOREIGN &&
			      meminfo_pages(meminfo, MEMINFO_BUFFERS,
					    snapshot->page_size,
					    &report->buffers_pages);
	if (report->has_attributed && report->has_buffers)
		report->unattributed_pages = (int64_t)report->buffers_pages -
					     (int64_t)report->attributed_pages;
	if (report->unattributed_pages < 0 && report->doubt == BUFFERS_SOUND)
		report->doubt = BUFFERS_EXCEEDED;
	return 0;
}

void report_deinit(struct report *report)
{
	free(report->rows);
	*report = (struct report){ 0 };
}

const struct sample *report_only_refused(const struct report *report)
{
	if (report->refused != 1 || report->unsettled || !report->has_buffers ||
	    !report->has_attributed || report->unattributed_pages < 0)
		return NULL;
	for (size_t i = 0; i < report->count; i++) {
		if (report->rows[i]->refused)
			return report->rows[i];
	}
	return NULL;
}

enum device_reason device_row_reason(const struct device_row *row,
				     const struct openers *openers)
{
	const struct sample *sample = row->sample;
	size_t count;

	if (sample == report_only_refused(row->report))
		return DEVICE_ALONE;
	openers_find(openers, sample->major, sample->minor, &count);
	if (!sample_has(sample, FIGURE_PAGES) ||
	    sample->figures[FIGURE_PAGES] || row->names.mountpoints.count ||
	    row->names.holders.count || count ||
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

bool report_share(const struct report *report, const struct sample *sample,
		  double *percent)
{
	double pages;

	if (!report->has_attributed || !report->has_buffers ||
	    !report->buffers_pages)
		return false;
	if (sample && !sample_has(sample, FIGURE_PAGES))
		return false;
	pages = sample ? (double)sample->figures[FIGURE_PAGES] :
			 (double)report->unattributed_pages;
	*percent = 100 * pages / (double)report->buffers_pages;
	return true;
}

bool report_rest_change(const struct report *report,
			const struct baseline *baseline, int64_t *pages)
{
	return report->has_attributed && report->has_buffers &&
	       baseline_rest_change(baseline, report->unattributed_pages,
				    report->page_size, pages);
}
