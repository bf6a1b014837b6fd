// SPDX-License-Identifier: GPL-2.0-or-later
#include "devices/device_columns.h"
#include "devices/device_rows.h"
#include "lib/json_out.h"
#include "table/cell.h"

static struct column_value list(const struct string_list *strings)
{
	return (struct column_value){ .known = strings, .list = strings };
}

/* A figure times @unit. The row of the rest has only one for pages. */
static struct column_value figure(const struct device_row *row,
				  enum figure which, uint64_t unit)
{
	const struct report *report = row->report;
	struct column_value value = { .known = false };

	if (row->sample) {
		value.known = sample_has(row->sample, which);
		value.number = (int64_t)(row->sample->figures[which] * unit);
	} else if (which == FIGURE_PAGES) {
		value.known = report->has_attributed && report->has_buffers;
		value.number = report->unattributed_pages * (int64_t)unit;
	}
	return value;
}

static struct column_value get_count(const void *row, size_t which)
{
	return figure(row, which, 1);
}

static struct column_value get_bytes(const void *data, size_t which)
{
	const struct device_row *row = data;

	return figure(row, which, row->report->page_size);
}

static struct column_value get_share(const void *data)
{
	const struct device_row *row = data;
	struct column_value value;

	value.known = report_share(row->report, row->sample, &value.percent);
	return value;
}

/* The change since one of the two baselines. */
static struct column_value change(const struct device_row *row,
				  const struct baseline *baseline)
{
	struct column_value value = { .known = false };
	int64_t pages;

	if (!row->sample)
		value.known = report_rest_change(row->report, baseline, &pages);
	else if (baseline->taken)
		value.known = baseline_change(baseline, row->sample,
					      row->report->page_size, &pages);
	if (value.known)
		value.number = pages * (int64_t)row->report->page_size;
	return value;
}

static struct column_value get_change(const void *data)
{
	const struct device_row *row = data;
	static const struct history none;

	return change(row, row->history ? &row->history->last : &none.last);
}

static struct column_value get_since(const void *data)
{
	const struct device_row *row = data;
	static const struct history none;

	return change(row, row->history ? &row->history->first : &none.first);
}

/*
 * new: has pages and had none. gone: has none, and the device has left or has
 * no size. empty: had pages and has none now.
 */
static struct column_value get_state(const void *data)
{
	const struct device_row *row = data;
	const struct sample *sample = row->sample;
	const struct baseline *last;
	bool had, has;

	if (!sample || !history_is_there(row->history))
		return column_text(NULL);
	last = row->history->last.taken ? &row->history->last :
					  &row->history->first;
	has = sample_has(sample, FIGURE_PAGES) && sample->figures[FIGURE_PAGES];
	had = baseline_had_pages(last, sample);
	if (has && !had && !last->unsettled)
		return column_text("new");
	if (!has && (!row->names.in_sysfs ||
		     (row->names.has_size && !row->names.size_bytes)))
		return column_text("gone");
	if (had && !last->unsettled && sample_has(sample, FIGURE_PAGES) && !has)
		return column_text("empty");
	return column_text(NULL);
}

static struct column_value get_size(const void *data)
{
	const struct device_row *row = data;

	return column_number(row->names.has_size,
			     (int64_t)row->names.size_bytes);
}

static struct column_value get_cached(const void *data)
{
	const struct device_row *row = data;
	struct column_value value = get_bytes(row, FIGURE_PAGES);

	value.known &= row->names.has_size && row->names.size_bytes;
	if (value.known)
		value = column_part(value.number, row->names.size_bytes,
				    row->report->page_size);
	return value;
}

static struct column_value get_fstype(const void *data)
{
	const struct device_row *row = data;
	struct column_value value = column_text(row->names.fstype);

	value.json = value.text;
	value.text = row->names.looks_like ?: value.text;
	return value;
}

static struct column_value get_confident(const void *data)
{
	const struct device_row *row = data;

	return (struct column_value){ .known = row->names.fstype,
				      .number = !row->names.looks_like };
}

static struct column_value get_mountpoints(const void *data)
{
	const struct device_row *row = data;

	return list(device_names_mounts(&row->names));
}

static struct column_value get_holders(const void *data)
{
	const struct device_row *row = data;

	return list(device_names_holders(&row->names));
}

static struct column_value get_source(const void *data)
{
	const struct device_row *row = data;
	const struct sample *sample = row->sample;

	if (!sample || !sample->present)
		return column_text(NULL);
	return column_text(row->report->source);
}

