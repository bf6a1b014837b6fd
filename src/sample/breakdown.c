// SPDX-License-Identifier: GPL-2.0-or-later
#include "breakdown.h"
#include "device_columns.h"
#include "device_rows.h"
#include "table.h"
#include "error.h"
#include "measure.h"
#include "report.h"
#include "size_text.h"
#include "terminal.h"

static const char columns[] = "NAME,MAJ:MIN,BUFFERS,SHARE,FSTYPE,MOUNTPOINTS";
static const char columns_with_history[] =
	"NAME,MAJ:MIN,BUFFERS,SHARE,CHANGE,SINCE,STATE,FSTYPE,MOUNTPOINTS";

static const char *pages_text(const struct report *report, int64_t pages,
			      bool bytes, char text[SIZE_TEXT_LENGTH])
{
	int64_t size = pages * (int64_t)report->page_size;

	if (!bytes)
		return size_text(size, text);
	snprintf(text, SIZE_TEXT_LENGTH, "%lld", (long long)size);
	return text;
}

/* What the rows have in the columns of these names. */
static void print_rest_change(FILE *out, const struct report *report,
			      const struct history *history, bool bytes)
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
			pages_text(report, pages, bytes, text));
	}
	if (count)
		putc(')', out);
}

static void print_rest(FILE *out, const struct report *report,
		       const struct history *history, bool bytes)
{
	char text[SIZE_TEXT_LENGTH];

	fprintf(out, ", unattributed %s",
		pages_text(report, report->unattributed_pages, bytes, text));
	if (report->unattributed_pages < 0)
		fputs(" (Buffers shrank while it was measured)", out);
	if (history_is_there(history))
		print_rest_change(out, report, history, bytes);
}

static void print_closing_line(FILE *out, const struct report *report,
			       const struct history *history, bool bytes)
{
	char attributed[SIZE_TEXT_LENGTH], buffers[SIZE_TEXT_LENGTH];

	if (!report->has_attributed) {
		fputs("the sum of the rows is not a possible size\n", out);
		return;
	}
	pages_text(report, (int64_t)report->attributed_pages, bytes,
		   attributed);
	if (report->has_buffers) {
		pages_text(report, (int64_t)report->buffers_pages, bytes,
			   buffers);
		fprintf(out, "attributed %s of %s", attributed, buffers);
		print_rest(out, report, history, bytes);
	} else {
		fprintf(out,
			"attributed %s, unattributed unknown: /proc/meminfo "
			"does not say Buffers",
			attributed);
	}
	if (report->unsettled)
		fputs(" (unsettled: the devices moved while they were read)",
		      out);
	if (report->refused)
		fprintf(out, " (%zu device%s could not be measured)",
			report->refused, report->refused == 1 ? "" : "s");
	putc('\n', out);
}

static int print_rows(FILE *out, const struct report *report,
		      const struct history *history, const struct sysroot *root,
		      bool bytes, struct error *err)
{
	const char *list = history_is_there(history) ? columns_with_history :
						       columns;
	const struct table_style style = {
		.bytes = bytes,
		.short_lists = true,
		.emphasis = terminal_has_emphasis(out),
		.terminal_width = terminal_width(out),
	};
	struct column_choice choice;
	struct table_rows table;
	struct device_rows rows;
	int ret =
		device_rows_init(&rows, report, history, root, ROWS_WITH_PAGES);

	if (!ret)
		ret = column_choice_parse(&choice, &device_columns, list, err);
	table = device_rows_of_table(&rows);
	if (!ret && rows.count)
		ret = table_print(out, &table, &choice, &style);
	device_rows_deinit(&rows);
	return ret;
}

int breakdown_print(FILE *out, const struct sysroot *root,
		    const struct measurement *measurement,
		    const struct history *history, bool bytes,
		    struct error *err)
{
	struct report report;
	int ret = report_init(&report, &measurement->snapshot,
			      &measurement->meminfo);

	if (!ret) {
		fprintf(out, "\nBUFFERS BY DEVICE (%s%s)\n", report.source,
			report.unsettled ? ", unsettled" : "");
		ret = print_rows(out, &report, history, root, bytes, err);
	}
	if (!ret)
		print_closing_line(out, &report, history, bytes);
	else
		error_errno(err, -ret, "printing", "the breakdown");
	report_deinit(&report);
	return ret;
}
