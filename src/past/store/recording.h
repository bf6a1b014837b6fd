/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reads a recording (format.h). Its disk may be sick, so workers read it
 * (ask.h).
 */
#ifndef BUFSTAT_RECORDING_H
#define BUFSTAT_RECORDING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "store/segment_index.h"
#include "store/segment_read.h"

struct error;
struct patience;

/* Where it is unless the user names another place. */
#define RECORDING_DIR "/var/lib/bufstat"

struct recording_segment {
	struct segment_place place;
	const uint8_t *data; /* NULL: not read, or it could not be read */
	bool is_unreadable; /* and not only left out */
	size_t size; /* bytes */
};

/* All zero bytes is empty. */
struct recording {
	struct recording_segment *segments; /* oldest first */
	size_t count;
	struct asked *asked; /* has the segments' bytes */
	struct recording_questions *questions; /* what asked refers to */
};

/*
 * Finds out what the recording at @path has. @path is a directory with a
 * recording or the file itself. Returns 0, also if nothing was recorded yet, or
 * a negative errno: -EBUSY if the disk does not answer, -EBADMSG if it is
 * damaged, -ENOMSG if it is no recording. The caller closes it in either case.
 */
int recording_open(struct recording *recording, const char *path,
		   struct patience *patience, struct error *err);
void recording_close(struct recording *recording);

/*
 * Reads the segments that may have something of the time from @from_ms to
 * @to_ms (CLOCK_REALTIME), whatever the clock did. Returns as recording_open().
 * To be called once.
 */
int recording_load(struct recording *recording, int64_t from_ms, int64_t to_ms,
		   struct patience *patience, struct error *err);

/* What messages call the recording at @path: one in a capture is a copy. */
const char *recording_shown(const char *path);

/*
 * For whoever found nothing in what was loaded: says that it is damaged, if it
 * is, else that it is @what, and of which time the recording is. Returns
 * -EBADMSG, -ENODATA or -ENOMEM.
 */
int recording_nothing(const struct recording *recording, const char *what,
		      struct error *err);

/*
 * Says that the recording at @path, of this time, has not what was asked for.
 * @was_set: its readings are not in the order of their times.
 */
int recording_not_then(const char *path, const char *what, int64_t first_ms,
		       int64_t last_ms, bool was_set, struct error *err);

/* Goes through the records of all segments that have been read. */
struct recording_cursor {
	const struct recording *recording;
	size_t segment; /* of the record */
	struct segment_reader *reader;
	struct segment_record record;
	/*
	 * The record is the first one of its segment, and the end of the
	 * segment before, or all of it, was lost.
	 */
	bool lost_segment;
	uint64_t next_sequence; /* after the segment before; 0: not known */
};

void recording_cursor_init(struct recording_cursor *cursor,
			   const struct recording *recording);
void recording_cursor_deinit(struct recording_cursor *cursor);

/* Moves to the next record. Returns 1, 0 at the end, or -ENOMEM. */
int recording_next(struct recording_cursor *cursor);

/* As segment_reader_text(), for the record of @cursor. */
int recording_text(const struct recording_cursor *cursor, char **text,
		   size_t *size);

/* The segment of the record of @cursor. */
static inline const struct segment_identity *
recording_identity(const struct recording_cursor *cursor)
{
	return &cursor->recording->segments[cursor->segment].place.identity;
}

#endif
