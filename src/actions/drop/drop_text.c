// SPDX-License-Identifier: GPL-2.0-or-later
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "drop/drop.h"
#include "drop/drop_targets.h"
#include "drop/drop_text.h"
#include "fields/fields.h"
#include "lib/error.h"
#include "lib/number.h"
#include "lib/terminal.h"
#include "lib/utf8.h"

void drop_text_begin(struct drop_text *to, FILE *out, const char *name,
		     uint64_t page_size, const struct drop_style *style)
{
	int padding = style->width - (int)text_width(name, strlen(name));

	*to = (struct drop_text){ .style = style, .page_size = page_size };
	sentence_begin_on(&to->out, out);
	say(&to->out, "%s%*s", safe_name(&to->out, name),
	    padding > 0 ? padding : 0, "");
}

void drop_line(struct drop_text *to, const char *format, ...)
{
	va_list args;

	say(&to->out, "%*s", to->style->width + 2, "");
	va_start(args, format);
	vfprintf(to->out.out, format, args);
	va_end(args);
	say(&to->out, "\n");
}

/* A size that may be unknown, valid to the end of the enclosing block. */
#define KNOWN(pages_, to)                                                      \
	((pages_)->has_pages ? DROP_SIZE((pages_)->pages, to) : "unknown")

/* "(8K dirty)", if it is known. Valid to the end of the lines. */
static const char *dirty(struct drop_text *to, const struct drop_pages *pages,
			 bool is_to_be_written)
{
	if (!pages->has_dirty)
		return "";
	return piece(&to->out, " (%s dirty%s)", DROP_SIZE(pages->dirty, to),
		     is_to_be_written && pages->dirty ?
			     ", to be written first" :
			     "");
}

void drop_outcome_put(struct drop_text *to, const struct drop_pages *before,
		      const struct drop_pages *after)
{
	bool grew = after->pages > before->pages;

	if (!before->has_pages && !after->has_pages) {
		say(&to->out, "  done, but not measured\n");
		return;
	}
	say(&to->out, "  before %s%s  after %s", KNOWN(before, to),
	    dirty(to, before, false), KNOWN(after, to));
	if (before->has_pages && after->has_pages)
		say(&to->out, "  %s %s%s", grew ? "grew by" : "released",
		    DROP_SIZE(grew ? after->pages - before->pages :
				     before->pages - after->pages,
			      to),
		    grew ? ", read or written meanwhile" : "");
	say(&to->out, "\n");
}

bool drop_nothing_put(struct drop_text *to, const struct drop_pages *before)
{
	if (before->has_pages && before->pages)
		return false;
	say(&to->out,
	    before->has_pages ? "  nothing to release\n" : "  not measured\n");
	return true;
}

void drop_forecast_put(struct drop_text *to, const struct drop_pages *before,
		       uint64_t least, uint64_t most, bool is_to_be_written)
{
	say(&to->out, "  would release %s", DROP_SIZE(least, to));
	if (least != most)
		say(&to->out, " to %s", DROP_SIZE(most, to));
	say(&to->out, " of %s%s\n", DROP_SIZE(before->pages, to),
	    dirty(to, before, is_to_be_written));
}

static bool has_users(const struct device_names *names)
{
	return names->mountpoints.count || names->holders.count;
}

/* "(mounted on /mnt; used by vg-root)", as far as it is known. */
static const char *users_of(struct drop_text *to,
			    const struct drop_device *device)
{
	const struct string_list *mounts = &device->target->names.mountpoints;
	const struct string_list *holders = &device->target->names.holders;
	uint64_t openers = device->openers;

	if (has_users(&device->target->names))
		return piece(&to->out, " (%s%s%s%s%s)",
			     mounts->count ? "mounted on " : "",
			     safe_names(&to->out, mounts->strings,
					mounts->count, SIZE_MAX, ", "),
			     mounts->count && holders->count ? "; " : "",
			     holders->count ? "used by " : "",
			     safe_names(&to->out, holders->strings,
					holders->count, SIZE_MAX, ", "));
	return openers ? piece(&to->out, " (opened %" PRIu64 " time%s)",
			       openers, plural(openers)) :
			 "";
}

/*
 * The dirty pages were written, so those that are dirty now became so since.
 * Of the others, it is only known that they are in use: a page does not say who
 * holds it.
 */
static void put_stayed(struct drop_text *to, const struct drop_device *device)
{
	const struct drop_pages *after = &device->result.after;
	const char *dirty = "", *writeback = "", *rest = "";

	if (after->dirty)
		dirty = piece(&to->out, "%s dirty, written to meanwhile",
			      DROP_SIZE(after->dirty, to));
	if (after->writeback)
		writeback = piece(&to->out, "%s%s being written to the device",
				  after->dirty ? "; " : "",
				  DROP_SIZE(after->writeback, to));
	/* A page can be both, so only this sum proves that others stayed. */
	if (after->dirty + after->writeback < after->pages)
		rest = drop_pages_are_dirty(after) ? "; the rest in use" :
						     "in use";
	drop_line(to, "%s stayed: %s%s%s%s", DROP_SIZE(after->pages, to), dirty,
		  writeback, rest, users_of(to, device));
}

/* If the device could not be measured, the host's Buffers is all there is. */
static const char *buffers_of(struct drop_text *to,
			      const struct meminfo *meminfo)
{
	int64_t bytes;

	return meminfo_bytes(meminfo, MEMINFO_BUFFERS, &bytes) ?
		       piece(&to->out, "%s", SIZE_IN(bytes, to->style->unit)) :
		       "unknown";
}

