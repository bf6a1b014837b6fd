// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "devices/devices.h"
#include "filesystems/fs_saved.h"
#include "filesystems/measured_filesystems.h"
#include "lib/array.h"
#include "lib/cleanup.h"
#include "lib/error.h"
#include "measure/saved.h"
#include "recorded/growth.h"
#include "recorded/growth_series.h"
#include "store/documents.h"
#include "store/past.h"
#include "store/recording.h"
#include "worker/patience.h"

/* More than this is read from key records alone. */
#define EVERY_READING_MS INT64_C(21600000)
/* A name is recorded at least once in that time. */
#define NAMES_MS INT64_C(120000)

#define DAY_MS INT64_C(86400000)

static const struct {
	enum meminfo_field field;
	const char *name;
} fields[] = {
	{ MEMINFO_MEM_AVAILABLE, "MemAvailable" },
	{ MEMINFO_BUFFERS, "Buffers" },
	{ MEMINFO_CACHED, "Cached" },
	{ MEMINFO_SHMEM, "Shmem" },
	{ MEMINFO_SRECLAIMABLE, "SReclaimable" },
};

/* The recording as it is being read. */
struct reader {
	struct growth *growth;
	const struct growth_span *span;
	const char *path;
	struct patience *patience;
	struct recording_cursor cursor;
	bool takes_all; /* and not only one reading a minute */
	int64_t earliest_ms; /* of the readings in the span */
	int64_t heads_ms; /* when the last heads were that were taken */
	/* Names of a later time: they count if a reading of the span follows. */
	char *later_names;
	/*
	 * When the last reading of a kind was taken that listed all that has
	 * pages; 0: the last one did not.
	 */
	int64_t listed_ms[GROWTH_KINDS];
};

int growth_span_choose(struct growth_span *span, const struct sysroot *root,
		       const struct moment *from_given,
		       const struct moment *to_given, struct error *err)
{
	time_t now = past_now(root);
	int64_t now_ms = now * INT64_C(1000);
	struct moment from, to;

	moment_rebase(&from, from_given, now);
	moment_rebase(&to, to_given, now);
	span->has_from = from.count;
	span->leaves_filesystems = false;
	span->heads_apart_ms = 0;
	span->to_ms = to.count ? to.ms[to.count - 1] + MOMENT_LAST_MS : now_ms;
	span->from_ms = from.count ? from.ms[0] : span->to_ms - DAY_MS;
	if (span->to_ms < span->from_ms && to.is_clock)
		span->to_ms += DAY_MS;
	/* What is of later than today is asked for: the clock was set back. */
	if (span->to_ms > now_ms && span->to_ms - now_ms < DAY_MS &&
	    span->from_ms <= now_ms)
		span->to_ms = now_ms;
	if (span->to_ms >= span->from_ms)
		return 0;
	return error_option(err, "--to", "%s is before --from",
			    to.text ? to.text : "now");
}

void growth_deinit(struct growth *growth)
{
	for (size_t i = 0; i < growth->count; i++) {
		free(growth->series[i].name);
		free(growth->series[i].label);
		free(growth->series[i].points);
		free(growth->series[i].refused);
	}
	free(growth->series);
	cache_names_deinit(&growth->names);
	fills_deinit(&growth->fills);
	gaps_deinit(&growth->gaps);
	*growth = (struct growth){ 0 };
}

/* What is new had no pages in a reading that listed all that has some. */
static int add_point(struct reader *reader, enum growth_kind kind,
		     const char *name, const struct sample *sample,
		     int64_t bytes)
{
	struct growth_series *series =
		growth_add_series(reader->growth, kind, name);
	int64_t listed_ms = reader->listed_ms[kind];

	if (!series ||
	    (!series->count && listed_ms &&
	     growth_append(series, listed_ms, 0) < 0) ||
	    growth_append(series, reader->cursor.record.time.real_ms, bytes) <
		    0)
		return -ENOMEM;
	if (sample) {
		series->major = sample->major;
		series->minor = sample->minor;
	}
	series->is_seen = true;
	return 0;
}

/*
 * Where a source lists all that has pages, what it does not list has none.
 * Otherwise it is not known.
 */
static int add_absent(struct reader *reader, enum growth_kind kind)
{
	struct growth *growth = reader->growth;
	int ret = 0;

	for (size_t i = 0; !ret && i < growth->count; i++) {
		const struct growth_series *series = &growth->series[i];

		if (series->kind == kind && !series->is_seen)
			ret = add_point(reader, kind, series->name, NULL, 0);
	}
	return ret;
}

