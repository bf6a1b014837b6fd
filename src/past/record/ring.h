/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The newest segments of a recording, in memory that the recorder shares with
 * its writer process and locks. They are those of the file, byte for byte
 * (store/format.h), so that whoever can read a recording can read these.
 */
#ifndef BUFSTAT_RECORD_RING_H
#define BUFSTAT_RECORD_RING_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "store/segment_write.h"

struct error;

enum {
	/*
	 * Room for half an hour of a host with thousands of devices, and for
	 * days of others.
	 */
	RING_SEGMENTS = 4,
	RING_SEGMENT_SIZE = 1 << 20, /* bytes */
};

/* What the two processes tell each other. All zero at first. */
struct ring_shared {
	struct {
		_Atomic uint64_t number; /* of the segment; 0: none yet */
		_Atomic size_t used; /* bytes of it that are complete */
	} slots[RING_SEGMENTS];
	_Atomic uint64_t
		newest; /* number of the segment that is being filled */
	_Atomic uint64_t sync_wanted; /* how often to sync */
	/* By the writer, of which another one may take the place: */
	_Atomic uint64_t copying; /* number of the segment it copies; 0: none */
	_Atomic size_t copied; /* bytes of it that it has written */
	_Atomic uint64_t begun_again; /* how often the file was not there */
	_Atomic uint64_t syncs; /* how often it has synced, or tried to */
	_Atomic int failed; /* errno of the last write or sync; 0: it worked */
	_Atomic uint64_t lost; /* segments that were overwritten unwritten */
	_Atomic int64_t cpu_ns; /* processor time that it has used */
};

struct record_ring {
	int fd; /* a memfd that reads as a recording */
	uint8_t *segments;
	struct ring_shared *shared;
	struct segment_writer *writer;
	uint64_t number; /* of the segment that is being filled */
	struct store_time begun; /* when it was begun */
	uint8_t boot_id[STORE_BOOT_ID];
};

/*
 * Allocates the shared memory. Returns 0 or a negative errno; the caller
 * deinits in either case.
 */
int record_ring_init(struct record_ring *ring, struct error *err);

/*
 * Allocates all that filling it will ever need, which the writer process need
 * not have a copy of. Returns 0 or -ENOMEM.
 */
int record_ring_fill(struct record_ring *ring, struct error *err);
void record_ring_deinit(struct record_ring *ring);

/*
 * Begins the segment @number at @time. @sequence is the first record's.
 */
void record_ring_begin(struct record_ring *ring, uint64_t number,
		       uint64_t sequence, const struct store_time *time);

/*
 * Appends a document, in a new segment if this one is full or the clock was set
 * (STORE_SET_MS). Allocates nothing.
 * Returns 0, or a negative errno if it does not fit any or is no JSON.
 */
int record_ring_append(struct record_ring *ring, enum store_kind kind,
		       const struct store_time *time, const char *text,
		       size_t size, bool key);

/* Writes the dictionary once more, unless there is no room for it. */
void record_ring_repeat_words(struct record_ring *ring,
			      const struct store_time *time);

/* Asks the writer to sync. No sector that it will sync is written again. */
void record_ring_sync(struct record_ring *ring);

/* The bytes of segment @number; others may be there by now. */
uint8_t *record_ring_segment(const struct record_ring *ring, uint64_t number);

/* CLOCK_BOOTTIME and CLOCK_REALTIME of now. */
struct store_time store_time_now(void);

#endif
