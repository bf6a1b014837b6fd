// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <stdlib.h>

#include "cli/table_options.h"
#include "devices/device_columns.h"
#include "lib/error.h"
#include "lib/number.h"
#include "lib/sentence.h"
#include "lib/terminal.h"
#include "sample/breakdown.h"
#include "sample/reading.h"
#include "table/table.h"

/* Bytes of Buffers from which on there are bars. */
#define LEAST_BARRED (1U << 20)

static const char columns[] = "NAME,MAJ:MIN,BUFFERS,SHARE,FSTYPE,MOUNTPOINTS";
static const char columns_with_history[] =
	"NAME,MAJ:MIN,BUFFERS,SHARE,CHANGE,SINCE,STATE,FSTYPE,MOUNTPOINTS";

#define SIZE_OF(pages, report, unit)                                           \
	SIZE_IN((int64_t)(pages) * (int64_t)(report)->page_size, unit)

/* What the rows have in the columns CHANGE and SINCE. */
static void say_rest_change(struct sentence *out, const struct report *report,
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
	int64_t pages;
	int count = 0;

	for (size_t i = 0; i < sizeof(changes) / sizeof(*changes); i++) {
		if (report_rest_change(report, changes[i].baseline, &pages))
			say(out, "%s%s %s%s", count++ ? ", " : " (",
			    changes[i].name, pages > 0 ? "+" : "",
			    SIZE_OF(pages, report, unit));
	}
	if (count)
		say(out, ")");
}

/* How many devices could not be measured, and why the first one. */
static void say_refused(struct sentence *out, const struct report *report,
			struct size_unit unit)
{
	const char *why = NULL;

	for (size_t i = 0; i < report->count && !why; i++)
		why = report->rows[i]->refused;
	if (!why)
		return;
	say(out, " (%zu device%s could not be measured%s: %s", report->refused,
	    plural(report->refused), report->refused == 1 ? "" : ", the first",
	    safe_text(out, why));
	if (report_only_refused(report))
		say(out, "; at most %s are its",
		    SIZE_OF(report->unattributed_pages, report, unit));
	say(out, ")");
}

static int print_closing_line(FILE *stream, const struct report *report,
			      const struct history *history,
			      struct size_unit unit)
{
	struct sentence out;

	sentence_begin_on(&out, stream);
	if (!report->has_attributed) {
		say(&out, "the sum of the rows is not a possible size\n");
		return sentence_end(&out, NULL);
	}
	say(&out, "attributed %s",
	    SIZE_OF(report->attributed_pages, report, unit));
	if (report->has_buffers)
		say(&out, " of %s, unattributed %s",
		    SIZE_OF(report->buffers_pages, report, unit),
		    SIZE_OF(report->unattributed_pages, report, unit));
	else
		say(&out, ", unattributed unknown: %s",
		    report->doubt == BUFFERS_FOREIGN ?
			    buffers_doubt_text(report->doubt) :
			    "/proc/meminfo has no Buffers");
	if (report->has_buffers && report->doubt != BUFFERS_SOUND)
		say(&out, " (%s)", buffers_doubt_text(report->doubt));
	if (report->has_buffers && history_is_there(history))
		say_rest_change(&out, report, history, unit);
	if (report->unsettled)
		say(&out, " (unsettled: no reading added up to Buffers)");
	say_refused(&out, report, unit);
	say(&out, "\n");
	return sentence_end(&out, NULL);
}

/* The rows to print, and those that are only added up. */
struct chosen {
	struct device_row *rows; /* shallow copies */
	size_t count;
	size_t more, unchanged;
	uint64_t more_pages, unchanged_pages;
};

static uint64_t pages_of(const struct device_row *row)
{
	return sample_has(row->sample, FIGURE_PAGES) ?
		       row->sample->figures[FIGURE_PAGES] :
		       0;
}

static size_t count_unchanged(const struct device_rows *rows)
{
	size_t count = 0;

	for (size_t i = 0; i < rows->count; i++)
		count += device_row_is_unchanged(&rows->rows[i]);
	return count;
}

