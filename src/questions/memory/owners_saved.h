/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The member "owners" of a saved reading (saved.h), which a capture has. */
#ifndef BUFSTAT_OWNERS_SAVED_H
#define BUFSTAT_OWNERS_SAVED_H

struct fields;
struct json_out;
struct memory_owners;
struct saved;

/* Writes the lists that were asked for into the open object. */
void owners_saved_write(struct json_out *json,
			const struct memory_owners *owners);

/*
 * Reads the lists that were asked for into @owners, and keeps their largest
 * owners; a list that is not there was not on that host. Returns 1, 0 if the
 * reading has no owners, or a negative errno, -EBADMSG if it is damaged.
 */
int owners_saved_read(const struct saved *saved, struct memory_owners *owners);

/* Of the object "owners". */
extern const struct fields memory_owners_fields;

#endif
