// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "column.h"
#include "device_rows.h"

static bool is_chosen(const struct device_sample *sample,
		      const struct history *history,
		      enum device_rows_choice choice)
{
	if (choice == ROWS_ALL || sample->refused)
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

int device_rows_init(struct device_rows *rows, const struct report *report,
		     const struct history *history, const struct sysroot *root,
		     enum device_rows_choice choice)
{
	struct names *names = names_create(root);
	int ret = 0;

	/* One more for the unattributed rest. */
	*rows = (struct device_rows){
		.rows = calloc(report->count + 1, sizeof(*rows->rows)),
	};
	if (!names || !rows->rows)
		ret = -ENOMEM;

	for (size_t i = 0; !ret && i < report->count; i++) {
		struct device_row *row = &rows->rows[rows->count];

		if (!is_chosen(report->rows[i], history, choice))
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

int device_rows_add_rest(struct device_rows *rows, const struct report *report,
			 const struct history *history)
{
	struct device_row *row = &rows->rows[rows->count];

	row->report = report;
	row->history = history;
	row->names.name =
		strdup(report->unsettled ? "unsettled" : "unattributed");
	if (!row->names.name)
		return -ENOMEM;
	rows->count++;
	return 0;
}

void device_rows_deinit(struct device_rows *rows)
{
	for (size_t i = 0; i < rows->count; i++) {
		device_names_deinit(&rows->rows[i].names);
		free(rows->rows[i].number);
	}
	free(rows->rows);
	*rows = (struct device_rows){ 0 };
}

void device_rows_sort(struct device_rows *rows, const struct column *column)
{
	column_sort(rows->rows, rows->count, sizeof(*rows->rows), column);
}

struct table_rows device_rows_of_table(const struct device_rows *rows)
{
	return (struct table_rows){
		.rows = rows->rows,
		.count = rows->count,
		.size = sizeof(*rows->rows),
	};
}
