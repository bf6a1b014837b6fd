// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <stdlib.h>

#include "history.h"
#include "report.h"

static int by_pages(const void *left, const void *right)
{
	const struct device_sample *a =
		*(const struct device_sample *const *)left;
	const struct device_sample *b =
		*(const struct device_sample *const *)right;
	bool a_known = sample_has(a, FIGURE_PAGES);
	bool b_known = sample_has(b, FIGURE_PAGES);

	if (a_known != b_known)
		return a_known ? -1 : 1;
	if (a_known && a->figures[FIGURE_PAGES] != b->figures[FIGURE_PAGES])
		return a->figures[FIGURE_PAGES] > b->figures[FIGURE_PAGES] ?
			       -1 :
			       1;
	if (a->major != b->major)
		return a->major < b->major ? -1 : 1;
	return (a->minor > b->minor) - (a->minor < b->minor);
}

static void add_row(struct report *report, const struct device_sample *sample)
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
	};
	report->rows = calloc(snapshot->count + 1, sizeof(*report->rows));
	if (!report->rows)
		return -ENOMEM;
	for (size_t i = 0; i < snapshot->count; i++)
		add_row(report, &snapshot->devices[i]);
	qsort(report->rows, report->count, sizeof(*report->rows), by_pages);

	report->has_attributed =
		snapshot_sum(snapshot, &report->attributed_pages);
	report->has_buffers = meminfo_pages(meminfo, MEMINFO_BUFFERS,
					    snapshot->page_size,
					    &report->buffers_pages);
	if (report->has_attributed && report->has_buffers)
		report->unattributed_pages = (int64_t)report->buffers_pages -
					     (int64_t)report->attributed_pages;
	return 0;
}

void report_deinit(struct report *report)
{
	free(report->rows);
	*report = (struct report){ 0 };
}

bool report_share(const struct report *report,
		  const struct device_sample *sample, double *percent)
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
