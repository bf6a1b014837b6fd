// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "filesystems/selection.h"
#include "lib/lesser.h"
#include "lib/terminal.h"
#include "recorded/growth_rows.h"

/* From the least to the most of a row; what was not recorded is a space. */
static const char *const blocks[] = { "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█" };
static const char *const digits[] = { "1", "2", "3", "4", "5", "6", "7", "8" };

#define LEVELS (sizeof(blocks) / sizeof(*blocks))

static const char *const kind_names[GROWTH_KINDS + 1] = {
	[GROWTH_DEVICE] = "device",
	[GROWTH_FILESYSTEM] = "filesystem",
	[GROWTH_MEMORY] = "memory",
};

/* A table has local time, which may come twice; JSON has UTC. */
static void set_moments(struct growth_row *row, int64_t since_ms,
			int64_t until_ms)
{
	moment_text(since_ms, row->since);
	moment_text(until_ms, row->until);
	utc_text((time_t)(since_ms / 1000), row->since_utc);
	utc_text((time_t)(until_ms / 1000), row->until_utc);
}

/* The largest value less one that was before it. */
static void find_rise(struct growth_row *row, const struct growth *growth)
{
	const struct growth_point *points = row->series->points;
	size_t low = 0, from = 0, to = 0;

	for (size_t i = 0; i < row->series->count; i++) {
		int64_t rise = points[i].bytes - points[low].bytes;

		if (points[i].bytes <= points[low].bytes)
			low = i;
		if (rise > row->rise_bytes) {
			row->rise_bytes = rise;
			from = low;
			to = i;
		}
	}
	if (!row->rise_bytes)
		return;
	row->kept_bytes = row->rise_bytes;
	for (size_t i = to; i < row->series->count; i++)
		row->kept_bytes = lesser(row->kept_bytes,
					 points[i].bytes - points[from].bytes);
	set_moments(row, points[from].real_ms, points[to].real_ms);
	recorded_behind(growth, row->series, points[from].real_ms,
			points[to].real_ms, row->rise_bytes, row->who);
}

static size_t level_of(int64_t bytes, int64_t least, int64_t most)
{
	const size_t top = LEVELS - 1;
	double range = (double)(most - least);

	if (most <= least)
		return 0;
	return (size_t)((double)(bytes - least) / range * (double)top + 0.5);
}

struct cells {
	int64_t from_ms;
	int64_t to_ms;
	int64_t most[GROWTH_GRAPH];
	bool has[GROWTH_GRAPH];
};

/* Which part of the time it is in; may be outside. */
static int64_t cell_of(const struct cells *cells, int64_t real_ms)
{
	return (real_ms - cells->from_ms) * GROWTH_GRAPH /
	       (cells->to_ms - cells->from_ms + 1);
}

static void mark(struct cells *cells, int64_t cell, int64_t bytes)
{
	if (cell < 0 || cell >= GROWTH_GRAPH ||
	    (cells->has[cell] && cells->most[cell] >= bytes))
		return;
	cells->has[cell] = true;
	cells->most[cell] = bytes;
}

static bool is_gap(const struct gaps *gaps, int64_t after_ms, int64_t before_ms)
{
	for (size_t i = 0; i < gaps->count; i++) {
		if (gaps->gaps[i].from_ms >= after_ms &&
		    gaps->gaps[i].to_ms <= before_ms)
			return true;
	}
	return false;
}

/*
 * A cell shows the most that there was in its part of the time. Between two
 * readings it stays as it was, unless nothing was recorded there.
 */
static void fill_cells(struct cells *cells, const struct growth_series *series,
		       const struct gaps *gaps)
{
	const struct growth_point *points = series->points;

	for (size_t i = 0; i < series->count; i++) {
		int64_t cell = cell_of(cells, points[i].real_ms);

		mark(cells, cell, points[i].bytes);
		if (i + 1 == series->count ||
		    is_gap(gaps, points[i].real_ms, points[i + 1].real_ms))
			continue;
		while (++cell < cell_of(cells, points[i + 1].real_ms))
			mark(cells, cell, points[i].bytes);
	}
}

static void draw(struct growth_row *row, const struct gaps *gaps,
		 int64_t from_ms, int64_t to_ms)
{
	const char *const *marks = terminal_is_utf8() ? blocks : digits;
	struct cells cells = { .from_ms = from_ms, .to_ms = to_ms };
	const struct growth_series *series = row->series;
	int64_t least = 0;
	char *at = row->graph;

	for (size_t i = 0; i < series->count; i++) {
		if (series->points[i].bytes < least)
			least = series->points[i].bytes;
	}
	fill_cells(&cells, series, gaps);
	for (size_t i = 0; i < GROWTH_GRAPH; i++)
		at = stpcpy(at, cells.has[i] ?
					marks[level_of(cells.most[i], least,
						       row->most_bytes)] :
					" ");
}

