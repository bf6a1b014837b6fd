// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

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

int advices_init(struct advices *advices, const struct trace_totals *totals,
		 const struct who_rows *rows)
{
	*advices = (struct advices){
		.list = calloc(totals->count + 1, sizeof(*advices->list)),
	};
	if (!advices->list)
		return -ENOMEM;
	for (size_t i = 0; i < totals->count; i++) {
		const struct trace_fill *fill = &totals->fills[i];
		enum advice worked = advice_of(fill);

		if (worked == ADVICE_NONE)
			continue;
		advices->list[advices->count++] = (struct advised){
			.fill = *fill,
			.cache = who_caches_at(rows, fill->major, fill->minor,
					       fill->is_bdev),
			.worked = worked,
			.pages_in = trace_fill_in(fill),
			.knows_asked = totals->knows_asked,
			.has_pid = !totals->foreign_pids,
		};
	}
	return 0;
}

void advices_deinit(struct advices *advices)
{
	free(advices->list);
	*advices = (struct advices){ 0 };
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

static void print_advised(struct sentence *out, const struct advised *advised,
			  struct size_unit unit)
{
	const struct trace_fill *fill = &advised->fill;
	enum advice worked = advised->worked;
	uint64_t pages = advised->pages_in;

	say(out, "%s", safe_name(out, fill->command));
	if (advised->has_pid)
		say(out, " (%u)", fill->process);
	say(out,
	    " brought in %s from %s and dropped %s: its fadvise(DONTNEED) "
	    "%s%s",
	    SIZE_OF(pages, unit),
	    safe_name(out, who_cache_name(advised->cache)),
	    SIZE_OF(fill->dropped, unit),
	    worked == ADVICE_WORKED ? "worked" :
	    worked == ADVICE_FAILED ? "did not work" :
				      "worked in part",
	    worked == ADVICE_WORKED ? "" : reason(fill));
	if (fill->dropped > pages)
		say(out, ", and %s that was cached before went too",
		    SIZE_OF(fill->dropped - pages, unit));
	say(out, ".\n");
}

int advices_print(FILE *stream, const struct advices *advices,
		  struct size_unit unit)
{
	struct sentence out;

	sentence_begin_on(&out, stream);
	for (size_t i = 0; i < advices->count && i < PRINTED_MOST; i++)
		print_advised(&out, &advices->list[i], unit);
	if (advices->count > PRINTED_MOST)
		say(&out, "Others that called fadvise(DONTNEED): %zu.\n",
		    advices->count - PRINTED_MOST);
	return sentence_end(&out, NULL);
}

static struct column_value get_name(const void *data)
{
	return column_text(who_cache_name(data));
}

static const struct field cache_list[] = {
	{ FIELD_VALUE("name", COLUMN_TEXT), .value = get_name,
	  .about = "the device, or where the filesystem is mounted" },
	{ FIELD_DEVICE(struct who_cache, major, "maj:min") },
};

static const struct fields cache_fields = FIELDS(struct who_cache, cache_list);

/* Number of calls. */
#define CALLS(member, key)                                                     \
	FIELD(struct advised, member, key, UINT32_MAX),                        \
		FIELD_KNOWN(struct advised, knows_asked)

static const struct field advised_list[] = {
	{ FIELD_POINTED(struct advised, cache, &cache_fields) },
	{ FIELD_TEXT(struct advised, fill.command, "command", SAYS_PROCESS) },
	{ FIELD(struct advised, fill.process, "pid", UINT32_MAX),
	  FIELD_KNOWN(struct advised, has_pid),
	  .null = "it means nothing in this PID namespace" },
	{ FIELD(struct advised, pages_in, "pages_in", UINT64_MAX) },
	{ FIELD(struct advised, fill.dropped, "dropped_pages", UINT64_MAX),
	  .about = "that went by these calls, whoever brought them in" },
	{ FIELD_WORD(struct advised, worked, "worked", words),
	  .about = "nine tenths of pages_in, less, or less than one tenth" },
	{ CALLS(fill.asked, "calls"), .null = "this kernel does not tell" },
	{ CALLS(fill.dirty, "dirty_calls"),
	  .about = "after which the file was dirty or being written in part" },
	{ CALLS(fill.mapped, "mapped_calls"),
	  .about = "after which the file had pages and was mapped" },
};

const struct fields advised_fields = FIELDS(struct advised, advised_list);
