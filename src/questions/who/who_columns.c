// SPDX-License-Identifier: GPL-2.0-or-later
#include "who/who_caches.h"
#include "who/who_rows.h"

static struct column_value get_name(const void *data)
{
	const struct who_row *row = data;

	return column_text(who_cache_name(row->cache));
}

static struct column_value get_number(const void *data)
{
	const struct who_row *row = data;

	return column_text(row->is_others ? NULL : row->cache->number);
}

static struct column_value get_cache(const void *data)
{
	const struct who_row *row = data;

	if (row->is_others)
		return column_text(NULL);
	return column_text(row->cache->is_bdev ? "device" : "files");
}

static struct column_value get_command(const void *data)
{
	const struct who_row *row = data;

	if (row->is_now)
		return column_text(NULL);
	if (!row->fill)
		return column_text("not traced");
	return column_text(*row->fill->command ? row->fill->command : NULL);
}

static struct column_value get_pid(const void *data)
{
	const struct who_row *row = data;

	/* A recording makes one row of several processes. */
	return column_number(row->fill && row->fill->process &&
				     !row->is_others && !row->is_now &&
				     !row->foreign_pid,
			     row->fill ? row->fill->process : 0);
}

static struct column_value get_processes(const void *data)
{
	const struct who_row *row = data;

	return column_number(row->processes > 0, (int64_t)row->processes);
}

/* What was traced; nothing was if the row is about now. */
static struct column_value traced(const struct who_row *row, uint64_t pages,
				  uint64_t unit)
{
	return column_number(!row->is_now, (int64_t)(pages * unit));
}

enum moved {
	IN,
	OUT,
	NET,
};

static uint64_t moved_pages(const struct who_row *row, size_t which)
{
	switch ((enum moved)which) {
	case IN:
		return who_row_in(row);
	case OUT:
		return who_row_out(row);
	case NET:
		break;
	}
	return who_row_in(row) - who_row_out(row);
}

static struct column_value get_bytes(const void *data, size_t which)
{
	const struct who_row *row = data;

	return traced(row, moved_pages(row, which), row->page_size);
}

static struct column_value get_pages(const void *row, size_t which)
{
	return traced(row, moved_pages(row, which), 1);
}

static struct column_value get_error(const void *data, size_t place)
{
	const struct who_row *row = data;

	if (!row->fill || row->is_now ||
	    (!row->fill->in_error && !row->fill->out_error))
		return column_number(false, 0);
	return column_number_at(row->fill, place);
}

static struct column_value get_way(const void *data, size_t how)
{
	const struct who_row *row = data;
	struct column_value value = { .known = false };

	if (row->fill && row->knows_how)
		value = traced(row, row->fill->in[how], row->page_size);
	return value;
}

static struct column_value get_dropped(const void *data)
{
	const struct who_row *row = data;
	struct column_value value = { .known = false };

	if (row->fill && row->knows_how)
		value = traced(row, row->fill->dropped, row->page_size);
	return value;
}

static struct column_value get_resident(const void *data, size_t in_bytes)
{
	const struct who_row *row = data;

	return column_number(row->has_resident,
			     row->resident_pages *
				     (in_bytes ? (int64_t)row->page_size : 1));
}

static struct column_value get_share(const void *data)
{
	const struct who_row *row = data;
	const struct who_cache *cache = row->cache;

	return column_share(row->has_resident && cache->has_resident &&
				    cache->resident_pages,
			    (double)row->resident_pages,
			    (double)cache->resident_pages);
}

static const char *const kinds[] = { "device", "files", NULL };
static const char *const states[] = { "dead", "not charged", "unattributed",
				      NULL };