static void fill(struct growth_row *row, const struct growth *growth,
		 const struct growth_series *series, int64_t from_ms,
		 int64_t to_ms)
{
	*row = (struct growth_row){
		.series = series,
		.start_bytes = series->points[0].bytes,
		.end_bytes = series->points[series->count - 1].bytes,
		.most_bytes = series->points[0].bytes,
	};
	for (size_t i = 0; i < series->count; i++) {
		if (series->points[i].bytes > row->most_bytes)
			row->most_bytes = series->points[i].bytes;
	}
	if (series->kind != GROWTH_MEMORY)
		snprintf(row->number, sizeof(row->number), "%u:%u",
			 series->major, series->minor);
	find_rise(row, growth);
	draw(row, &growth->gaps, from_ms, to_ms);
}

/* By how much it rose is not known, but who filled it is. */
static void fill_unmeasured(struct growth_row *row, const struct growth *growth,
			    const struct growth_series *series, int64_t from_ms,
			    int64_t to_ms)
{
	*row = (struct growth_row){ .series = series };
	snprintf(row->number, sizeof(row->number), "%u:%u", series->major,
		 series->minor);
	recorded_behind(growth, series, from_ms, to_ms, 0, row->who);
}

static bool stood_still(const struct growth_row *row)
{
	const struct growth_series *series = row->series;

	for (size_t i = 1; i < series->count; i++) {
		if (series->points[i].bytes != row->start_bytes)
			return false;
	}
	return true;
}

static int compare(const void *a, const void *b)
{
	const struct growth_row *one = a, *other = b;

	if (one->rise_bytes != other->rise_bytes)
		return one->rise_bytes < other->rise_bytes ? 1 : -1;
	if (one->series->kind != other->series->kind)
		return one->series->kind < other->series->kind ? -1 : 1;
	return strcmp(one->series->name, other->series->name);
}

static void add_gap(struct growth_rows *rows, const struct gap *gap,
		    bool is_untraced)
{
	struct growth_row *row = &rows->rows[rows->count++];

	*row = (struct growth_row){ .gap = gap, .is_untraced = is_untraced };
	set_moments(row, gap->from_ms, gap->to_ms);
}

int growth_rows_init(struct growth_rows *rows, const struct growth *growth,
		     const struct growth_span *span, bool all)
{
	const struct gaps *untraced = &growth->fills.untraced;
	int64_t from_ms = span->has_from ? span->from_ms : growth->first_ms;
	int64_t to_ms = span->to_ms > from_ms ? span->to_ms : from_ms;

	*rows = (struct growth_rows){ 0 };
	rows->rows =
		calloc(growth->count + growth->gaps.count + untraced->count + 1,
		       sizeof(*rows->rows));
	if (!rows->rows)
		return -ENOMEM;
	for (size_t i = 0; i < growth->count; i++) {
		struct growth_row *row = &rows->rows[rows->count];

		if (growth->series[i].count)
			fill(row, growth, &growth->series[i], from_ms, to_ms);
		else
			fill_unmeasured(row, growth, &growth->series[i],
					from_ms, to_ms);
		rows->count += all || !stood_still(row) || *row->who;
	}
	qsort(rows->rows, rows->count, sizeof(*rows->rows), compare);
	for (size_t i = 0; i < growth->gaps.count; i++)
		add_gap(rows, &growth->gaps.gaps[i], false);
	for (size_t i = 0; i < untraced->count; i++)
		add_gap(rows, &untraced->gaps[i], true);
	return 0;
}

void growth_rows_deinit(struct growth_rows *rows)
{
	free(rows->rows);
	*rows = (struct growth_rows){ 0 };
}

static const char *label_of(const struct growth_series *series)
{
	return series->label ? series->label : series->name;
}

static bool is_chosen(const struct growth_series *series,
		      struct selection *selection)
{
	bool has_number = series->kind != GROWTH_MEMORY;
	const struct called called = {
		.major = has_number ? series->major : UINT_MAX,
		.minor = has_number ? series->minor : UINT_MAX,
		.name = series->name,
		.other = series->label,
	};

	return selection_has(selection, &called);
}

void growth_rows_select(struct growth_rows *rows, struct selection *selection)
{
	size_t kept = 0;

	for (size_t i = 0; i < rows->count; i++) {
		if (!rows->rows[i].series ||
		    is_chosen(rows->rows[i].series, selection))
			rows->rows[kept++] = rows->rows[i];
	}
	rows->count = kept;
}