static const struct column columns[] = {
	{ "NAME", "name", "device-mapper name, else the kernel's name",
	  COLUMN_TEXT, COLUMN_USUAL,
	  COLUMN_AT(column_text_at, struct device_row, names.name) },
	{ "KNAME", "kname", "the kernel's name of the device", COLUMN_TEXT,
	  COLUMN_USUAL, .leave = 7,
	  COLUMN_AT(column_text_at, struct device_row, names.kname) },
	{ "MAJ:MIN", "maj:min", "device number", COLUMN_TEXT, COLUMN_USUAL,
	  .leave = 13, COLUMN_AT(column_text_at, struct device_row, number) },
	{ "PAGES", "pages", "pages of the device in the page cache",
	  COLUMN_COUNT, COLUMN_USUAL, .leave = 10, .value_of = get_count,
	  .which = FIGURE_PAGES },
	{ "BUFFERS", "buffers_bytes", "the same as a size", COLUMN_BYTES,
	  COLUMN_USUAL, .value_of = get_bytes, .which = FIGURE_PAGES },
	{ "SHARE", "share_percent", "part of Buffers in /proc/meminfo",
	  COLUMN_PERCENT, COLUMN_USUAL, .leave = 18, .has_bar = true,
	  .value = get_share },
	{ "CHANGE", "change_bytes", "change since the last sample",
	  COLUMN_CHANGE, COLUMN_WITH_HISTORY, .leave = 17,
	  .value = get_change },
	{ "SINCE", "since_bytes", "change since the first sample or --since",
	  COLUMN_CHANGE, COLUMN_WITH_HISTORY, .leave = 14, .value = get_since },
	{ "STATE", "state", "since the last sample: new, empty or gone",
	  COLUMN_TEXT, COLUMN_WITH_HISTORY, .leave = 15, .value = get_state },
	{ "DIRTY", "dirty_bytes", "dirty: changed and not yet written",
	  COLUMN_BYTES, COLUMN_USUAL, .leave = 11, .value_of = get_bytes,
	  .which = FIGURE_DIRTY },
	{ "WRITEBACK", "writeback_bytes", "under writeback: being written now",
	  COLUMN_BYTES, COLUMN_USUAL, .leave = 6, .value_of = get_bytes,
	  .which = FIGURE_WRITEBACK },
	{ "SIZE", "size_bytes", "size of the device", COLUMN_BYTES,
	  COLUMN_USUAL, .leave = 9, .value = get_size },
	{ "CACHED%", "cached_percent",
	  "part of the device that is cached (!: more than its size)",
	  COLUMN_PERCENT, COLUMN_USUAL, .leave = 8, .value = get_cached },
	{ "FSTYPE", "fstype", "filesystem type", COLUMN_TEXT, COLUMN_USUAL,
	  .leave = 12, .value = get_fstype },
	{ "LABEL", "label", "filesystem label", COLUMN_TEXT, COLUMN_USUAL,
	  .leave = 2,
	  COLUMN_AT(column_text_at, struct device_row, names.label) },
	{ "UUID", "uuid", "filesystem UUID", COLUMN_TEXT, COLUMN_USUAL,
	  .leave = 1,
	  COLUMN_AT(column_text_at, struct device_row, names.uuid) },
	{ "MOUNTPOINTS", "mountpoints", "where it is mounted, or [SWAP]",
	  COLUMN_LIST, COLUMN_USUAL, .leave = 16, .value = get_mountpoints },
	{ "HOLDERS", "holders", "devices built on this one", COLUMN_LIST,
	  COLUMN_USUAL, .leave = 3, .value = get_holders },
	{ "OPENERS", "openers",
	  "how often the device is open (not from cachestat)", COLUMN_COUNT,
	  COLUMN_ON_REQUEST, .leave = 4, .value_of = get_count,
	  .which = FIGURE_OPENERS },
	{ "WRITE-ERROR", "write_error",
	  "error of a failed write, or none (not from cachestat)", COLUMN_TEXT,
	  COLUMN_ON_REQUEST, .leave = 19,
	  COLUMN_AT(column_chars_at, struct device_row, write_error) },
	{ "CONFIDENT", "confident",
	  "whether FSTYPE is proven, and not only likely", COLUMN_FLAG,
	  COLUMN_ON_REQUEST, .leave = 20, .value = get_confident },
	{ "SOURCE", "source",
	  "the source that measured the "
	  "device",
	  COLUMN_TEXT, COLUMN_ON_REQUEST, .leave = 5, .value = get_source },
};

bool device_columns_show_contents(const struct column_choice *choice)
{
	for (size_t i = 0; i < choice->count; i++) {
		const struct column *column = choice->columns[i];

		if (column->value == get_fstype ||
		    column->value == get_confident ||
		    column->which == offsetof(struct device_row, names.label) ||
		    column->which == offsetof(struct device_row, names.uuid))
			return true;
	}
	return false;
}

const struct column_set device_columns = COLUMN_SET("devices", columns);

static void write_size(struct json_out *json, const char *key, bool known,
		       int64_t pages, const struct report *report)
{
	json_out_signed_if(json, key, known,
			   pages * (int64_t)report->page_size);
}

static void write_rest_change(struct json_out *json, const char *key,
			      const struct report *report,
			      const struct baseline *baseline)
{
	int64_t pages = 0;
	bool known = baseline && report_rest_change(report, baseline, &pages);

	write_size(json, key, known, pages, report);
}

/* What is attributed to devices that are not among the rows. */
static void write_others(struct json_out *json, const struct report *report,
			 const struct device_rows *rows)
{
	uint64_t pages = report->attributed_pages;

	for (size_t i = 0; i < rows->count; i++) {
		const struct sample *sample = rows->rows[i].sample;

		if (sample_has(sample, FIGURE_PAGES))
			pages -= sample->figures[FIGURE_PAGES];
	}
	write_size(json, "others_bytes", report->has_attributed, (int64_t)pages,
		   report);
}

void device_json_write(struct json_out *json, const struct report *report,
		       const struct history *history,
		       const struct device_rows *rows,
		       const struct column_choice *choice)
{
	json_out_unsigned(json, "page_size_bytes", report->page_size);
	write_size(json, "buffers_bytes", report->has_buffers,
		   (int64_t)report->buffers_pages, report);
	write_size(json, "attributed_bytes", report->has_attributed,
		   (int64_t)report->attributed_pages, report);
	write_size(json, "unattributed_bytes",
		   report->has_buffers && report->has_attributed,
		   report->unattributed_pages, report);
	write_rest_change(json, "unattributed_change_bytes", report,
			  history ? &history->last : NULL);
	write_rest_change(json, "unattributed_since_bytes", report,
			  history ? &history->first : NULL);

	if (device_rows_are_part(rows))
		write_others(json, report, rows);
	table_json_write_rows(json, "devices", choice,
			      &TABLE_OF(rows->rows, rows->count));
}