/* How many rows are printed, besides the line of the others. */
static size_t most_rows(const struct device_rows *rows,
			const struct breakdown_style *style)
{
	size_t most = style->most_rows;
	size_t unchanged = style->only_changed ? count_unchanged(rows) : 0;
	size_t changed = rows->count - unchanged;

	if (!most)
		return changed;
	if (style->with_line && most > 1 && (unchanged || changed > most))
		most--;
	return most;
}

static int choose(struct chosen *chosen, const struct device_rows *rows,
		  const struct breakdown_style *style)
{
	size_t most = most_rows(rows, style);

	*chosen = (struct chosen){
		.rows = calloc(rows->count + 1, sizeof(*chosen->rows)),
	};
	if (!chosen->rows)
		return -ENOMEM;
	for (size_t i = 0; i < rows->count; i++) {
		const struct device_row *row = &rows->rows[i];

		if (style->only_changed && device_row_is_unchanged(row)) {
			chosen->unchanged++;
			chosen->unchanged_pages += pages_of(row);
		} else if (chosen->count == most) {
			chosen->more++;
			chosen->more_pages += pages_of(row);
		} else {
			chosen->rows[chosen->count++] = *row;
		}
	}
	return 0;
}

static void print_others(FILE *out, const struct report *report,
			 const struct chosen *chosen, struct size_unit unit)
{
	const struct {
		const char *what;
		size_t count;
		uint64_t pages;
	} others[] = {
		{ "more", chosen->more, chosen->more_pages },
		{ "unchanged", chosen->unchanged, chosen->unchanged_pages },
	};
	const char *before = "and";

	for (size_t i = 0; i < sizeof(others) / sizeof(*others); i++) {
		if (!others[i].count)
			continue;
		fprintf(out, "%s %zu %s: %s", before, others[i].count,
			others[i].what, SIZE_OF(others[i].pages, report, unit));
		before = ",";
	}
	if (chosen->more || chosen->unchanged)
		putc('\n', out);
}

static int print_chosen(FILE *out, const struct reading *reading,
			const struct chosen *chosen, struct size_unit unit,
			struct error *err)
{
	const struct table_rows rows = { chosen->rows, chosen->count,
					 sizeof(*chosen->rows), NULL };
	const struct table_style style = {
		.unit = unit,
		.short_lists = true,
		.emphasis = terminal_has_emphasis(out),
		.terminal_width = terminal_width(out),
		/* A full bar of next to nothing would catch the eye. */
		.no_bars = reading->report.buffers_pages *
				   reading->report.page_size <
			   LEAST_BARRED,
	};
	struct column_choice choice;
	int ret = column_choice_parse(&choice, &device_columns,
				      history_is_there(reading->history) ?
					      columns_with_history :
					      columns,
				      err);

	if (!ret && rows.count)
		ret = table_print(out, &rows, &choice, &style);
	if (!ret)
		print_others(out, &reading->report, chosen, unit);
	return ret;
}

static int print_rows(FILE *out, const struct reading *reading,
		      const struct breakdown_style *style, struct error *err)
{
	struct chosen chosen;
	int ret = choose(&chosen, &reading->rows, style);

	if (!ret)
		ret = print_chosen(out, reading, &chosen, style->unit, err);
	free(chosen.rows);
	return ret;
}

size_t breakdown_fitting(FILE *out, size_t before, size_t after)
{
	/* An empty line, two headings, the closing line, and that of the
	 * shell's prompt. */
	const size_t own = 5;
	size_t height = terminal_height(out);

	if (!height)
		return 0;
	return height > before + own + after ? height - before - own - after :
					       1;
}

static void print_heading(FILE *out, const struct report *report, bool clock)
{
	char text[MOMENT_TEXT_SIZE];

	fprintf(out, "\nBUFFERS BY DEVICE (%s%s)%s%s\n", report->source,
		report->unsettled ? ", unsettled" : "", clock ? " " : "",
		clock ? clock_text(text) : "");
}

int breakdown_print(FILE *out, const struct reading *reading,
		    const struct breakdown_style *style, struct error *err)
{
	const struct report *report = &reading->report;
	int ret;

	print_heading(out, report, style->clock);
	ret = print_rows(out, reading, style, err) ?:
		      print_closing_line(out, report, reading->history,
					 style->unit);
	return ret < 0 ? table_error(err, ret, "the breakdown") : 0;
}
