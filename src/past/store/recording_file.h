/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Keeps segments (format.h) in a file. Every call may wait for the disk, so
 * only the recorder's writer process makes them.
 */
#ifndef BUFSTAT_RECORDING_FILE_H
#define BUFSTAT_RECORDING_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct error;

/* The name of the file in its directory. */
#define RECORDING_NAME "recording"

struct recording_file {
	int fd;
	size_t segment_size; /* bytes */
	size_t count; /* of the places for segments */
	uint64_t *numbers; /* the segment in each place; 0: none */
	size_t place; /* of the segment that is being written */
	size_t first_place; /* for the first new segment, or @count */
	uint64_t next_number; /* above that of every segment */
	uint64_t next_sequence; /* above that of every record */
};

/*
 * Opens the recording in @dir, or makes it, and the directory too, for root
 * alone. All its room is allocated, at least @size bytes: a larger one keeps
 * its size. Returns 0 (the caller closes it then), or a negative errno: -EBUSY
 * if another process writes to it, -EPROTO if a later version does, -EEXIST if
 * the file is no recording. A file that is refused is left as it is.
 */
int recording_file_open(struct recording_file *file, const char *dir,
			uint64_t size, size_t segment_size, struct error *err);
void recording_file_close(struct recording_file *file);

/* Whether the file in @dir is still this one. Where nobody knows, it is. */
bool recording_file_is_at(const struct recording_file *file, const char *dir);

/* Whether segment @number, which is not 0, is in the file. */
bool recording_file_has(const struct recording_file *file, uint64_t number);

/*
 * Writes bytes @from to @to of the segment @number, which begins at @data. A
 * segment that is not in the file yet takes the place of the oldest; the first
 * one after many short ones, as a recorder leaves that is started again and
 * again, takes that of a short one. Returns 0 or a negative errno.
 */
int recording_file_write(struct recording_file *file, uint64_t number,
			 const void *data, size_t from, size_t to);

/*
 * Puts all that was written on the disk, and takes it out of the page cache: a
 * tool that shows what fills memory should not. Returns 0 or a negative errno.
 */
int recording_file_sync(struct recording_file *file);

#endif
