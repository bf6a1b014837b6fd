// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/array.h"
#include "lib/error.h"
#include "recorded/gaps.h"
#include "store/documents.h"

#define USUAL_INTERVAL_MS 10000
/* Without readings for so many intervals, there is a gap. */
#define MOST_INTERVALS 3
/* Until so much the clock is only corrected. */
#define CLOCK_MS 2000

int gaps_add(struct gaps *gaps, int64_t from_ms, int64_t to_ms,
	     const char *cause)
{
	struct gap *gap;

	if (array_make_room(&gaps->gaps, gaps->count, &gaps->room) < 0)
		return -ENOMEM;
	gap = &gaps->gaps[gaps->count++];
	*gap = (struct gap){ .from_ms = from_ms, .to_ms = to_ms };
	snprintf(gap->cause, sizeof(gap->cause), "%s", cause);
	return 0;
}

void gaps_deinit(struct gaps *gaps)
{
	free(gaps->gaps);
	*gaps = (struct gaps){ 0 };
}

static void take_state(struct gaps *gaps, const struct store_state *state)
{
	gaps->started |= state->what == STORE_STARTED;
	gaps->stopped |= state->what == STORE_STOPPED;
	if (state->what == STORE_FAILED && state->reason)
		snprintf(gaps->failed, sizeof(gaps->failed), "%s",
			 state->reason);
	if (state->interval_ms)
		gaps->interval_ms = state->interval_ms;
}

static bool is_late(const struct gaps *gaps, const struct store_time *time)
{
	int64_t interval_ms = gaps->interval_ms ? gaps->interval_ms :
						  USUAL_INTERVAL_MS;

	return time->boot_ms - gaps->last.boot_ms >
	       MOST_INTERVALS * interval_ms;
}

/* Returns why there is nothing between two readings, or NULL if that is not so.
 */
static const char *find_cause(const struct gaps *gaps,
			      const struct recording_cursor *cursor,
			      char text[160])
{
	const struct segment_identity *identity = recording_identity(cursor);
	bool rebooted =
		memcmp(gaps->boot_id, identity->boot_id, STORE_BOOT_ID) != 0;

	if (rebooted)
		return gaps->stopped ? "the host was restarted" :
				       "power cut, crash or reset of the host";
	if (gaps->started)
		return gaps->stopped ? "the recorder was stopped" :
				       "the recorder died";
	if (gaps->lost_segment)
		return "lost: the disk did not keep up, or it is damaged";
	if (gaps->lost)
		return "the recording is damaged";
	if (!is_late(gaps, &cursor->record.time))
		return NULL;
	if (*gaps->failed) {
		snprintf(text, 160, "no reading: %s", gaps->failed);
		return text;
	}
	return "no readings: the host slept or was too busy";
}

/* In which case there is a time that never was, or one that was twice. */
static int take_clock(struct gaps *gaps, const struct store_time *time)
{
	int64_t shift_ms = (time->real_ms - time->boot_ms) -
			   (gaps->last.real_ms - gaps->last.boot_ms);
	int64_t seconds = (shift_ms < 0 ? -shift_ms : shift_ms) / 1000;
	char cause[96];

	if (shift_ms >= -CLOCK_MS && shift_ms <= CLOCK_MS)
		return 0;
	snprintf(cause, sizeof(cause),
		 "the clock was set %s by %" PRId64 ":%02" PRId64 ":%02" PRId64,
		 shift_ms < 0 ? "back" : "forward", seconds / 3600,
		 seconds / 60 % 60, seconds % 60);
	return gaps_add(gaps, gaps->last.real_ms, time->real_ms, cause);
}

static int take_reading(struct gaps *gaps,
			const struct recording_cursor *cursor)
{
	const struct segment_identity *identity = recording_identity(cursor);
	const struct store_time *time = &cursor->record.time;
	char text[160];
	const char *cause = gaps->has_last ? find_cause(gaps, cursor, text) :
					     NULL;
	int ret = 0;

	if (cause)
		ret = gaps_add(gaps, gaps->last.real_ms, time->real_ms, cause);
	if (!ret && gaps->has_last &&
	    memcmp(gaps->boot_id, identity->boot_id, STORE_BOOT_ID) == 0)
		ret = take_clock(gaps, time);
	gaps->has_last = true;
	gaps->last = *time;
	memcpy(gaps->boot_id, identity->boot_id, STORE_BOOT_ID);
	gaps->stopped = gaps->started = false;
	gaps->lost = gaps->lost_segment = false;
	*gaps->failed = '\0';
	return ret;
}

/* Adds what is missing from the last reading to @now, when none was. */
static int end_at(struct gaps *gaps, const struct store_time *now)
{
	if (!gaps->has_last || !is_late(gaps, now))
		return 0;
	return gaps_add(gaps, gaps->last.real_ms, now->real_ms,
			gaps->stopped ? "the recorder has been stopped" :
			*gaps->failed ? gaps->failed :
					"nothing was recorded: the recorder "
					"died, or the host went down");
}

/* Of a segment that was left out, only the beginning is known. */
static int leave_out(struct gaps *gaps, const struct segment_identity *identity)
{
	bool same_boot =
		memcmp(gaps->boot_id, identity->boot_id, STORE_BOOT_ID) == 0;
	int ret = same_boot ? end_at(gaps, &identity->time) :
			      gaps_end(gaps, identity->time.real_ms);

	if (!ret && gaps->has_last && same_boot)
		ret = take_clock(gaps, &identity->time);
	gaps->has_last = false;
	return ret;
}

static int enter_segment(struct gaps *gaps,
			 const struct recording_cursor *cursor)
{
	const struct recording_segment *segments = cursor->recording->segments;
	int ret = 0;

	for (; !ret && gaps->segment < cursor->segment; gaps->segment++) {
		if (segments[gaps->segment].is_unreadable)
			gaps->lost = true;
		else if (!segments[gaps->segment].data)
			ret = leave_out(
				gaps, &segments[gaps->segment].place.identity);
	}
	return ret;
}

int gaps_take(struct gaps *gaps, const struct recording_cursor *cursor,
	      const struct store_state *state)
{
	const struct segment_record *record = &cursor->record;

	if (enter_segment(gaps, cursor) < 0)
		return -ENOMEM;
	gaps->lost_segment |= cursor->lost_segment;
	gaps->lost |= record->lost ||
		      (!record->readable && record->kind < STORE_KINDS);
	if (state)
		take_state(gaps, state);
	if (record->kind == STORE_DEVICES && record->readable)
		return take_reading(gaps, cursor);
	return 0;
}

int gaps_end(struct gaps *gaps, int64_t now_ms)
{
	const struct store_time now = {
		.boot_ms = gaps->last.boot_ms + now_ms - gaps->last.real_ms,
		.real_ms = now_ms,
	};

	return end_at(gaps, &now);
}

void gaps_clip(struct gaps *gaps, int64_t from_ms, int64_t to_ms)
{
	size_t count = 0;

	for (size_t i = 0; i < gaps->count; i++) {
		struct gap gap = gaps->gaps[i];
		bool is_back = gap.to_ms < gap.from_ms;

		if ((is_back ? gap.from_ms : gap.to_ms) < from_ms ||
		    (is_back ? gap.to_ms : gap.from_ms) > to_ms)
			continue;
		if (!is_back && gap.from_ms < from_ms)
			gap.from_ms = from_ms;
		if (!is_back && gap.to_ms > to_ms)
			gap.to_ms = to_ms;
		gaps->gaps[count++] = gap;
	}
	gaps->count = count;
}
