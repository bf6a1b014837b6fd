// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <stdlib.h>

#include "lib/array.h"
#include "lib/cleanup.h"
#include "lib/error.h"
#include "store/past_steps.h"
#include "store/recording.h"

/* How far back the readings of a run may be. */
#define RUN_MS INT64_C(7200000)

static int failed(int ret, const char *path, enum store_kind kind,
		  struct error *err)
{
	static const char *const names[STORE_KINDS] = {
		[STORE_DEVICES] = "the devices were",
		[STORE_FILESYSTEMS] = "the filesystems were",
		[STORE_MEMORY] = "memory was",
	};

	if (ret == -ENODATA)
		return error_doing(err, ENODATA, "reading a recording",
				   recording_shown(path), "%s not recorded",
				   names[kind]);
	return error_errno(err, -ret, "reading a recording", path);
}

static int add_step(struct past_steps *steps,
		    const struct segment_record *record, int64_t until_ms)
{
	struct past_step *last =
		steps->count ? &steps->steps[steps->count - 1] : NULL;

	if (record->kind != STORE_DEVICES) {
		if (last && record->time.boot_ms >= last->boot_ms &&
		    record->time.boot_ms - last->boot_ms <=
			    PAST_SAME_READING_MS)
			last->last = record->sequence;
		return 0;
	}
	if (array_make_room(&steps->steps, steps->count, &steps->capacity) < 0)
		return -ENOMEM;
	steps->steps[steps->count++] = (struct past_step){
		.real_ms = record->time.real_ms,
		.until_ms = record->time.real_ms + until_ms,
		.boot_ms = record->time.boot_ms,
		.last = record->sequence,
	};
	return 0;
}

static int add_steps(struct past_steps *steps,
		     const struct recording *recording)
{
	int64_t until_ms = PAST_USUAL_UNTIL_MS;
	struct recording_cursor cursor;
	int ret;

	recording_cursor_init(&cursor, recording);
	while ((ret = recording_next(&cursor)) > 0) {
		_cleanup_(freep) char *text = NULL;
		size_t size;

		if (!cursor.record.readable)
			continue;
		if (cursor.record.kind == STORE_STATE)
			ret = recording_text(&cursor, &text, &size);
		if (text)
			until_ms = past_until_ms(text, until_ms);
		if (ret == -ENOMEM ||
		    add_step(steps, &cursor.record, until_ms) < 0)
			break;
	}
	recording_cursor_deinit(&cursor);
	return ret > 0 ? -ENOMEM : ret;
}

int past_steps_read(struct past_steps *steps, const char *path,
		    struct patience *patience, struct error *err)
{
	struct recording recording;
	int ret = recording_open(&recording, path, patience, err);

	if (!ret)
		ret = recording_load(&recording, INT64_MIN, INT64_MAX, patience,
				     err);
	if (!ret) {
		ret = add_steps(steps, &recording);
		if (ret < 0)
			failed(ret, path, STORE_DEVICES, err);
		else if (!steps->count)
			ret = recording_nothing(&recording,
						"the devices were not recorded",
						err);
	}
	recording_close(&recording);
	return ret;
}

void past_steps_deinit(struct past_steps *steps)
{
	free(steps->steps);
	*steps = (struct past_steps){ 0 };
}

size_t past_steps_find(const struct past_steps *steps, int64_t at_ms)
{
	int64_t newest_ms = INT64_MIN;
	size_t at = 0;

	/* If the clock was set, the last of all may be of long before. */
	for (size_t i = 0; i < steps->count; i++) {
		if (steps->steps[i].real_ms <= at_ms &&
		    steps->steps[i].real_ms >= newest_ms) {
			newest_ms = steps->steps[i].real_ms;
			at = i;
		}
	}
	return at;
}

bool past_steps_were_set_back(const struct past_steps *steps)
{
	for (size_t i = 1; i < steps->count; i++) {
		if (steps->steps[i].real_ms + STORE_SET_MS <
		    steps->steps[i - 1].real_ms)
			return true;
	}
	return false;
}

/* The numbers of the records that a run is made of. */
struct numbers {
	uint64_t *ring;
	size_t most;
	size_t count; /* of all that were seen */
};

