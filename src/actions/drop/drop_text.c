// SPDX-License-Identifier: GPL-2.0-or-later
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/sysmacros.h>

#include "drop/drop.h"
#include "drop/drop_targets.h"
#include "drop/drop_text.h"
#include "lib/error.h"
#include "lib/json_out.h"
#include "lib/number.h"
#include "lib/terminal.h"
#include "lib/utf8.h"

void drop_name_put(FILE *out, const char *name, const struct drop_style *style)
{
	int padding = style->width - (int)text_width(name, strlen(name));

	safe_name_put(out, name);
	fprintf(out, "%*s", padding > 0 ? padding : 0, "");
}

void drop_indent_put(FILE *out, const struct drop_style *style,
		     const char *format, ...)
{
	va_list args;

	fprintf(out, "%*s", style->width + 2, "");
	va_start(args, format);
	vfprintf(out, format, args);
	va_end(args);
}

/* A size that may be unknown, valid to the end of the enclosing block. */
#define KNOWN(is_known, bytes, style)                                          \
	((is_known) ? DROP_SIZE(bytes, style) : "unknown")

void drop_dirty_put(FILE *out, const struct drop_sizes *sizes,
		    bool is_to_be_written, const struct drop_style *style)
{
	if (sizes->has_dirty)
		fprintf(out, " (%s dirty%s)", DROP_SIZE(sizes->dirty, style),
			is_to_be_written && sizes->dirty ?
				", to be written first" :
				"");
}

void drop_outcome_put(FILE *out, const struct drop_sizes *before,
		      const struct drop_sizes *after,
		      const struct drop_style *style)
{
	bool grew = after->bytes > before->bytes;

	if (!before->is_known && !after->is_known) {
		fputs("  done, but not measured\n", out);
		return;
	}
	fprintf(out, "  before %s",
		KNOWN(before->is_known, before->bytes, style));
	drop_dirty_put(out, before, false, style);
	fprintf(out, "  after %s", KNOWN(after->is_known, after->bytes, style));
	if (before->is_known && after->is_known)
		fprintf(out, "  %s %s%s", grew ? "grew by" : "released",
			DROP_SIZE(grew ? after->bytes - before->bytes :
					 before->bytes - after->bytes,
				  style),
			grew ? ", read or written meanwhile" : "");
	putc('\n', out);
}

bool drop_nothing_put(FILE *out, const struct drop_sizes *before)
{
	if (before->is_known && before->bytes)
		return false;
	fputs(before->is_known ? "  nothing to release\n" : "  not measured\n",
	      out);
	return true;
}

void drop_forecast_put(FILE *out, const struct drop_sizes *before,
		       uint64_t least, uint64_t most, bool is_to_be_written,
		       const struct drop_style *style)
{
	fprintf(out, "  would release %s", DROP_SIZE(least, style));
	if (least != most)
		fprintf(out, " to %s", DROP_SIZE(most, style));
	fprintf(out, " of %s", DROP_SIZE(before->bytes, style));
	drop_dirty_put(out, before, is_to_be_written, style);
	putc('\n', out);
}

void drop_list_put(FILE *out, const struct string_list *list, size_t most)
{
	for (size_t i = 0; i < list->count && i < most; i++) {
		fputs(i ? ", " : "", out);
		safe_name_put(out, list->strings[i]);
	}
}

void drop_write_error_write(struct json_out *json, bool known,
			    unsigned int error)
{
	char name[ERRNO_NAME_SIZE] = "none";

	if (error)
		errno_name(error, name);
	json_out_string(json, "write_error", known ? name : NULL);
}

static bool has_users(const struct device_names *names)
{
	return names->mountpoints.count || names->holders.count;
}

/* "(mounted on /mnt; used by vg-root)", as far as it is known. */
static void put_users(FILE *out, const struct drop_result *result)
{
	const struct device_names *names = &result->target->names;
	const struct drop_reading *last = result->dry_run ? &result->before :
							    &result->after;
	uint64_t openers = drop_figure(last, FIGURE_OPENERS);

	if (has_users(names)) {
		fputs(names->mountpoints.count ? " (mounted on " : " (", out);
		drop_list_put(out, &names->mountpoints, SIZE_MAX);
		if (names->mountpoints.count && names->holders.count)
			fputs("; ", out);
		fputs(names->holders.count ? "used by " : "", out);
		drop_list_put(out, &names->holders, SIZE_MAX);
		putc(')', out);
	} else if (openers) {
		fprintf(out, " (opened %" PRIu64 " %s)", openers,
			openers == 1 ? "time" : "times");
	}
}

/*
 * The dirty pages were written, so those that are dirty now became so since.
 * Of the others, it is only known that they are in use: a page does not say who
 * holds it.
 */
static void put_stayed(FILE *out, const struct drop_result *result,
		       const struct drop_style *style)
{
	uint64_t pages = drop_figure(&result->after, FIGURE_PAGES);
	uint64_t dirty = drop_figure(&result->after, FIGURE_DIRTY);
	uint64_t writeback = drop_figure(&result->after, FIGURE_WRITEBACK);
	uint64_t page_size = result->page_size;

	drop_indent_put(out, style,
			"%s stayed: ", DROP_SIZE(pages * page_size, style));
	if (dirty)
		fprintf(out, "%s dirty, written to meanwhile",
			DROP_SIZE(dirty * page_size, style));
	if (writeback)
		fprintf(out, "%s%s being written to the device",
			dirty ? "; " : "",
			DROP_SIZE(writeback * page_size, style));
	/* A page can be both, so only this sum proves that others stayed. */
	if (dirty + writeback < pages)
		fputs(dirty || writeback ? "; the rest in use" : "in use", out);
	put_users(out, result);
	putc('\n', out);
}

