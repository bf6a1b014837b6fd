// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/array.h"
#include "lib/error.h"
#include "lib/json_in.h"
#include "lib/number.h"
#include "measure/saved.h"
#include "recorded/fills.h"

#define MINUTE_MS 60000
/* A report is never of more: pages and ids that are larger are damage. */
#define MOST_PAGES (UINT64_C(1) << 52)
#define DAY_MS INT64_C(86400000)
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

/* One copy of each path. Returns 0 or -ENOMEM. */
static int keep(struct fills *fills, const char *path, const char **kept)
{
	struct string_list *cgroups = &fills->cgroups;
	size_t at = 0;

	while (at < cgroups->count && strcmp(cgroups->strings[at], path) != 0)
		at++;
	if (at == cgroups->count && string_list_add(cgroups, path) < 0)
		return -ENOMEM;
	*kept = cgroups->strings[at];
	return 0;
}

static int read_cgroup(struct fills *fills, struct json_value from,
		       const char *key, const char **kept)
{
	const char *path;
	int ret = json_in_string(from, key, &path);

	return ret > 0 ? keep(fills, path, kept) : ret;
}

static int read_cache(struct json_value from, struct recorded_fill *fill)
{
	const char *number, *cache;
	int ret = json_in_string(from, "maj:min", &number);

	fill->has_cache = ret > 0;
	if (ret <= 0)
		return ret;
	if (!dev_number_parse(number, &fill->fill.major, &fill->fill.minor) ||
	    json_in_string(from, "cache", &cache) <= 0)
		return -EBADMSG;
	fill->fill.is_bdev = strcmp(cache, "device") == 0;
	return 0;
}

static int read_pages(struct json_value from, struct trace_fill *fill)
{
	static const char *const hows[FILL_HOWS] = {
		[FILL_READ] = "read",	  [FILL_WRITE] = "write",
		[FILL_FAULT] = "fault",	  [FILL_METADATA] = "metadata",
		[FILL_KERNEL] = "kernel", [FILL_OTHER] = "other",
	};

	for (unsigned int i = 0; i < FILL_HOWS; i++) {
		if (json_in_number(from, hows[i], MOST_PAGES, &fill->in[i]) <=
		    0)
			return -EBADMSG;
	}
	if (json_in_number(from, "pages_out", MOST_PAGES, &fill->out) <= 0 ||
	    json_in_number(from, "dropped", MOST_PAGES, &fill->dropped) <= 0)
		return -EBADMSG;
	if (json_in_has(from, "in_error") &&
	    (json_in_number(from, "in_error", MOST_PAGES, &fill->in_error) <=
		     0 ||
	     json_in_number(from, "out_error", MOST_PAGES, &fill->out_error) <=
		     0))
		return -EBADMSG;
	return 0;
}

/* Returns 0, -EBADMSG or -ENOMEM. */
static int read_fill(struct fills *fills, struct json_value from,
		     struct recorded_fill *fill)
{
	const char *command;
	uint64_t process = 0;
	int ret = read_cache(from, fill);

