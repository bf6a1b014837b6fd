// SPDX-License-Identifier: GPL-2.0-or-later
#include <unistd.h>

#include "lib/json_out.h"
#include "lib/sentence.h"
#include "trace/trace.h"
#include "who/advice.h"
#include "who/who_caches.h"

#define PRINTED_MOST 3

static const char *const words[] = {
	[ADVICE_WORKED] = "yes",
	[ADVICE_IN_PART] = "in part",
	[ADVICE_FAILED] = "no",
};

enum advice advice_of(const struct trace_fill *fill)
{
	uint64_t in = trace_fill_in(fill);

	if (!fill->dropped &&
	    !(fill->asked && (in || fill->dirty || fill->mapped)))
		return ADVICE_NONE;
	if (!fill->dropped || fill->dropped < in / 10)
		return ADVICE_FAILED;
	return fill->dropped >= in - in / 10 ? ADVICE_WORKED : ADVICE_IN_PART;
}

static const struct who_cache *cache_of(const struct who_rows *rows,
					const struct trace_fill *fill)
{
	return who_caches_at(rows, fill->major, fill->minor, fill->is_bdev);
}

#define SIZE_OF(pages, unit)                                                   \
	SIZE_IN((int64_t)(pages)*sysconf(_SC_PAGESIZE), unit)

/* What kept pages, after at least one of the calls. */
static const char *reason(const struct trace_fill *fill)
{
	if (fill->dirty && fill->mapped)
		return ": files were being written, or mapped by a process";
	if (fill->dirty)
		return ": files were dirty or being written";
	return fill->mapped ? ": files were mapped by a process" : "";
}

static void print_fill(struct sentence *out, const struct trace_fill *fill,
		       const struct who_rows *rows, struct size_unit unit,
		       bool foreign_pids)
{
	enum advice advice = advice_of(fill);
	uint64_t pages = trace_fill_in(fill);

	say(out, "%s", safe_name(out, fill->command));
	if (!foreign_pids)
		say(out, " (%u)", fill->process);
	say(out,
	    " brought in %s from %s and dropped %s: its fadvise(DONTNEED) "
	    "%s%s",
	    SIZE_OF(pages, unit),
	    safe_name(out, who_cache_name(cache_of(rows, fill))),
	    SIZE_OF(fill->dropped, unit),
	    advice == ADVICE_WORKED ? "worked" :
	    advice == ADVICE_FAILED ? "did not work" :
				      "worked in part",
	    advice == ADVICE_WORKED ? "" : reason(fill));
	if (fill->dropped > pages)
		say(out, ", and %s that was cached before went too",
		    SIZE_OF(fill->dropped - pages, unit));
	say(out, ".\n");
}

int advice_print(FILE *stream, const struct trace_totals *totals,
		 const struct who_rows *rows, struct size_unit unit)
{
	struct sentence out;
	size_t count = 0;

	sentence_begin_on(&out, stream);
	for (size_t i = 0; i < totals->count; i++) {
		if (advice_of(&totals->fills[i]) != ADVICE_NONE &&
		    count++ < PRINTED_MOST)
			print_fill(&out, &totals->fills[i], rows, unit,
				   totals->foreign_pids);
	}
	if (count > PRINTED_MOST)
		say(&out, "Others that called fadvise(DONTNEED): %zu.\n",
		    count - PRINTED_MOST);
	return sentence_end(&out, NULL);
}

static void write_fill(struct json_out *json, const struct trace_fill *fill,
		       const struct who_rows *rows, bool knows_asked,
		       bool foreign_pids)
{
	const struct who_cache *cache = cache_of(rows, fill);

	json_out_object(json, NULL);
	json_out_string(json, "name", who_cache_name(cache));
	json_out_string(json, "maj:min", cache->number);
	json_out_string(json, "command", fill->command);
	if (foreign_pids)
		json_out_null(json, "pid");
	else
		json_out_unsigned(json, "pid", fill->process);
	json_out_unsigned(json, "pages_in", trace_fill_in(fill));
	json_out_unsigned(json, "dropped_pages", fill->dropped);
	json_out_string(json, "worked", words[advice_of(fill)]);
	if (knows_asked) {
		json_out_unsigned(json, "calls", fill->asked);
		json_out_unsigned(json, "dirty_calls", fill->dirty);
		json_out_unsigned(json, "mapped_calls", fill->mapped);
	} else {
		json_out_null(json, "calls");
		json_out_null(json, "dirty_calls");
		json_out_null(json, "mapped_calls");
	}
	json_out_object_end(json);
}

void advice_write(struct json_out *json, const struct trace_totals *totals,
		  const struct who_rows *rows)
{
	if (!totals->knows_how) {
		json_out_null(json, "advised");
		return;
	}
	json_out_array(json, "advised");
	for (size_t i = 0; i < totals->count; i++) {
		if (advice_of(&totals->fills[i]) != ADVICE_NONE)
			write_fill(json, &totals->fills[i], rows,
				   totals->knows_asked, totals->foreign_pids);
	}
	json_out_array_end(json);
}