static struct drop_sizes sizes_of(const struct drop_result *result,
				  const struct drop_reading *reading)
{
	return (struct drop_sizes){
		.is_known = drop_is_measured(reading),
		.bytes = drop_figure(reading, FIGURE_PAGES) * result->page_size,
		.has_dirty = sample_has(&reading->figures, FIGURE_DIRTY),
		.dirty = drop_figure(reading, FIGURE_DIRTY) * result->page_size,
	};
}

/* If the device could not be measured, the host's Buffers is all there is. */
static void put_buffers(FILE *out, const struct drop_result *result,
			const struct drop_style *style)
{
	const struct meminfo *before = &result->before.meminfo;
	const struct meminfo *after = &result->after.meminfo;

	drop_indent_put(out, style,
			"Buffers of the whole host: before %s  after %s\n",
			KNOWN(meminfo_has(before, MEMINFO_BUFFERS),
			      before->kib[MEMINFO_BUFFERS] * 1024, style),
			KNOWN(meminfo_has(after, MEMINFO_BUFFERS),
			      after->kib[MEMINFO_BUFFERS] * 1024, style));
}

/*
 * Prints an error that is overridden; with --dry-run, also that it is unknown
 * whether there is one.
 */
static void put_write_error(FILE *out, const struct drop_result *result,
			    const struct drop_style *style)
{
	char name[ERRNO_NAME_SIZE];
	unsigned int error;
	bool known = drop_knows_write_error(result, &error);

	if (known && error) {
		errno_name(error, name);
		drop_indent_put(out, style, "despite a write error (%s)\n",
				name);
	} else if (!known && result->dry_run) {
		drop_indent_put(
			out, style,
			"not known: whether a write to it has failed; "
			"kcore and the module can tell (bufstat sources)%s\n",
			result->despite_errors ?
				"" :
				"; all stays without --despite-errors");
	}
}

static void put_result(FILE *out, const struct drop_result *result,
		       const struct drop_style *style)
{
	const struct drop_sizes before = sizes_of(result, &result->before);
	const struct drop_sizes after = sizes_of(result, &result->after);

	drop_outcome_put(out, &before, &after, style);
	if (after.bytes)
		put_stayed(out, result, style);
	if (!before.is_known || !after.is_known)
		put_buffers(out, result, style);
	put_write_error(out, result, style);
}

static void put_forecast(FILE *out, const struct drop_result *result,
			 const struct drop_style *style)
{
	const struct drop_sizes before = sizes_of(result, &result->before);

	if (drop_nothing_put(out, &before)) {
		if (!before.is_known)
			put_write_error(out, result, style);
		return;
	}
	fprintf(out, "  would release up to %s",
		DROP_SIZE(before.bytes, style));
	drop_dirty_put(out, &before, true, style);
	putc('\n', out);
	if (has_users(&result->target->names)) {
		drop_indent_put(out, style, "some may stay: in use");
		put_users(out, result);
		putc('\n', out);
	}
	put_write_error(out, result, style);
}

void drop_text_put(FILE *out, const struct drop_result *result,
		   const struct drop_style *style)
{
	drop_name_put(out, result->target->name, style);
	if (drop_is_empty(result))
		fputs("  nothing to release: " DROP_NO_SECTORS "\n", out);
	else if (result->dry_run)
		put_forecast(out, result, style);
	else
		put_result(out, result, style);
}

static void write_reading(struct json_out *json, const char *key,
			  const struct drop_reading *reading)
{
	static const struct {
		const char *key;
		enum figure figure;
	} figures[] = {
		{ "pages", FIGURE_PAGES },
		{ "dirty_pages", FIGURE_DIRTY },
		{ "writeback_pages", FIGURE_WRITEBACK },
	};

	json_out_object(json, key);
	for (size_t i = 0; i < sizeof(figures) / sizeof(*figures); i++) {
		json_out_unsigned_if(json, figures[i].key,
				     sample_has(&reading->figures,
						figures[i].figure),
				     drop_figure(reading, figures[i].figure));
	}
	meminfo_write_bytes(json, "host_buffers_bytes", &reading->meminfo,
			    MEMINFO_BUFFERS);
	json_out_object_end(json);
}

static void write_result(struct json_out *json,
			 const struct drop_result *result)
{
	const struct drop_target *target = result->target;
	dev_t device = target->found.number;
	unsigned int error = 0;
	char number[32];
	bool known;

	snprintf(number, sizeof(number), "%u:%u", major(device), minor(device));
	json_out_object(json, NULL);
	json_out_string(json, "name", target->name);
	json_out_string(json, "maj:min", number);
	json_out_strings(json, "mountpoints",
			 device_names_mounts(&target->names));
	json_out_strings(json, "holders", device_names_holders(&target->names));
	json_out_string(json, "source", result->source);
	json_out_unsigned_if(json, "page_size_bytes", result->source,
			     result->page_size);
	known = drop_knows_write_error(result, &error);
	drop_write_error_write(json, known, error);
	write_reading(json, "before", &result->before);
	if (result->done)
		write_reading(json, "after", &result->after);
	else
		json_out_null(json, "after");
	json_out_bool(json, "done", result->done);
	json_out_error(json, "error", &result->error);
	if (drop_is_empty(result) && !drop_is_measured(&result->before))
		json_out_string(json, "not_measured", DROP_NO_SECTORS);
	else
		json_out_error(json, "not_measured", &result->why);
	json_out_object_end(json);
}

void drop_json_write(struct json_out *json, const struct drop_result *results,
		     size_t count)
{
	json_out_array(json, "devices");
	for (size_t i = 0; i < count; i++)
		write_result(json, &results[i]);
	json_out_array_end(json);
}