	if (ret < 0 || json_in_bool(from, "others", &fill->is_others) <= 0 ||
	    json_in_number(from, "pid", UINT32_MAX, &process) < 0)
		return -EBADMSG;
	fill->fill.process = (uint32_t)process;
	ret = json_in_string(from, "command", &command);
	if (ret > 0)
		snprintf(fill->fill.command, sizeof(fill->fill.command), "%s",
			 command);
	if (ret >= 0)
		ret = read_pages(from, &fill->fill);
	if (!ret)
		ret = read_cgroup(fills, from, "cgroup", &fill->cgroup);
	return ret   ?:
		       read_cgroup(fills, from, "on_behalf_of",
				   &fill->on_behalf_of);
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

/* Returns 0, -EBADMSG or -ENOMEM. */
static int read_head(struct fills *fills, struct json_value from, int64_t to_ms,
		     bool *knows_how)
{
	uint64_t over, lost, page_size;
	const char *engine;

	if (json_in_number(from, "over_ms", (uint64_t)DAY_MS, &over) <= 0 ||
	    json_in_number(from, "lost_events", UINT32_MAX, &lost) <= 0 ||
	    saved_read_page_size(from, &page_size) < 0 ||
	    json_in_bool(from, "knows_how", knows_how) <= 0 ||
	    json_in_string(from, "engine", &engine) <= 0)
		return -EBADMSG;
	if (array_make_room(&fills->reports, fills->report_count,
			    &fills->report_room) < 0)
		return -ENOMEM;
	fills->reports[fills->report_count++] =
		(struct recorded_report){ to_ms - (int64_t)over, to_ms,
					  json_in_has(from, "sampled_ms") };
	fills->lost_events += lost;
	fills->page_size = page_size;
	snprintf(fills->engine, sizeof(fills->engine), "%s", engine);
	return 0;
}

static int read_all(struct fills *fills, struct json_value root, int64_t to_ms,
		    bool by_minute)
{
	struct json_value item = { 0 };
	bool knows_how = false;
	size_t count = 0;
	int ret = read_head(fills, root, to_ms, &knows_how);

	if (!ret && json_in_array(root, "filled", &item, &count) <= 0)
		ret = -EBADMSG;
	/* The tracer learns it with the first page. */
	fills->lacks_how |= count && !knows_how;
	for (size_t i = 0; !ret && i < count; i++) {
		struct recorded_fill fill = {
			.from_ms =
				fills->reports[fills->report_count - 1].from_ms,
			.to_ms = to_ms,
			.series = FILL_OF_NONE,
		};

		ret = read_fill(fills, item, &fill);
		if (!ret)
			ret = add(fills, &fill, by_minute);
		if (i + 1 < count)
			item = json_in_next(item);
	}
	return ret;
}

int fills_take(struct fills *fills, const char *text, int64_t to_ms,
	       bool by_minute)
{
	char *copy = strdup(text);
	struct json_in *document;
	int ret = copy ? json_in_open(copy, &document) : -ENOMEM;

	if (!ret) {
		ret = read_all(fills, json_in_root(document), to_ms, by_minute);
		json_in_close(document);
	}
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

	if (!fills->is_starting) {
		ret = end_untraced(fills, real_ms, false);
		fills->untraced_ms = real_ms;
	}
	fills->is_starting = false;
	snprintf(fills->why, sizeof(fills->why), "%s", reason);
	return ret;
}

static int take_state(struct fills *fills, struct json_value state,
		      int64_t real_ms)
{
	const char *what, *reason;
	int ret;

	if (json_in_string(state, "state", &what) <= 0)
		return 0;
	if (strcmp(what, "untraced") == 0 &&
	    json_in_string(state, "reason", &reason) > 0)
		return begin_untraced(fills, real_ms, reason);
	if (strcmp(what, "started") == 0) {
		ret = end_untraced(fills, real_ms, false);
		begin_untraced(fills, real_ms,
			       "the tracer had not started yet");
		fills->is_starting = true;
		return ret;
	}
	if (strcmp(what, "tracing") == 0)
		return end_untraced(fills, real_ms, true);
	if (strcmp(what, "stopped") == 0)
		return end_untraced(fills, real_ms, false);
	return 0;
}

int fills_take_state(struct fills *fills, const char *text, int64_t real_ms)
{
	char *copy = strdup(text);
	struct json_in *document;
	int ret = copy ? json_in_open(copy, &document) : -ENOMEM;

	if (!ret) {
		ret = take_state(fills, json_in_root(document), real_ms);
		json_in_close(document);
	}
	return only_enomem(ret);
}

int fills_end(struct fills *fills, int64_t to_ms)
{
	return end_untraced(fills, to_ms, false);
}

bool fills_traced_all(const struct fills *fills)
{
	return fills->engine[0] && !fills->untraced.count;
}
