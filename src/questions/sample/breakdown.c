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
#include "sample/device_question.h"
#include "table/table.h"

/* Bytes of Buffers from which on there are bars. */
#define LEAST_BARRED (1U << 20)

static const char columns[] = "NAME,MAJ:MIN,BUFFERS,SHARE,FSTYPE,MOUNTPOINTS";
static const char columns_with_history[] =
	"NAME,MAJ:MIN,BUFFERS,SHARE,CHANGE,SINCE,STATE,FSTYPE,MOUNTPOINTS";

#define SIZE_OF(pages, devices, unit)                                          \
	SIZE_IN((int64_t)(pages) * (int64_t)(devices)->page_size, unit)

/* What the rows have in the columns CHANGE and SINCE. */
static void say_rest_change(struct sentence *out, const struct device *rest,
			    struct size_unit unit)
{
	static const char *const names[] = { "CHANGE", "SINCE" };
	int count = 0;

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		enum figure figure = FIGURE_CHANGE + i;
		int64_t bytes = device_bytes(rest, figure);

		if (sample_has(&rest->sample, figure))
			say(out, "%s%s %s%s", count++ ? ", " : " (", names[i],
			    bytes > 0 ? "+" : "", SIZE_IN(bytes, unit));
	}
	if (count)
		say(out, ")");
}

/* How many devices could not be measured, and why the first one. */
static void say_refused(struct sentence *out,
			const struct device_answer *answer,
			struct size_unit unit)
{
	const struct devices *devices = &answer->devices;
	const char *why = NULL;

	for (size_t i = 0; i < answer->head.rows.count && !why; i++)
		why = device_row(&answer->head.rows, i)->sample.refused;
	if (!why)
		return;
	say(out, " (%zu device%s could not be measured%s: %s", devices->refused,
	    plural(devices->refused),
	    devices->refused == 1 ? "" : ", the first", safe_text(out, why));
	if (devices_only_refused(devices))
		say(out, "; at most %s are its",
		    SIZE_IN(devices_rest_bytes(devices), unit));
	say(out, ")");
}

static int print_closing_line(FILE *stream, const struct device_answer *answer,
			      struct size_unit unit)
{
	const struct devices *devices = &answer->devices;
	const char *doubt = buffers_doubt_text(devices->shown_doubt);
	struct sentence out;

	sentence_begin_on(&out, stream);
	if (!devices->has_attributed) {
		say(&out, "the sum of the rows is not a possible size\n");
		return sentence_end(&out, NULL);
	}
	say(&out, "attributed %s",
	    SIZE_OF(devices->attributed_pages, devices, unit));
	if (devices_have_rest(devices)) {
		say(&out, " of %s, unattributed %s",
		    SIZE_OF(devices->buffers_pages, devices, unit),
		    SIZE_IN(devices_rest_bytes(devices), unit));
		if (*doubt)
			say(&out, " (%s)", doubt);
		say_rest_change(&out, &devices->rest, unit);
	} else {
		say(&out, ", unattributed unknown: %s",
		    *doubt ? doubt : "/proc/meminfo has no Buffers");
	}
	if (devices->unsettled)
		say(&out, " (unsettled: no reading added up to Buffers)");
	say_refused(&out, answer, unit);
	say(&out, "\n");
	return sentence_end(&out, NULL);
}

/* The rows to print, and those that are only added up. */
struct chosen {
	struct device *rows; /* shallow copies */
	size_t count;
	size_t more, unchanged;
	uint64_t more_pages, unchanged_pages;
};

static size_t count_unchanged(const struct rows *rows)
{
	size_t count = 0;

	for (size_t i = 0; i < rows->count; i++)
		count += sample_is_unchanged(rows_at(rows, i));
	return count;
}

/* How many rows are printed, besides the line of the others. */
static size_t most_rows(const struct rows *rows,
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

static int choose(struct chosen *chosen, const struct rows *rows,
		  const struct breakdown_style *style)
{
	size_t most = most_rows(rows, style);

	*chosen = (struct chosen){
		.rows = calloc(rows->count + 1, sizeof(*chosen->rows)),
	};
	if (!chosen->rows)
		return -ENOMEM;
	for (size_t i = 0; i < rows->count; i++) {
		const struct device *row = device_row(rows, i);

		if (style->only_changed && sample_is_unchanged(&row->sample)) {
			chosen->unchanged++;
			chosen->unchanged_pages +=
				row->sample.figures[FIGURE_PAGES];
		} else if (chosen->count == most) {
			chosen->more++;
			chosen->more_pages += row->sample.figures[FIGURE_PAGES];
		} else {
			chosen->rows[chosen->count++] = *row;
		}
	}
	return 0;
}

static void print_others(FILE *out, const struct devices *devices,
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
			others[i].what,
			SIZE_OF(others[i].pages, devices, unit));
		before = ",";
	}
	if (chosen->more || chosen->unchanged)
		putc('\n', out);
}

static int print_chosen(FILE *out, const struct device_answer *answer,
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
		.no_bars = answer->devices.buffers_pages *
				   answer->devices.page_size <
			   LEAST_BARRED,
	};
	struct column_choice choice;
	int ret = column_choice_parse(
		&choice, &device_columns,
		answer->devices.is_compared ? columns_with_history : columns,
		err);

	if (!ret && rows.count)
		ret = table_print(out, &rows, &choice, &style);
	if (!ret)
		print_others(out, &answer->devices, chosen, unit);
	return ret;
}

static int print_rows(FILE *out, const struct device_answer *answer,
		      const struct breakdown_style *style, struct error *err)
{
	struct chosen chosen;
	int ret = choose(&chosen, &answer->head.rows, style);

	if (!ret)
		ret = print_chosen(out, answer, &chosen, style->unit, err);
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

static void print_heading(FILE *out, const struct devices *devices, bool clock)
{
	char text[MOMENT_TEXT_SIZE];

	fprintf(out, "\nBUFFERS BY DEVICE (%s%s)%s%s\n", devices->source,
		devices->unsettled ? ", unsettled" : "", clock ? " " : "",
		clock ? clock_text(text) : "");
}

int breakdown_print(FILE *out, const struct device_answer *answer,
		    const struct breakdown_style *style, struct error *err)
{
	const struct devices *devices = &answer->devices;
	int ret;

	print_heading(out, devices, style->clock);
	ret = print_rows(out, answer, style, err) ?:
		      print_closing_line(out, answer, style->unit);
	return ret < 0 ? table_error(err, ret, "the breakdown") : 0;
}