static const struct column columns[] = {
	{ "NAME", "name", "device, or where the filesystem is mounted",
	  COLUMN_PATH, COLUMN_USUAL, .always = true, .value = get_name },
	{ "MAJ:MIN", "maj:min", "number of the device or filesystem",
	  COLUMN_TEXT, COLUMN_ON_REQUEST, .value = get_number },
	{ "CACHE", "cache", "the cache of a device, or of files", COLUMN_TEXT,
	  COLUMN_USUAL, .words = kinds, .leave = 2, .value = get_cache },
	{ "COMMAND", "command", "name of the process", COLUMN_TEXT,
	  COLUMN_USUAL, .value = get_command },
	{ "PID", "pid", "its id", COLUMN_COUNT, COLUMN_USUAL,
	  .value = get_pid },
	{ "PROCESSES", "processes", "how many are added up in the row",
	  COLUMN_COUNT, COLUMN_ON_REQUEST, .value = get_processes },
	{ "CGROUP", "cgroup", "its container or cgroup", COLUMN_PATH,
	  COLUMN_USUAL, .leave = 3,
	  COLUMN_AT(column_text_at, struct who_row, cgroup) },
	{ "IN", "in_bytes", "pages that it brought in", COLUMN_BYTES,
	  COLUMN_USUAL, .value_of = get_bytes, .which = IN },
	{ "OUT", "out_bytes", "pages that it took out, whoever brought them in",
	  COLUMN_BYTES, COLUMN_USUAL, .value_of = get_bytes, .which = OUT },
	{ "NET", "net_bytes", "in less out", COLUMN_CHANGE, COLUMN_USUAL,
	  .leave = 1, .value_of = get_bytes, .which = NET },
	{ "HOW", "how", "how they came in", COLUMN_TEXT, COLUMN_USUAL,
	  .leave = 4, COLUMN_AT(column_chars_at, struct who_row, how) },
	{ "ON-BEHALF-OF", "on_behalf_of",
	  "cgroup that a kernel thread works for", COLUMN_PATH,
	  COLUMN_ON_REQUEST,
	  COLUMN_AT(column_text_at, struct who_row, on_behalf_of) },
	{ "READ", "read_bytes", "in, by system calls that read", COLUMN_BYTES,
	  COLUMN_ON_REQUEST, .value_of = get_way, .which = FILL_READ },
	{ "WRITE", "write_bytes", "in, by system calls that write",
	  COLUMN_BYTES, COLUMN_ON_REQUEST, .value_of = get_way,
	  .which = FILL_WRITE },
	{ "FAULT", "fault_bytes", "in, by touching mapped memory", COLUMN_BYTES,
	  COLUMN_ON_REQUEST, .value_of = get_way, .which = FILL_FAULT },
	{ "METADATA", "metadata_bytes", "in, by other system calls",
	  COLUMN_BYTES, COLUMN_ON_REQUEST, .value_of = get_way,
	  .which = FILL_METADATA },
	{ "KERNEL", "kernel_bytes", "in, by a thread of the kernel",
	  COLUMN_BYTES, COLUMN_ON_REQUEST, .value_of = get_way,
	  .which = FILL_KERNEL },
	{ "OTHER", "other_bytes", "in, by io_uring and what is not known",
	  COLUMN_BYTES, COLUMN_ON_REQUEST, .value_of = get_way,
	  .which = FILL_OTHER },
	{ "DROPPED", "dropped_bytes", "out, by posix_fadvise(DONTNEED)",
	  COLUMN_BYTES, COLUMN_ON_REQUEST, .value = get_dropped },
	{ "PAGES-IN", "pages_in", "IN in pages", COLUMN_COUNT,
	  COLUMN_ON_REQUEST, .value_of = get_pages, .which = IN },
	{ "PAGES-OUT", "pages_out", "OUT in pages", COLUMN_COUNT,
	  COLUMN_ON_REQUEST, .value_of = get_pages, .which = OUT },
	{ "IN-ERROR", "pages_in_error",
	  "how far PAGES-IN may be off, if it is an estimate", COLUMN_COUNT,
	  COLUMN_ON_REQUEST,
	  COLUMN_AT(get_error, struct trace_fill, in_error) },
	{ "OUT-ERROR", "pages_out_error", "the same for PAGES-OUT",
	  COLUMN_COUNT, COLUMN_ON_REQUEST,
	  COLUMN_AT(get_error, struct trace_fill, out_error) },
	{ "RESIDENT", "resident_bytes", "with --now: pages that are cached",
	  COLUMN_BYTES, COLUMN_ON_REQUEST, .is_signed = true,
	  .value_of = get_resident, .which = true },
	{ "PAGES-NOW", "resident_pages", "RESIDENT in pages", COLUMN_COUNT,
	  COLUMN_ON_REQUEST, .is_signed = true, .value_of = get_resident,
	  .which = false },
	{ "SHARE", "share_percent", "with --now: of all that is cached of NAME",
	  COLUMN_PERCENT, COLUMN_ON_REQUEST, .value = get_share },
	{ "STATE", "state",
	  "with --now: dead: a removed cgroup; not charged; unattributed",
	  COLUMN_TEXT, COLUMN_ON_REQUEST, .words = states,
	  COLUMN_AT(column_text_at, struct who_row, state) },
};

const char who_json_columns[] =
	"NAME,MAJ:MIN,COMMAND,PID,CGROUP,PAGES-IN,PAGES-OUT,IN-ERROR,OUT-ERROR";

const char who_folded_columns[] =
	"NAME,CACHE,COMMAND,PROCESSES,PID,CGROUP,IN,OUT,NET,HOW";

const struct column_set who_columns = COLUMN_SET("who", columns);