/* The number of the oldest record that is kept. */
static uint64_t oldest(const struct numbers *numbers)
{
	return numbers->ring[numbers->count > numbers->most ?
				     numbers->count % numbers->most :
				     0];
}

static int find_numbers(struct numbers *numbers,
			const struct recording *recording, enum store_kind kind,
			const struct past_step *step)
{
	struct recording_cursor cursor;
	int64_t newest_ms = 0;
	int ret;

	recording_cursor_init(&cursor, recording);
	while ((ret = recording_next(&cursor)) > 0 &&
	       cursor.record.sequence <= step->last) {
		if (cursor.record.kind != kind || !cursor.record.readable)
			continue;
		numbers->ring[numbers->count++ % numbers->most] =
			cursor.record.sequence;
		newest_ms = cursor.record.time.real_ms;
	}
	recording_cursor_deinit(&cursor);
	if (ret < 0)
		return ret;
	return numbers->count && step->real_ms - newest_ms <= PAST_MOST_AGE_MS ?
		       0 :
		       -ENODATA;
}

static int add_past(struct past_run *run, const struct recording_cursor *cursor)
{
	struct past *past = &run->pasts[run->count];
	int ret = recording_text(cursor, &past->text, &past->size);

	if (ret < 0)
		return ret == -EBADMSG ? 0 : ret;
	past->real_ms = cursor->record.time.real_ms;
	run->count++;
	return 0;
}

static int take_names(struct past_run *run,
		      const struct recording_cursor *cursor)
{
	char *text = NULL;
	size_t size;
	int ret = recording_text(cursor, &text, &size);

	if (ret < 0)
		return ret == -EBADMSG ? 0 : ret;
	free(run->names);
	run->names = text;
	return 0;
}

static int fill_run(struct past_run *run, const struct recording *recording,
		    enum store_kind kind, const struct numbers *numbers,
		    const struct past_step *step)
{
	const uint64_t first = oldest(numbers);
	struct recording_cursor cursor;
	int ret;

	recording_cursor_init(&cursor, recording);
	while ((ret = recording_next(&cursor)) > 0 &&
	       cursor.record.sequence <= step->last) {
		if (!cursor.record.readable)
			continue;
		if (cursor.record.kind == STORE_NAMES)
			ret = take_names(run, &cursor);
		else if (cursor.record.kind == kind &&
			 cursor.record.sequence >= first)
			ret = add_past(run, &cursor);
		if (ret < 0)
			break;
	}
	recording_cursor_deinit(&cursor);
	if (ret < 0)
		return ret;
	/* The names of a moment are recorded after its devices. */
	for (size_t i = 0; i < run->count; i++)
		run->pasts[i].names = run->names;
	return run->count ? 0 : -ENODATA;
}

static int read_run(struct past_run *run, const struct recording *recording,
		    enum store_kind kind, const struct past_step *step,
		    size_t most)
{
	struct numbers numbers = { .most = most };
	int ret = -ENOMEM;

	numbers.ring = calloc(most, sizeof(*numbers.ring));
	run->pasts = calloc(most, sizeof(*run->pasts));
	if (numbers.ring && run->pasts)
		ret = find_numbers(&numbers, recording, kind, step);
	if (!ret)
		ret = fill_run(run, recording, kind, &numbers, step);
	free(numbers.ring);
	return ret;
}

int past_run_read(struct past_run *run, const char *path, enum store_kind kind,
		  const struct past_step *step, size_t most,
		  struct patience *patience, struct error *err)
{
	struct recording recording;
	int ret = recording_open(&recording, path, patience, err);

	if (!ret)
		ret = recording_load(&recording, step->real_ms - RUN_MS,
				     step->real_ms + PAST_SAME_READING_MS,
				     patience, err);
	if (!ret) {
		ret = read_run(run, &recording, kind, step, most);
		if (ret < 0)
			failed(ret, path, kind, err);
	}
	recording_close(&recording);
	return ret;
}

void past_run_deinit(struct past_run *run)
{
	for (size_t i = 0; i < run->count; i++)
		free(run->pasts[i].text);
	free(run->names);
	free(run->pasts);
	*run = (struct past_run){ 0 };
}
