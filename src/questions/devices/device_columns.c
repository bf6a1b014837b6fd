// SPDX-License-Identifier: GPL-2.0-or-later
#include "devices/device_columns.h"
#include "devices/device_rows.h"
#include "fields/fields.h"

struct column_value device_get_count(const void *data, size_t which)
{
	const struct device *device = data;

	return column_number(sample_has(&device->sample, which),
			     (int64_t)device->sample.figures[which]);
}

struct column_value device_get_bytes(const void *data, size_t which)
{
	const struct device *device = data;

	return column_number(sample_has(&device->sample, which),
			     device_bytes(device, which));
}

struct column_value device_get_share(const void *data)
{
	struct column_value value;

	value.known = device_share(data, &value.percent);
	return value;
}

/* Gone: it has no pages, and has left or has no size. */
static struct column_value get_state(const void *data)
{
	const struct device *device = data;
	const enum sample_state state = device->sample.state;

	if (state == SAMPLE_NEW)
		return column_text("new");
	if (state && !sample_has_pages(&device->sample) &&
	    (!device->names.in_sysfs ||
	     (device->names.has_size && !device->names.size_bytes)))
		return column_text("gone");
	return column_text(state == SAMPLE_EMPTY ? "empty" : NULL);
}

static struct column_value get_size(const void *data)
{
	const struct device *device = data;

	return column_number(device->names.has_size,
			     (int64_t)device->names.size_bytes);
}

static struct column_value get_cached(const void *data)
{
	const struct device *device = data;
	struct column_value value = device_get_bytes(data, FIGURE_PAGES);

	value.known &= device->names.has_size && device->names.size_bytes;
	if (value.known)
		value = column_part(value.number, device->names.size_bytes,
				    device->page_size);
	return value;
}

static struct column_value get_fstype(const void *data)
{
	const struct device *device = data;
	struct column_value value = column_text(device->names.fstype);

	value.json = value.text;
	value.text = device->names.looks_like ?: value.text;
	return value;
}

static struct column_value get_confident(const void *data)
{
	const struct device *device = data;

	return (struct column_value){ .known = device->names.fstype,
				      .number = !device->names.looks_like };
}

static struct column_value get_mountpoints(const void *data)
{
	const struct device *device = data;

	return device_names_mounts_value(&device->names);
}

static struct column_value get_holders(const void *data)
{
	const struct device *device = data;

	return device_names_holders_value(&device->names);
}

static struct column_value get_source(const void *data)
{
	const struct device *device = data;

	return column_text(device->sample.present && !device->is_rest ?
				   device->source :
				   NULL);
}

static const char *const states[] = { "new", "empty", "gone", NULL };

