/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The member "memory" of a saved reading (saved.h), in which a capture and
 * --save keep what the kernel said of its memory. Older ones do not have it.
 */
#ifndef BUFSTAT_MEMORY_SAVED_H
#define BUFSTAT_MEMORY_SAVED_H

struct fields;
struct json_out;
struct memory_reading;
struct saved;

/* Writes it into the open object. */
void memory_saved_write(struct json_out *json,
			const struct memory_reading *reading);

/*
 * Reads it into empty @reading, which the caller deinits. Returns 1, 0 if it is
 * not there, or a negative errno, -EBADMSG if it is damaged.
 */
int memory_saved_read(const struct saved *saved,
		      struct memory_reading *reading);

/* Of the object "memory". */
extern const struct fields memory_reading_fields;

#endif
