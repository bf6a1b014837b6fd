// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/absolute_path.h"
#include "lib/cleanup.h"
#include "lib/error.h"
#include "lib/utc.h"
#include "lib/whole.h"
#include "store/excerpt.h"
#include "store/format.h"
#include "store/recording.h"
#include "store/recording_file.h"
#include "worker/ask.h"

/* A disk that is busy may need longer than most that is asked. */
#define SILENCE_MS 1000

/* What a worker finds in the file. */
struct index_answer {
	int result; /* number of places, or a negative errno */
	struct segment_place places[STORE_MOST_SEGMENTS];
};

struct recording_questions {
	struct ask ask;
	char path[PATH_MAX]; /* absolute: the workers are elsewhere */
	const struct recording *recording;
	size_t *segments; /* the one that each question is about */
	int64_t from_ms, to_ms; /* what is loaded */
};

/* The file itself, or the one in a directory. */
static int open_there(const char *path)
{
	_cleanup_(closep) int fd = open(path, O_RDONLY | O_CLOEXEC);
	struct stat status;
	int file;

	if (fd < 0 || fstat(fd, &status) < 0)
		return -errno;
	if (!S_ISDIR(status.st_mode))
		return steal_fd(&fd);
	file = openat(fd, RECORDING_NAME, O_RDONLY | O_CLOEXEC);
	return file < 0 ? -errno : file;
}

/*
 * What a file without a segment is. Returns 0 if it is the room of a recording,
 * -EBADMSG if it was a recording, -ENOMSG if it was none, or another errno.
 */
static int look_for_damage(int fd)
{
	uint8_t bytes[4096];
	struct stat status;
	uint64_t offset = 0;
	bool blank = true;
	int alike = 0; /* bytes of a header's beginning, which may be damaged */
	long length;

	if (fstat(fd, &status) < 0)
		return -errno;
	if (!S_ISREG(status.st_mode))
		return -ENOMSG;
	while ((length = pread_whole(fd, bytes, sizeof(bytes), offset)) > 0) {
		for (long i = 0; i < length; i++) {
			alike += i < 8 &&
				 bytes[i] == (uint8_t)STORE_HEADER_MAGIC[i];
			blank &= !bytes[i];
		}
		if (!blank)
			return alike >= 6 ? -EBADMSG : -ENOMSG;
		offset += (uint64_t)length;
	}
	return (int)length;
}

static size_t answer_index(const void *data,
			   size_t index __attribute__((unused)), void *answer)
{
	const struct recording_questions *questions = data;
	struct index_answer *found = answer;
	_cleanup_(closep) int fd = open_there(questions->path);

	found->result = fd < 0 ? fd : segment_index_read(fd, found->places);
	if (!found->result)
		found->result = look_for_damage(fd);
	return offsetof(struct index_answer, places) +
	       (found->result > 0 ? (size_t)found->result : 0) *
		       sizeof(*found->places);
}

const char *recording_shown(const char *path)
{
	char own[32];
	int length = snprintf(own, sizeof(own), "/proc/%d/fd/", getpid());

	return strncmp(path, own, (size_t)length) ? path : &EXCERPT_PATH[1];
}

static int silent(const struct asked *asked, size_t index, const char *path,
		  struct error *err)
{
	char why[ASK_WHY];

	return error_doing(err, EBUSY, "reading a recording",
			   recording_shown(path), "%s",
			   asked_why(asked, index, why));
}

static int failed(int ret, const char *path, struct error *err)
{
	path = recording_shown(path);
	switch (ret) {
	case -ENOENT:
		return error_advise(err, ENOENT, "reading a recording", path,
				    "bufstat record makes one",
				    "there is none");
	case -EBADMSG:
		return error_doing(err, EBADMSG, "reading a recording", path,
				   "it is damaged: what is asked for cannot be "
				   "read");
	case -ENOMSG:
		return error_doing(err, ENOMSG, "reading a recording", path,
				   "it is no recording");
	case -EPROTO:
		return error_doing(err, EPROTO, "reading a recording", path,
				   "a later version of bufstat has written it");
	default:
		return error_errno(err, -ret, "reading a recording", path);
	}
}

static int take_index(struct recording *recording,
		      const struct index_answer *found, const char *path,
		      struct error *err)
{
	if (found->result < 0)
		return failed(found->result, path, err);
	recording->segments =
		calloc((size_t)found->result + 1, sizeof(*recording->segments));
	if (!recording->segments)
		return failed(-ENOMEM, path, err);
	recording->count = (size_t)found->result;
	for (size_t i = 0; i < recording->count; i++)
		recording->segments[i].place = found->places[i];
	return 0;
}