static struct column_value get_name(const void *data)
{
	const struct growth_row *row = data;

	return column_text(row->series	    ? label_of(row->series) :
			   row->is_untraced ? "(not traced)" :
					      "(gap)");
}

static struct column_value get_kname(const void *data)
{
	const struct growth_row *row = data;
	bool is_device = row->series && row->series->kind == GROWTH_DEVICE;

	return column_text(is_device ? row->series->name : NULL);
}

static struct column_value get_kind(const void *data)
{
	const struct growth_row *row = data;

	return column_text(row->series	    ? kind_names[row->series->kind] :
			   row->is_untraced ? "untraced" :
					      "gap");
}

static struct column_value bytes_of(const struct growth_row *row, int64_t bytes)
{
	return column_number(row->series && row->series->count, bytes);
}

static struct column_value get_bytes(const void *row, size_t place)
{
	return bytes_of(row, column_number_at(row, place).number);
}

static struct column_value get_change(const void *data)
{
	const struct growth_row *row = data;

	return bytes_of(row, row->end_bytes - row->start_bytes);
}

static struct column_value get_since(const void *data)
{
	const struct growth_row *row = data;

	return (struct column_value){ .known = *row->since,
				      .text = row->since,
				      .json = row->since_utc };
}

static struct column_value get_until(const void *data)
{
	const struct growth_row *row = data;

	return (struct column_value){ .known = *row->until,
				      .text = row->until,
				      .json = row->until_utc };
}

static struct column_value get_cause(const void *data)
{
	const struct growth_row *row = data;

	return column_text(row->gap ? row->gap->cause : NULL);
}

static const struct column columns[] = {
	{ "NAME", "name",
	  "a device, a mount point, or a field of /proc/meminfo", COLUMN_PATH,
	  COLUMN_USUAL, .always = true, .value = get_name },
	{ "KNAME", "kname", "the kernel's name of a device", COLUMN_TEXT,
	  COLUMN_ON_REQUEST, .leave = 1, .value = get_kname },
	{ "KIND", "kind", "device, filesystem, memory, gap, or untraced",
	  COLUMN_TEXT, COLUMN_ON_REQUEST, .always = true, .words = kind_names,
	  .leave = 1, .value = get_kind },
	{ "MAJ:MIN", "maj:min", "device number", COLUMN_TEXT, COLUMN_ON_REQUEST,
	  .leave = 1, COLUMN_AT(column_chars_at, struct growth_row, number) },
	{ "START", "start_bytes", "cached at the beginning", COLUMN_BYTES,
	  COLUMN_USUAL, .is_signed = true, .leave = 3,
	  COLUMN_AT(get_bytes, struct growth_row, start_bytes) },
	{ "END", "end_bytes", "cached at the end", COLUMN_BYTES, COLUMN_USUAL,
	  .is_signed = true, .leave = 4,
	  COLUMN_AT(get_bytes, struct growth_row, end_bytes) },
	{ "CHANGE", "change_bytes", "END less START", COLUMN_CHANGE,
	  COLUMN_ON_REQUEST, .leave = 1, .value = get_change },
	{ "MOST", "most_bytes", "the most that there was", COLUMN_BYTES,
	  COLUMN_ON_REQUEST, .is_signed = true, .leave = 1,
	  COLUMN_AT(get_bytes, struct growth_row, most_bytes) },
	{ "RISE", "rise_bytes", "the largest rise", COLUMN_CHANGE, COLUMN_USUAL,
	  COLUMN_AT(get_bytes, struct growth_row, rise_bytes) },
	{ "SINCE", "since", "when the rise, or the gap, began", COLUMN_TEXT,
	  COLUMN_USUAL, .value = get_since },
	{ "UNTIL", "until", "when it ended", COLUMN_TEXT, COLUMN_USUAL,
	  .leave = 5, .value = get_until },
	{ "WHO", "who", "which commands brought in what rose", COLUMN_TEXT,
	  COLUMN_USUAL, COLUMN_AT(column_chars_at, struct growth_row, who) },
	{ "GRAPH", "graph", "from 0 to the most, over the whole time",
	  COLUMN_TEXT, COLUMN_USUAL, .leave = 2,
	  COLUMN_AT(column_chars_at, struct growth_row, graph) },
	{ "CAUSE", "cause", "why nothing was recorded, or nobody traced",
	  COLUMN_PROSE, COLUMN_USUAL, .value = get_cause },
};

const struct column_set growth_columns = COLUMN_SET("history", columns);
