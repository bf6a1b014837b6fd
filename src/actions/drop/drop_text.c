// SPDX-License-Identifier: GPL-2.0-or-later
#include <inttypes.h>
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

void drop_known_put(FILE *out, bool known, uint64_t size,
		    const struct drop_style *style)
{
	if (known)
		fputs(SIZE_IN((int64_t)size, style->unit), out);
	else
		fputs("unknown", out);
}

void drop_name_put(FILE *out, const char *name, const struct drop_style *style)
{
	int padding = style->width - (int)text_width(name, strlen(name));

	safe_name_put(out, name);
	fprintf(out, "%*s", padding > 0 ? padding : 0, "");
}

void drop_indent_put(FILE *out, const struct drop_style *style)
{
	fprintf(out, "%*s", style->width + 2, "");
}

void drop_dirty_put(FILE *out, uint64_t dirty, bool is_to_be_written,
		    const struct drop_style *style)
{
	fprintf(out, " (%s dirty%s)", SIZE_IN((int64_t)dirty, style->unit),
		is_to_be_written && dirty ? ", to be written first" : "");
}

void drop_change_put(FILE *out, uint64_t before, uint64_t after,
		     const struct drop_style *style)
{
	bool grew = after > before;

	fprintf(out, "  %s %s%s", grew ? "grew by" : "released",
		SIZE_IN((int64_t)(grew ? after - before : before - after),
			style->unit),
		grew ? ", read or written meanwhile" : "");
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

static void put_pages(FILE *out, const struct drop_result *result,
		      uint64_t pages, const struct drop_style *style)
{
	fputs(SIZE_IN((int64_t)(pages * result->page_size), style->unit), out);
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
	bool first = true;

	drop_indent_put(out, style);
	put_pages(out, result, pages, style);
	fputs(" stayed: ", out);
	if (dirty) {
		put_pages(out, result, dirty, style);
		fputs(" dirty, written to meanwhile", out);
		first = false;
	}
	if (writeback) {
		fputs(first ? "" : "; ", out);
		put_pages(out, result, writeback, style);
		fputs(" being written to the device", out);
		first = false;
	}
	/* A page can be both, so only this sum proves that others stayed. */
	if (dirty + writeback < pages)
		fputs(first ? "in use" : "; the rest in use", out);
	put_users(out, result);
	putc('\n', out);
}

static void put_reading(FILE *out, const char *when,
			const struct drop_result *result,
			const struct drop_reading *reading,
			const struct drop_style *style)
{
	fprintf(out, "  %s ", when);
	drop_known_put(out, drop_is_measured(reading),
		       drop_figure(reading, FIGURE_PAGES) * result->page_size,
		       style);
}

static void put_meminfo(FILE *out, const struct meminfo *meminfo,
			const struct drop_style *style)
{
	drop_known_put(out, meminfo_has(meminfo, MEMINFO_BUFFERS),
		       meminfo->kib[MEMINFO_BUFFERS] * 1024, style);
}

static void put_dirty(FILE *out, const struct drop_result *result,
		      const struct drop_style *style)
{
	if (sample_has(&result->before.figures, FIGURE_DIRTY))
		drop_dirty_put(out,
			       drop_figure(&result->before, FIGURE_DIRTY) *
				       result->page_size,
			       result->dry_run, style);
}

/* If the device could not be measured, the host's Buffers is all there is. */
static void put_buffers(FILE *out, const struct drop_result *result,
			const struct drop_style *style)
{
	drop_indent_put(out, style);
	fputs("Buffers of the whole host: before ", out);
	put_meminfo(out, &result->before.meminfo, style);
	fputs("  after ", out);
	put_meminfo(out, &result->after.meminfo, style);
	putc('\n', out);
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
		drop_indent_put(out, style);
		fprintf(out, "despite a write error (%s)\n", name);
	} else if (!known && result->dry_run) {
		drop_indent_put(out, style);
		fprintf(out,
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
	bool before = drop_is_measured(&result->before);
	bool after = drop_is_measured(&result->after);

	if (before || after) {
		put_reading(out, "before", result, &result->before, style);
		put_dirty(out, result, style);
		put_reading(out, "after", result, &result->after, style);
	} else {
		fputs("  done, but not measured", out);
	}
	if (before && after)
		drop_change_put(out,
				drop_figure(&result->before, FIGURE_PAGES) *
					result->page_size,
				drop_figure(&result->after, FIGURE_PAGES) *
					result->page_size,
				style);
	putc('\n', out);
	if (drop_figure(&result->after, FIGURE_PAGES))
		put_stayed(out, result, style);
	if (!before || !after)
		put_buffers(out, result, style);
	put_write_error(out, result, style);
}

static void put_forecast(FILE *out, const struct drop_result *result,
			 const struct drop_style *style)
{
	const struct drop_reading *before = &result->before;
	uint64_t pages = drop_figure(before, FIGURE_PAGES);

	if (!drop_is_measured(before)) {
		fputs("  not measured\n", out);
		put_write_error(out, result, style);
		return;
	}
	if (!pages) {
		fputs("  nothing to release\n", out);
		return;
	}
	fputs("  would release up to ", out);
	put_pages(out, result, pages, style);
	put_dirty(out, result, style);
	putc('\n', out);
	if (has_users(&result->target->names)) {
		drop_indent_put(out, style);
		fputs("some may stay: in use", out);
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