/* One without pages is known by name, and the reason is the last. */
static int add_refused(struct reader *reader, const char *name,
		       const struct sample *sample)
{
	struct growth_series *series =
		growth_add_series(reader->growth, GROWTH_DEVICE, name);

	if (!series)
		return -ENOMEM;
	series->major = sample->major;
	series->minor = sample->minor;
	series->is_seen = true;
	free(series->refused);
	series->refused = strdup(sample->refused);
	return series->refused ? 0 : -ENOMEM;
}

static int add_sample(struct reader *reader, enum growth_kind kind,
		      const char *name, const struct sample *sample,
		      uint64_t page_size)
{
	char number[32];

	snprintf(number, sizeof(number), "%u:%u", sample->major, sample->minor);
	if (sample->refused && kind == GROWTH_DEVICE)
		return add_refused(reader, name ? name : number, sample);
	if (!sample_has(sample, FIGURE_PAGES))
		return 0;
	return add_point(reader, kind, name ? name : number, sample,
			 (int64_t)(sample->figures[FIGURE_PAGES] * page_size));
}

static void note_listed(struct reader *reader, enum growth_kind kind,
			bool lists_all_pages)
{
	reader->listed_ms[kind] =
		lists_all_pages ? reader->cursor.record.time.real_ms : 0;
}

static void forget_seen(struct growth *growth)
{
	for (size_t i = 0; i < growth->count; i++)
		growth->series[i].is_seen = false;
}

static int take_devices(struct reader *reader, const struct devices *devices)
{
	int64_t bytes;
	int ret = 0;

	for (size_t i = 0; !ret && i < devices->count; i++)
		ret = add_sample(reader, GROWTH_DEVICE,
				 devices->devices[i].sample.kname,
				 &devices->devices[i].sample,
				 devices->page_size);
	if (!ret && devices->lists_all_pages)
		ret = add_absent(reader, GROWTH_DEVICE);
	note_listed(reader, GROWTH_DEVICE, devices->lists_all_pages);
	for (size_t i = 0; !ret && i < sizeof(fields) / sizeof(*fields); i++) {
		if (meminfo_bytes(&devices->meminfo, fields[i].field, &bytes))
			ret = add_point(reader, GROWTH_MEMORY, fields[i].name,
					NULL, bytes);
	}
	if (!ret && devices_have_rest(devices))
		ret = add_point(reader, GROWTH_MEMORY, "(unattributed)", NULL,
				devices_rest_bytes(devices));
	return ret;
}

static int read_devices(struct reader *reader, const struct saved *saved)
{
	_cleanup_(devices_deinit) struct devices devices = { 0 };
	int ret = devices_read(&devices, saved);

	reader->growth->measured += ret > 0;
	return ret < 0 ? ret : take_devices(reader, &devices);
}

static int read_filesystems(struct reader *reader, const struct saved *saved)
{
	_cleanup_(filesystems_deinit) struct filesystems all = { 0 };
	int ret = fs_saved_read(saved, &all);

	for (size_t i = 0; ret > 0 && i < all.count; i++) {
		const struct filesystem *filesystem = &all.filesystems[i];
		int added = add_sample(reader, GROWTH_FILESYSTEM,
				       filesystem_place(filesystem),
				       &filesystem->sample, all.page_size);

		if (added < 0)
			return added;
	}
	if (ret > 0 && all.lists_all_pages)
		ret = add_absent(reader, GROWTH_FILESYSTEM);
	note_listed(reader, GROWTH_FILESYSTEM, all.lists_all_pages);
	return ret < 0 ? ret : 0;
}

static int read_heads(struct reader *reader, const struct saved *saved)
{
	reader->heads_ms = reader->cursor.record.time.real_ms;
	return growth_take_heads(reader->growth, saved, reader->heads_ms);
}

static int read_answer(struct reader *reader, const struct saved *saved)
{
	int ret;

	switch (reader->cursor.record.kind) {
	case STORE_DEVICES:
		ret = read_devices(reader, saved);
		growth_resolve_fills(reader->growth);
		return ret;
	case STORE_MEMORY:
		return read_heads(reader, saved);
	default:
		return read_filesystems(reader, saved);
	}
}