/*
 * Prints an error that is overridden; with --dry-run, also that it is unknown
 * whether there is one.
 */
static void put_write_error(struct drop_text *to,
			    const struct drop_device *device)
{
	char name[ERRNO_NAME_SIZE];

	if (device->knows_write_error && device->write_error) {
		errno_name(device->write_error, name);
		drop_line(to, "despite a write error (%s)", name);
	} else if (!device->knows_write_error && device->result.dry_run) {
		drop_line(to,
			  "not known: whether a write to it has failed; kcore "
			  "and the module can tell (bufstat sources)%s",
			  device->result.despite_errors ?
				  "" :
				  "; all stays without --despite-errors");
	}
}

static void put_result(struct drop_text *to, const struct drop_device *device)
{
	const struct drop_result *result = &device->result;

	drop_outcome_put(to, &result->before, &result->after);
	if (result->after.pages)
		put_stayed(to, device);
	if (!result->before.has_pages || !result->after.has_pages)
		drop_line(to, "Buffers of the whole host: before %s  after %s",
			  buffers_of(to, &device->host_before),
			  buffers_of(to, &device->host_after));
	put_write_error(to, device);
}

static void put_forecast(struct drop_text *to, const struct drop_device *device)
{
	const struct drop_pages *before = &device->result.before;

	if (drop_nothing_put(to, before)) {
		if (!before->has_pages)
			put_write_error(to, device);
		return;
	}
	say(&to->out, "  would release up to %s%s\n",
	    DROP_SIZE(before->pages, to), dirty(to, before, true));
	if (has_users(&device->target->names))
		drop_line(to, "some may stay: in use%s", users_of(to, device));
	put_write_error(to, device);
}

int drop_text_put(FILE *out, const struct drop_device *device,
		  const struct drop_style *style)
{
	struct drop_text to;

	drop_text_begin(&to, out, device->target->name,
			device->result.page_size, style);
	if (drop_is_empty(device))
		say(&to.out, "  nothing to release: " DROP_NO_SECTORS "\n");
	else if (device->result.dry_run)
		put_forecast(&to, device);
	else
		put_result(&to, device);
	return sentence_end(&to.out, NULL);
}

static const struct field pages_list[] = {
	{ FIELD(struct drop_pages, pages, "pages", UINT64_MAX),
	  FIELD_KNOWN(struct drop_pages, has_pages) },
	{ FIELD(struct drop_pages, dirty, "dirty_pages", UINT64_MAX),
	  FIELD_KNOWN(struct drop_pages, has_dirty) },
	{ FIELD(struct drop_pages, writeback, "writeback_pages", UINT64_MAX),
	  FIELD_KNOWN(struct drop_pages, has_writeback) },
};

const struct fields drop_pages_fields = FIELDS(struct drop_pages, pages_list);

static const struct field done_list[] = {
	{ FIELD(struct drop_result, done, "done", 0),
	  .about = "what could be released was" },
	{ FIELD_ERROR(struct drop_result, error, "error"), .about = "why not" },
};

const struct fields drop_done_fields = FIELDS(struct drop_result, done_list);

static const struct field target_list[] = {
	{ FIELD_SENTENCE(struct drop_target, name, "name") },
	{ FIELD_DEVICE(struct drop_target, major, "maj:min") },
	{ FIELD_PART(struct drop_target, names, &device_users_fields) },
};

static const struct fields target_fields =
	FIELDS(struct drop_target, target_list);

static struct column_value get_buffers(const void *record, size_t place)
{
	const char *device = record;

	return meminfo_value((const void *)(device + place), MEMINFO_BUFFERS);
}

#define BUFFERS(member)                                                        \
	FIELD_VALUE("host_buffers_bytes", COLUMN_BYTES),                       \
		COLUMN_AT(get_buffers, struct drop_device, member),            \
		.about = "Buffers of the whole host", .null = ""

static const struct field before_list[] = {
	{ FIELD_PART(struct drop_device, result.before, &drop_pages_fields) },
	{ BUFFERS(host_before) },
};

static const struct fields before_fields =
	FIELDS(struct drop_device, before_list);

static const struct field after_list[] = {
	{ FIELD_PART(struct drop_device, result.after, &drop_pages_fields) },
	{ BUFFERS(host_after) },
};

static const struct fields after_fields =
	FIELDS(struct drop_device, after_list);

static const struct field device_list[] = {
	{ FIELD_POINTED(struct drop_device, target, &target_fields) },
	{ FIELD_SENTENCE(struct drop_device, result.source, "source"),
	  .about = "what measured it", .null = "nothing did" },
	{ FIELD(struct drop_device, result.page_size, "page_size_bytes",
		UINT64_MAX),
	  FIELD_WITH(struct drop_device, result.source) },
	{ DROP_WRITE_ERROR(struct drop_device) },
	{ FIELD_INNER("before", &before_fields) },
	{ FIELD_INNER("after", &after_fields),
	  FIELD_KNOWN(struct drop_device, result.done),
	  .null = "nothing was done" },
	{ FIELD_PART(struct drop_device, result, &drop_done_fields) },
	{ FIELD_ERROR(struct drop_device, result.why, "not_measured"),
	  .about = "why figures are missing" },
};

const struct fields drop_device_fields =
	FIELDS(struct drop_device, device_list);
