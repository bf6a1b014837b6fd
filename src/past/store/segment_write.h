/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Writes documents into a segment (format.h) in memory. After
 * segment_writer_create() nothing is allocated.
 */
#ifndef BUFSTAT_SEGMENT_WRITE_H
#define BUFSTAT_SEGMENT_WRITE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "store/format.h"

struct segment_writer;

/* When something was recorded, in milliseconds. */
struct store_time {
	int64_t boot_ms; /* CLOCK_BOOTTIME */
	int64_t real_ms; /* CLOCK_REALTIME, since 1970 */
};

/* Whether the clock was set between the two by more than @most_ms. */
static inline bool store_time_is_set(const struct store_time *before,
				     const struct store_time *after,
				     int64_t most_ms)
{
	int64_t shift_ms = (after->real_ms - after->boot_ms) -
			   (before->real_ms - before->boot_ms);

	return shift_ms < -most_ms || shift_ms > most_ms;
}

/*
 * A new segment begins where the clock was set by more than this, so that the
 * time of each record is that near to those at which its segment and the next
 * one begin, or between them.
 */
#define STORE_SET_MS INT64_C(3600000)

#define STORE_BOOT_ID 16 /* bytes */

struct segment_identity {
	uint64_t number;
	uint64_t seed;
	uint8_t boot_id[STORE_BOOT_ID];
	uint64_t sequence; /* of the first record */
	struct store_time time;
};

/* Returns NULL when out of memory. */
struct segment_writer *segment_writer_create(void);
void segment_writer_destroy(struct segment_writer *writer);

/*
 * Begins a segment in @data, @size bytes that the caller owns. The first
 * document of each stream stands alone then.
 */
void segment_begin(struct segment_writer *writer, uint8_t *data, size_t size,
		   const struct segment_identity *identity);

/*
 * Appends a document. @time is not before that of the segment, as far as
 * CLOCK_BOOTTIME goes. @key: the document stands alone. Returns 0, -ENOSPC if
 * the segment is full, -E2BIG if an empty one would be, or -EBADMSG if it is
 * not JSON on one line.
 */
int segment_append(struct segment_writer *writer, enum store_kind kind,
		   const struct store_time *time, const char *text, size_t size,
		   bool key);

/*
 * The dictionary so far is written once more, so that damage to one copy loses
 * nothing. Returns 0 or -ENOSPC.
 */
int segment_repeat_words(struct segment_writer *writer,
			 const struct store_time *time);

/* The next record begins a sector: all that is there now will be synced. */
void segment_align(struct segment_writer *writer);

/* How many bytes the segment has by now. */
size_t segment_used(const struct segment_writer *writer);

/* The sequence number of the next record. */
uint64_t segment_sequence(const struct segment_writer *writer);

#endif
