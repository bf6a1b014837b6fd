/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The writer: the only process of the recorder that touches the disk. If the
 * disk hangs, so does the writer, and nothing else.
 */
#ifndef BUFSTAT_RECORD_DISK_H
#define BUFSTAT_RECORD_DISK_H

#include <limits.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct error;
struct record_ring;

struct disk {
	pid_t pid; /* 0: it has ended */
	int wake; /* a byte wakes the writer; its end ends the writer */
	bool opening; /* it has not said yet that the file is open */
	int64_t since_ns; /* when it was started, CLOCK_MONOTONIC */
	char dir[PATH_MAX]; /* absolute */
	uint64_t size; /* bytes */
	/* Where the recording in the file goes on. */
	uint64_t next_number;
	uint64_t next_sequence;
};

/*
 * Starts the writer, which opens the recording in @dir with at least @size
 * bytes and then copies the segments of @ring there. Returns 0 or a negative
 * errno with nothing to clean up: -EBUSY if the disk does not answer, or if
 * another recorder writes there, -EINTR if @signals, a signalfd, has one.
 */
int disk_start(struct disk *disk, const struct record_ring *ring,
	       const char *dir, uint64_t size, int signals, struct error *err);

/* Has a child called @name not end by what ends the recorder. */
void disk_outlive(const char *name);

/* Notes that the writer has ended. */
void disk_forget(struct disk *disk);

/*
 * Starts another writer in the place of one that has ended, without waiting for
 * it: it goes on where that one was. Returns 0 or a negative errno.
 */
int disk_replace(struct disk *disk, const struct record_ring *ring,
		 struct error *err);

/*
 * Hears from a writer that was @opening whether the file is open. Returns 0 or
 * a negative errno; the writer then ends.
 */
int disk_hear(struct disk *disk, struct error *err);

/* Tells the writer that there is more. Never waits. */
void disk_wake(const struct disk *disk);

/*
 * Lets the writer write and sync all that there is, and end. A disk that hangs
 * is not waited for: the writer then ends when it can. Returns false if it has
 * not ended.
 */
bool disk_stop(struct disk *disk);

#endif