/* What cannot be read is not there; its CRC was right, so that is rare. */
static int take_text(struct reader *reader, char *text, size_t size)
{
	struct saved saved;
	struct error err;
	int ret = saved_open_recorded(&saved, text, size, reader->path, &err);

	if (ret < 0)
		return only_enomem(ret);
	forget_seen(reader->growth);
	ret = read_answer(reader, &saved);
	saved_close(&saved);
	return only_enomem(ret);
}

static bool is_in_span(const struct reader *reader)
{
	const struct growth_span *span = reader->span;
	const struct segment_record *record = &reader->cursor.record;

	return record->time.real_ms >= span->from_ms &&
	       record->time.real_ms <= span->to_ms;
}

/* Where the clock was set back, they are wanted again. */
static bool is_wanted_for_heads(const struct reader *reader)
{
	const int64_t apart_ms = reader->span->heads_apart_ms;
	const int64_t ms =
		reader->cursor.record.time.real_ms - reader->heads_ms;

	return apart_ms && (ms < 0 || ms >= apart_ms);
}

static bool is_wanted(const struct reader *reader)
{
	const struct segment_record *record = &reader->cursor.record;

	if (!record->readable || (!record->key && !reader->takes_all))
		return false;
	switch (record->kind) {
	case STORE_DEVICES:
		return true;
	case STORE_FILESYSTEMS:
		return !reader->span->leaves_filesystems;
	case STORE_MEMORY:
		return is_wanted_for_heads(reader);
	default:
		return false;
	}
}

static void count_reading(struct reader *reader)
{
	const int64_t real_ms = reader->cursor.record.time.real_ms;
	struct growth *growth = reader->growth;

	if (!is_in_span(reader)) {
		growth->later += real_ms > reader->span->to_ms;
		if (real_ms > growth->latest_ms)
			growth->latest_ms = real_ms;
		return;
	}
	if (!growth->readings++)
		growth->first_ms = reader->earliest_ms = real_ms;
	if (real_ms < reader->earliest_ms)
		reader->earliest_ms = real_ms;
	growth->last_ms = real_ms;
}

static int take_names(struct reader *reader)
{
	_cleanup_(freep) char *text = NULL;
	size_t size;
	int ret = recording_text(&reader->cursor, &text, &size);

	if (ret < 0)
		return only_enomem(ret);
	if (reader->cursor.record.time.real_ms <= reader->span->to_ms)
		return cache_names_take(&reader->growth->names, text);
	free(reader->later_names);
	reader->later_names = steal_ptr(text);
	return 0;
}

static int take_later_names(struct reader *reader)
{
	_cleanup_(freep) char *text = steal_ptr(reader->later_names);

	return text ? cache_names_take(&reader->growth->names, text) : 0;
}

static int take_fills(struct reader *reader)
{
	_cleanup_(freep) char *text = NULL;
	size_t size;
	int ret = recording_text(&reader->cursor, &text, &size);

	if (ret < 0)
		return only_enomem(ret);
	return fills_take(&reader->growth->fills, text,
			  reader->cursor.record.time.real_ms,
			  !reader->takes_all);
}

static void add_cost(struct growth_cost *cost, const struct store_state *state)
{
	if (!state->has_cost || !state->has_resident)
		return;
	cost->cpu_us += state->cpu_us;
	cost->over_ms += state->over_ms;
	if (state->resident_kib > cost->resident_kib)
		cost->resident_kib = state->resident_kib;
}

/* Returns 1 if the record is a state, 0 if it is none, or -ENOMEM. */
static int read_state(const struct reader *reader, struct store_state *state)
{
	const struct segment_record *record = &reader->cursor.record;
	_cleanup_(freep) char *text = NULL;
	size_t size;
	int ret;

	if (record->kind != STORE_STATE || !record->readable)
		return 0;
	ret = recording_text(&reader->cursor, &text, &size);
	if (!ret)
		ret = store_document_read(text, &store_state_fields, state);
	return ret ? only_enomem(ret) : 1;
}

/* Returns 0 or -ENOMEM. */
static int take_state(struct reader *reader)
{
	const struct segment_record *record = &reader->cursor.record;
	struct growth *growth = reader->growth;
	struct store_state state = { 0 };
	int ret = read_state(reader, &state), is_state = ret > 0;

	if (is_state && is_in_span(reader))
		add_cost(&growth->cost, &state);
	/* What began before the span may go on in it. */
	if (is_state && record->time.real_ms <= reader->span->to_ms)
		ret = fills_take_state(&growth->fills, &state,
				       record->time.real_ms);
	if (ret >= 0)
		ret = gaps_take(&growth->gaps, &reader->cursor,
				is_state ? &state : NULL);
	fields_release(&store_state_fields, &state);
	return ret;
}

