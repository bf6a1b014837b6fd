// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/array.h"
#include "lib/error.h"
#include "measure/snapshot.h"
#include "recorded/fills.h"
#include "store/documents.h"

#define MINUTE_MS 60000
/* The tracer loads its programs in less, unless the host is slow. */
#define USUAL_START_MS 1000
/* If it has not said by then that it traces, there is no tracer. */
#define LONGEST_START_MS MINUTE_MS

void fills_deinit(struct fills *fills)
{
	free(fills->fills);
	free(fills->reports);
	string_list_deinit(&fills->cgroups);
	gaps_deinit(&fills->untraced);
	*fills = (struct fills){ 0 };
}

/* One copy of each path, or NULL of none. Returns 0 or -ENOMEM. */
static int keep(struct fills *fills, const char *path, const char **kept)
{
	struct string_list *cgroups = &fills->cgroups;
	size_t at = 0;

	*kept = NULL;
	if (!path)
		return 0;
	while (at < cgroups->count && strcmp(cgroups->strings[at], path) != 0)
		at++;
	if (at == cgroups->count && string_list_add(cgroups, path) < 0)
		return -ENOMEM;
	*kept = cgroups->strings[at];
	return 0;
}

bool fills_are_alike(const struct recorded_fill *a,
		     const struct recorded_fill *b)
{
	return a->has_cache == b->has_cache && a->is_others == b->is_others &&
	       a->fill.major == b->fill.major &&
	       a->fill.minor == b->fill.minor &&
	       a->fill.is_bdev == b->fill.is_bdev && a->cgroup == b->cgroup &&
	       a->on_behalf_of == b->on_behalf_of &&
	       strcmp(a->fill.command, b->fill.command) == 0;
}

void fills_add(struct recorded_fill *to, const struct recorded_fill *from)
{
	trace_fill_add(&to->fill, &from->fill);
	if (to->to_ms < from->to_ms)
		to->to_ms = from->to_ms;
}

/*
 * Adds it to one like it of the same minute, where that is wanted. Only those
 * that were not resolved yet have the same series for sure.
 */
static bool join(struct fills *fills, const struct recorded_fill *fill)
{
	for (size_t i = fills->count; i-- > fills->unresolved;) {
		struct recorded_fill *other = &fills->fills[i];

		if (other->from_ms / MINUTE_MS != fill->from_ms / MINUTE_MS)
			return false;
		if (!fills_are_alike(other, fill))
			continue;
		fills_add(other, fill);
		return true;
	}
	return false;
}

static int add(struct fills *fills, const struct recorded_fill *fill,
	       bool by_minute)
{
	if (by_minute && join(fills, fill))
		return 0;
	if (array_make_room(&fills->fills, fills->count, &fills->room) < 0)
		return -ENOMEM;
	fills->fills[fills->count++] = *fill;
	return 0;
}

static int take_head(struct fills *fills, const struct store_filled *filled,
		     int64_t to_ms)
{
	if (array_make_room(&fills->reports, fills->report_count,
			    &fills->report_room) < 0)
		return -ENOMEM;
	fills->reports[fills->report_count++] =
		(struct recorded_report){ to_ms - filled->over_ms, to_ms,
					  filled->sampled_ms };
	fills->lost_events += filled->lost_events;
	fills->page_size = filled->page_size;
	snprintf(fills->engine, sizeof(fills->engine), "%s", filled->engine);
	/* The tracer learns it with the first page. */
	fills->lacks_how |= filled->count && !filled->knows_how;
	return 0;
}

static int take_all(struct fills *fills, const struct store_filled *filled,
		    int64_t to_ms, bool by_minute)
{
	int ret = take_head(fills, filled, to_ms);

	for (size_t i = 0; !ret && i < filled->count; i++) {
		const struct store_fill *row = &filled->fills[i];
		struct recorded_fill fill = {
			.from_ms = to_ms - filled->over_ms,
			.to_ms = to_ms,
			.fill = row->fill,
			.has_cache = row->has_cache,
			.is_others = row->is_others,
			.series = FILL_OF_NONE,
		};

		ret = keep(fills, row->cgroup, &fill.cgroup) ?:
			      keep(fills, row->on_behalf_of, &fill.on_behalf_of) ?:
			      add(fills, &fill, by_minute);
	}
	return ret;
}

int fills_take(struct fills *fills, const char *text, int64_t to_ms,
	       bool by_minute)
{
	struct store_filled filled = { 0 };
	int ret = store_document_read(text, &store_filled_fields, &filled);

	if (!ret && page_size_is_sound(filled.page_size))
		ret = take_all(fills, &filled, to_ms, by_minute);
	fields_release(&store_filled_fields, &filled);
	return only_enomem(ret);
}

/* Whether it is known that nobody was traced until @to_ms. */
static bool is_known(const struct fills *fills, int64_t to_ms, bool traces_now)
{
	int64_t took_ms = to_ms - fills->untraced_ms;

	if (!fills->untraced_ms)
		return false;
	return !fills->is_starting ||
	       (took_ms >= USUAL_START_MS &&
		(traces_now || took_ms < LONGEST_START_MS));
}

static int end_untraced(struct fills *fills, int64_t to_ms, bool traces_now)
{
	int64_t from_ms = fills->untraced_ms;
	bool known = is_known(fills, to_ms, traces_now);

	fills->untraced_ms = 0;
	fills->is_starting = false;
	return known ? gaps_add(&fills->untraced, from_ms, to_ms, fills->why) :
		       0;
}

/* A recorder that cannot trace was not traced from its start on. */
static int begin_untraced(struct fills *fills, int64_t real_ms,
			  const char *reason)
{
	int ret = 0;

	/* The recorder repeats it, for readers of a later part. */
	if (fills->untraced_ms && !fills->is_starting &&
	    strcmp(fills->why, reason) == 0)
		return 0;
	if (!fills->is_starting) {
		ret = end_untraced(fills, real_ms, false);
		fills->untraced_ms = real_ms;
	}
	fills->is_starting = false;
	snprintf(fills->why, sizeof(fills->why), "%s", reason);
	return ret;
}

int fills_take_state(struct fills *fills, const struct store_state *state,
		     int64_t real_ms)
{
	int ret;

	switch (state->what) {
	case STORE_UNTRACED:
		return begin_untraced(fills, real_ms, state->reason ?: "");
	case STORE_STARTED:
		ret = end_untraced(fills, real_ms, false);
		begin_untraced(fills, real_ms,
			       "the tracer had not started yet");
		fills->is_starting = true;
		return ret;
	case STORE_TRACING:
		return end_untraced(fills, real_ms, true);
	case STORE_STOPPED:
		return end_untraced(fills, real_ms, false);
	default:
		return 0;
	}
}

int fills_end(struct fills *fills, int64_t from_ms, int64_t to_ms)
{
	int ret = end_untraced(fills, to_ms, false);

	gaps_clip(&fills->untraced, from_ms, to_ms);
	return ret;
}

bool fills_traced_all(const struct fills *fills)
{
	return fills->engine[0] && !fills->untraced.count;
}