int recording_open(struct recording *recording, const char *path,
		   struct patience *patience, struct error *err)
{
	struct recording_questions *questions = calloc(1, sizeof(*questions));
	struct asked *asked;
	const struct index_answer *found;
	int ret;

	*recording = (struct recording){ .questions = questions };
	if (!questions)
		return failed(-ENOMEM, path, err);
	ret = absolute_path(path, questions->path);
	if (ret < 0)
		return failed(ret, path, err);
	questions->recording = recording;
	questions->ask = (struct ask){
		.answer = answer_index,
		.data = questions,
		.answer_size = sizeof(struct index_answer),
		.kept = -1,
		.what = questions->path,
		.silence_ms = SILENCE_MS,
		.patience = patience,
	};
	found = ask_one(&questions->ask, &asked, &ret, err);
	if (!ret)
		ret = found ? take_index(recording, found, path, err) :
			      silent(asked, 0, path, err);
	asked_destroy(asked);
	return ret;
}

void recording_close(struct recording *recording)
{
	asked_destroy(recording->asked);
	if (recording->questions)
		free(recording->questions->segments);
	free(recording->questions);
	free(recording->segments);
	*recording = (struct recording){ 0 };
}

/* The bytes of a segment, after how many there are. */
struct segment_answer {
	int64_t size; /* or a negative errno */
	uint8_t data[];
};

static size_t answer_segment(const void *data, size_t index, void *answer)
{
	const struct recording_questions *questions = data;
	const struct segment_place *place =
		&questions->recording->segments[questions->segments[index]]
			 .place;
	_cleanup_(closep) int fd = open_there(questions->path);
	struct segment_answer *read = answer;

	read->size = fd < 0 ? fd :
			      pread_whole(fd, read->data, place->size,
					  place->offset);
	return sizeof(*read) + (read->size > 0 ? (size_t)read->size : 0);
}

/*
 * A segment ends when the next one begins. If the clock was set meanwhile, its
 * ends do not tell what is between them, unless both are on the same side, by
 * more than the clock may have been set in a segment, and in order.
 */
static bool may_have(const struct recording *recording, size_t which,
		     int64_t from_ms, int64_t to_ms)
{
	const struct recording_segment *segment = &recording->segments[which];
	int64_t begin = segment->place.identity.time.real_ms, end;

	if (which + 1 == recording->count)
		return true;
	end = segment[1].place.identity.time.real_ms;
	return end < begin ||
	       (begin - STORE_SET_MS <= to_ms && end + STORE_SET_MS >= from_ms);
}

static int take_segments(struct recording *recording, const char *path,
			 struct error *err)
{
	struct recording_questions *questions = recording->questions;

	for (size_t i = 0; i < questions->ask.count; i++) {
		const struct segment_answer *read =
			asked_answer(recording->asked, i);
		struct recording_segment *segment =
			&recording->segments[questions->segments[i]];

		if (!read)
			return silent(recording->asked, i, path, err);
		/* One that cannot be read is a gap, and not the end of all. */
		if (read->size < 0 && read->size != -EIO)
			return failed((int)read->size, path, err);
		segment->is_unreadable = read->size < STORE_HEADER_BYTES;
		if (segment->is_unreadable)
			continue;
		segment->data = read->data;
		segment->size = (size_t)read->size;
	}
	return 0;
}

int recording_load(struct recording *recording, int64_t from_ms, int64_t to_ms,
		   struct patience *patience, struct error *err)
{
	struct recording_questions *questions = recording->questions;
	size_t count = 0;
	int ret;

	questions->from_ms = from_ms;
	questions->to_ms = to_ms;
	questions->segments =
		calloc(recording->count + 1, sizeof(*questions->segments));
	if (!questions->segments)
		return failed(-ENOMEM, questions->path, err);
	for (size_t i = 0; i < recording->count; i++) {
		if (may_have(recording, i, from_ms, to_ms))
			questions->segments[count++] = i;
	}
	if (!count)
		return 0;
	questions->ask.answer = answer_segment;
	questions->ask.count = count;
	questions->ask.answer_size = sizeof(struct segment_answer) +
				     recording->segments[0].place.size;
	questions->ask.patience = patience;
	ret = ask(&questions->ask, &recording->asked, err);
	return ret < 0 ? ret : take_segments(recording, questions->path, err);
}

/*
 * Whether something of the time that was asked for cannot be read in a segment:
 * it is between two records, or there is none.
 */