/* What things were called is recorded once a minute, also before the span. */
static int take_record(struct reader *reader)
{
	const struct segment_record *record = &reader->cursor.record;
	char *text;
	size_t size;
	int ret;

	ret = take_state(reader);
	if (!ret && record->kind == STORE_NAMES && record->readable)
		return take_names(reader);
	if (record->kind == STORE_DEVICES && record->readable)
		count_reading(reader);
	if (ret < 0 || !is_in_span(reader))
		return ret;
	ret = take_later_names(reader);
	if (ret < 0)
		return ret;
	if (record->kind == STORE_FILLED && record->readable)
		return take_fills(reader);
	if (!is_wanted(reader))
		return 0;
	ret = recording_text(&reader->cursor, &text, &size);
	if (ret < 0)
		return only_enomem(ret);
	return take_text(reader, text, size);
}

/* The first segment that was read may begin in the span. */
static bool is_short(const struct growth_span *span,
		     const struct recording *recording)
{
	int64_t from_ms = span->from_ms;
	size_t first = 0;

	while (first < recording->count && !recording->segments[first].data)
		first++;
	if (first < recording->count &&
	    recording->segments[first].place.identity.time.real_ms > from_ms)
		from_ms =
			recording->segments[first].place.identity.time.real_ms;
	return span->to_ms - from_ms <= EVERY_READING_MS;
}

/* Of the gaps that were met, leaves those of the span, and adds its two ends. */
static int end_gaps(struct reader *reader)
{
	const struct growth_span *span = reader->span;
	struct gaps *gaps = &reader->growth->gaps;
	bool begins = reader->earliest_ms - span->from_ms <= 60000;
	int ret = 0;

	/* If the clock was set back, the last one may be of before. */
	if (gaps->has_last && gaps->last.real_ms >= span->from_ms)
		ret = gaps_end(gaps, span->to_ms);
	gaps_clip(gaps, span->from_ms, span->to_ms);
	for (size_t i = 0; i < gaps->count; i++)
		begins |= gaps->gaps[i].from_ms == span->from_ms;
	if (!ret && !begins && reader->growth->readings && span->has_from)
		ret = gaps_add(gaps, span->from_ms, reader->earliest_ms,
			       "not recorded");
	return ret;
}

static int read_all(struct reader *reader, const struct recording *recording)
{
	struct growth *growth = reader->growth;
	int ret;

	reader->takes_all = is_short(reader->span, recording);

	recording_cursor_init(&reader->cursor, recording);
	while ((ret = recording_next(&reader->cursor)) > 0) {
		ret = take_record(reader) ?: patience_look(reader->patience);
		if (ret < 0)
			break;
	}
	recording_cursor_deinit(&reader->cursor);
	free(reader->later_names);
	if (!ret)
		ret = end_gaps(reader);
	growth_resolve_fills(growth);
	if (!ret)
		ret = growth_add_unmeasured(growth);
	if (!ret)
		ret = growth_label_devices(growth);
	if (!ret)
		ret = fills_end(&growth->fills, reader->span->from_ms,
				reader->span->to_ms);
	return ret;
}

int growth_read(struct growth *growth, const char *path,
		const struct growth_span *span, struct patience *patience,
		struct error *err)
{
	struct reader reader = {
		.growth = growth,
		.span = span,
		.path = path,
		.patience = patience,
	};
	struct recording recording;
	int ret = recording_open(&recording, path, patience, err);

	*growth = (struct growth){ 0 };
	if (!ret)
		ret = recording_load(&recording, span->from_ms - NAMES_MS,
				     span->to_ms, patience, err);
	if (!ret) {
		ret = read_all(&reader, &recording);
		if (ret == -ETIMEDOUT)
			error_doing(err, ETIMEDOUT, "reading a recording", path,
				    PATIENCE_OVER);
		else if (ret < 0)
			error_errno(err, -ret, "reading a recording", path);
	}
	if (!ret && !growth->readings)
		ret = recording_nothing(
			&recording, "nothing was recorded in that time", err);
	recording_close(&recording);
	return ret;
}