static const struct column columns[] = {
	{ "NAME", "name", "device-mapper name, else the kernel's name",
	  COLUMN_TEXT, COLUMN_USUAL,
	  COLUMN_AT(column_text_at, struct device, names.name) },
	{ "KNAME", "kname", "the kernel's name of the device", COLUMN_TEXT,
	  COLUMN_USUAL, .leave = 7,
	  COLUMN_AT(column_text_at, struct device, names.kname) },
	{ "MAJ:MIN", "maj:min", "device number", COLUMN_TEXT, COLUMN_USUAL,
	  .always = true, .leave = 13,
	  COLUMN_AT(column_chars_at, struct device, number) },
	{ "PAGES", "pages", "pages of the device in the page cache",
	  COLUMN_COUNT, COLUMN_USUAL, .leave = 10, .value_of = device_get_count,
	  .which = FIGURE_PAGES },
	{ "BUFFERS", "buffers_bytes", "the same as a size", COLUMN_BYTES,
	  COLUMN_USUAL, .value_of = device_get_bytes, .which = FIGURE_PAGES },
	{ "SHARE", "share_percent", "part of Buffers in /proc/meminfo",
	  COLUMN_PERCENT, COLUMN_USUAL, .leave = 18, .has_bar = true,
	  .value = device_get_share },
	{ "CHANGE", "change_bytes", "change since the last sample",
	  COLUMN_CHANGE, COLUMN_WITH_HISTORY, .leave = 17,
	  .value_of = device_get_bytes, .which = FIGURE_CHANGE },
	{ "SINCE", "since_bytes", "change since the first sample or --since",
	  COLUMN_CHANGE, COLUMN_WITH_HISTORY, .leave = 14,
	  .value_of = device_get_bytes, .which = FIGURE_SINCE },
	{ "STATE", "state", "since the last sample: new, empty or gone",
	  COLUMN_TEXT, COLUMN_WITH_HISTORY, .words = states, .leave = 15,
	  .value = get_state },
	{ "DIRTY", "dirty_bytes", "dirty: changed and not yet written",
	  COLUMN_BYTES, COLUMN_USUAL, .leave = 11, .value_of = device_get_bytes,
	  .which = FIGURE_DIRTY },
	{ "WRITEBACK", "writeback_bytes", "under writeback: being written now",
	  COLUMN_BYTES, COLUMN_USUAL, .leave = 6, .value_of = device_get_bytes,
	  .which = FIGURE_WRITEBACK },
	{ "SIZE", "size_bytes", "size of the device", COLUMN_BYTES,
	  COLUMN_USUAL, .leave = 9, .value = get_size },
	{ "CACHED%", "cached_percent",
	  "part of the device that is cached (!: more than its size)",
	  COLUMN_PERCENT, COLUMN_USUAL, .leave = 8, .value = get_cached },
	{ "FSTYPE", "fstype", "filesystem type", COLUMN_TEXT, COLUMN_USUAL,
	  .leave = 12, .value = get_fstype },
	{ "LABEL", "label", "filesystem label", COLUMN_TEXT, COLUMN_USUAL,
	  .leave = 2, COLUMN_AT(column_text_at, struct device, names.label) },
	{ "UUID", "uuid", "filesystem UUID", COLUMN_TEXT, COLUMN_USUAL,
	  .leave = 1, COLUMN_AT(column_text_at, struct device, names.uuid) },
	{ "MOUNTPOINTS", "mountpoints", "where it is mounted, or [SWAP]",
	  COLUMN_LIST, COLUMN_USUAL, .leave = 16, .value = get_mountpoints },
	{ "HOLDERS", "holders", "devices built on this one", COLUMN_LIST,
	  COLUMN_USUAL, .leave = 3, .value = get_holders },
	{ "OPENERS", "openers",
	  "how often the device is open (not from cachestat)", COLUMN_COUNT,
	  COLUMN_ON_REQUEST, .leave = 4, .value_of = device_get_count,
	  .which = FIGURE_OPENERS },
	{ "WRITE-ERROR", "write_error",
	  "error of a failed write, or none (not from cachestat)", COLUMN_TEXT,
	  COLUMN_ON_REQUEST, .leave = 19,
	  COLUMN_AT(column_chars_at, struct device, write_error) },
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
		    column->which == offsetof(struct device, names.label) ||
		    column->which == offsetof(struct device, names.uuid))
			return true;
	}
	return false;
}

const struct column_set device_columns = COLUMN_SET("devices", columns);

static struct column_value get_pages(const struct devices *devices, bool known,
				     uint64_t pages)
{
	return column_number(known, (int64_t)(pages * devices->page_size));
}

static struct column_value get_page_size(const void *data)
{
	const struct devices *devices = data;

	return get_pages(devices, !devices->collected, 1);
}

static struct column_value get_buffers(const void *data)
{
	const struct devices *devices = data;

	return get_pages(devices, devices->has_buffers, devices->buffers_pages);
}

static struct column_value get_attributed(const void *data)
{
	const struct devices *devices = data;

	return get_pages(devices, devices->has_attributed,
			 devices->attributed_pages);
}

static struct column_value get_rest(const void *data, size_t which)
{
	const struct devices *devices = data;

	return device_get_bytes(&devices->rest, which);
}

static const struct field sum_list[] = {
	{ FIELD_VALUE("page_size_bytes", COLUMN_BYTES), .value = get_page_size,
	  .null = "they were not measured" },
	{ FIELD_VALUE("buffers_bytes", COLUMN_BYTES), .value = get_buffers,
	  .null = "not known" },
	{ FIELD_VALUE("attributed_bytes", COLUMN_BYTES),
	  .value = get_attributed, .null = "their sum is no possible size" },
	{ FIELD_VALUE("unattributed_bytes", COLUMN_CHANGE),
	  .value_of = get_rest, .which = FIGURE_PAGES,
	  .about = "Buffers less these; negative if the devices have more",
	  .null = "either is not known" },
};

const struct fields devices_sum_fields = FIELDS(struct devices, sum_list);

static const struct field device_list[] = {
	{ FIELD_SAME(&devices_sum_fields) },
	{ FIELD_VALUE("unattributed_change_bytes", COLUMN_CHANGE),
	  .value_of = get_rest, .which = FIGURE_CHANGE,
	  .null = "no such sample, or not known" },
	{ FIELD_VALUE("unattributed_since_bytes", COLUMN_CHANGE),
	  .value_of = get_rest, .which = FIGURE_SINCE,
	  .null = "no such sample, or not known" },
};

const struct fields device_totals_fields = FIELDS(struct devices, device_list);