static int look_at_segment(const struct recording_questions *questions,
			   const struct recording_segment *segment,
			   bool *damaged)
{
	int64_t after_ms = segment->place.identity.time.real_ms;
	struct segment_reader *reader;
	struct segment_record record;
	int ret = segment->data ? segment_reader_open(&reader, segment->data,
						      segment->size) :
				  -EIO;

	*damaged = ret < 0;
	if (ret < 0)
		return only_enomem(ret);
	while (!*damaged && (ret = segment_reader_next(reader, &record)) > 0) {
		*damaged = (record.lost ||
			    (record.kind < STORE_KINDS && !record.readable)) &&
			   after_ms <= questions->to_ms &&
			   record.time.real_ms >= questions->from_ms;
		after_ms = record.time.real_ms;
	}
	/* What follows the last record may be of a segment that was here. */
	for (size_t i = STORE_HEADER_BYTES;
	     !segment_reader_used(reader) && after_ms <= questions->to_ms &&
	     i < segment->size;
	     i++)
		*damaged |= segment->data[i];
	segment_reader_close(reader);
	return ret < 0 ? ret : 0;
}

static bool was_set_back(const struct recording *recording)
{
	for (size_t i = 1; i < recording->count; i++) {
		if (recording->segments[i].place.identity.time.real_ms <
		    recording->segments[i - 1].place.identity.time.real_ms)
			return true;
	}
	return false;
}

int recording_not_then(const char *path, const char *what, int64_t first_ms,
		       int64_t last_ms, bool was_set, struct error *err)
{
	char first[MOMENT_TEXT_SIZE], last[MOMENT_TEXT_SIZE];

	return error_doing(
		err, ENODATA, "reading a recording", path,
		last_ms ? "%s (the recording is of %s to %s%s)" : "%s", what,
		moment_text(first_ms, first), moment_text(last_ms, last),
		was_set ? "; the clock was set back meanwhile, "
			  "bufstat history shows when" :
			  "");
}

int recording_nothing(const struct recording *recording, const char *what,
		      struct error *err)
{
	const struct recording_questions *questions = recording->questions;
	const size_t count = recording->asked ? questions->ask.count : 0;
	struct recording_cursor cursor;
	int64_t last_ms = 0;
	bool damaged = false;
	int ret = 0;

	for (size_t i = 0; !ret && !damaged && i < count; i++)
		ret = look_at_segment(
			questions, &recording->segments[questions->segments[i]],
			&damaged);
	if (ret || damaged)
		return failed(ret ? ret : -EBADMSG, questions->path, err);
	/* The last segment is among those that were loaded (may_have()). */
	recording_cursor_init(&cursor, recording);
	while (recording_next(&cursor) > 0)
		last_ms = cursor.record.time.real_ms;
	recording_cursor_deinit(&cursor);
	return recording_not_then(
		recording_shown(questions->path), what,
		last_ms ? recording->segments->place.identity.time.real_ms : 0,
		last_ms, was_set_back(recording), err);
}

void recording_cursor_init(struct recording_cursor *cursor,
			   const struct recording *recording)
{
	*cursor = (struct recording_cursor){ .recording = recording };
}

void recording_cursor_deinit(struct recording_cursor *cursor)
{
	segment_reader_close(cursor->reader);
	*cursor = (struct recording_cursor){ 0 };
}

/* A segment that was not asked for tells nothing about what comes next. */
static int open_segment(struct recording_cursor *cursor)
{
	const struct recording_segment *segment =
		&cursor->recording->segments[cursor->segment];
	uint64_t first = segment->place.identity.sequence;
	int ret = -EBADMSG;

	if (segment->data)
		ret = segment_reader_open(&cursor->reader, segment->data,
					  segment->size);
	if (ret < 0)
		cursor->next_sequence = 0;
	cursor->lost_segment = cursor->next_sequence &&
			       first > cursor->next_sequence;
	return only_enomem(ret);
}

int recording_next(struct recording_cursor *cursor)
{
	int ret = 0;

	cursor->lost_segment = false;
	for (; cursor->segment < cursor->recording->count; cursor->segment++) {
		if (!cursor->reader)
			ret = open_segment(cursor);
		if (!ret && cursor->reader)
			ret = segment_reader_next(cursor->reader,
						  &cursor->record);
		if (ret)
			return ret;
		if (!cursor->reader)
			continue;
		cursor->next_sequence = segment_reader_sequence(cursor->reader);
		segment_reader_close(cursor->reader);
		cursor->reader = NULL;
	}
	return 0;
}

int recording_text(const struct recording_cursor *cursor, char **text,
		   size_t *size)
{
	return segment_reader_text(cursor->reader, &cursor->record, text, size);
}
