// SPDX-License-Identifier: GPL-2.0-or-later
#include "devices/device_columns.h"
#include "lib/error.h"
#include "lib/number.h"
#include "lib/terminal.h"
#include "lib/utf8.h"
#include "sample/breakdown.h"
#include "sample/reading.h"
#include "table/table.h"

static const char columns[] = "NAME,MAJ:MIN,BUFFERS,SHARE,FSTYPE,MOUNTPOINTS";
static const char columns_with_history[] =
	"NAME,MAJ:MIN,BUFFERS,SHARE,CHANGE,SINCE,STATE,FSTYPE,MOUNTPOINTS";

static const char *pages_text(const struct report *report, int64_t pages,
			      struct size_unit unit,
			      char text[SIZE_TEXT_LENGTH])
{
	return size_text_in(pages * (int64_t)report->page_size, unit, text);
}

/* Prints what the rows have in the columns CHANGE and SINCE. */
static void print_rest_change(FILE *out, const struct report *report,
			      const struct history *history,
			      struct size_unit unit)
{
	const struct {
		const char *name;
		const struct baseline *baseline;
	} changes[] = {
		{ "CHANGE", &history->last },
		{ "SINCE", &history->first },
	};
	char text[SIZE_TEXT_LENGTH];
	int64_t pages;
	int count = 0;

	for (size_t i = 0; i < sizeof(changes) / sizeof(*changes); i++) {
		if (!report_rest_change(report, changes[i].baseline, &pages))
			continue;
		fprintf(out, "%s%s %s%s", count++ ? ", " : " (",
			changes[i].name, pages > 0 ? "+" : "",
			pages_text(report, pages, unit, text));
	}
	if (count)
		putc(')', out);
}

static void print_rest(FILE *out, const struct report *report,
		       const struct history *history, struct size_unit unit)
{
	char text[SIZE_TEXT_LENGTH];

	fprintf(out, ", unattributed %s",
		pages_text(report, report->unattributed_pages, unit, text));
	if (report->unattributed_pages < 0)
		fputs(" (Buffers shrank while it was measured)", out);
	if (history_is_there(history))
		print_rest_change(out, report, history, unit);
}

/* Prints how many devices could not be measured, and why the first one. */
static void print_refused(FILE *out, const struct report *report)
{
	const char *why = NULL;

	for (size_t i = 0; i < report->count && !why; i++)
		why = report->rows[i]->refused;
	if (!why)
		return;
	fprintf(out,
		" (%zu device%s could not be measured%s: ", report->refused,
		report->refused == 1 ? "" : "s",
		report->refused == 1 ? "" : ", the first");
	safe_text_put(out, why);
	putc(')', out);
}

static void print_closing_line(FILE *out, const struct report *report,
			       const struct history *history,
			       struct size_unit unit)
{
	char attributed[SIZE_TEXT_LENGTH], buffers[SIZE_TEXT_LENGTH];

	if (!report->has_attributed) {
		fputs("the sum of the rows is not a possible size\n", out);
		return;
	}
	pages_text(report, (int64_t)report->attributed_pages, unit, attributed);
	if (report->has_buffers) {
		pages_text(report, (int64_t)report->buffers_pages, unit,
			   buffers);
		fprintf(out, "attributed %s of %s", attributed, buffers);
		print_rest(out, report, history, unit);
	} else {
		fprintf(out,
			"attributed %s, unattributed unknown: /proc/meminfo "
			"has no Buffers",
			attributed);
	}
	if (report->unsettled)
		fputs(" (unsettled: the figures changed while they were read)",
		      out);
	print_refused(out, report);
	putc('\n', out);
}

static int print_rows(FILE *out, const struct reading *reading,
		      struct size_unit unit, struct error *err)
{
	const struct table_rows rows =
		device_rows_of_table(&reading->rows, false);
	const struct table_style style = {
		.unit = unit,
		.short_lists = true,
		.emphasis = terminal_has_emphasis(out),
		.terminal_width = terminal_width(out),
	};
	struct column_choice choice;
	int ret = column_choice_parse(&choice, &device_columns,
				      history_is_there(reading->history) ?
					      columns_with_history :
					      columns,
				      err);

	if (!ret && rows.count)
		ret = table_print(out, &rows, &choice, &style);
	return ret;
}

int breakdown_print(FILE *out, const struct reading *reading,
		    struct size_unit unit, struct error *err)
{
	const struct report *report = &reading->report;
	int ret;

	fprintf(out, "\nBUFFERS BY DEVICE (%s%s)\n", report->source,
		report->unsettled ? ", unsettled" : "");
	ret = print_rows(out, reading, unit, err);
	if (ret < 0)
		return error_errno(err, -ret, "printing", "the breakdown");
	print_closing_line(out, report, reading->history, unit);
	return 0;
}
