/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a terminal sends is not all keys that are known here. A function that
 * is not (ECMA-48: Escape, "[", parameters, one final character; and others
 * that begin with Escape) is skipped whole: its characters are no commands.
 */
#ifndef BUFSTAT_SEQUENCE_H
#define BUFSTAT_SEQUENCE_H

#include <stdbool.h>
#include <stdint.h>

/* All zero: no sequence has begun. */
struct sequence {
	enum {
		SEQUENCE_NONE,
		SEQUENCE_ESCAPE, /* Escape, and what follows is not known yet */
		SEQUENCE_LONE, /* Escape was a key, if nothing follows soon */
		SEQUENCE_PARAMETERS, /* up to the final character */
		SEQUENCE_STRING, /* up to its end, as after Escape and "]" */
		SEQUENCE_MORE, /* so many characters after the final one */
	} state;
	bool is_control; /* began with "[" */
	int number; /* that the parameters are; -1: there are none */
	int more;
	int64_t last_ns; /* when the last character came */
	bool is_paste; /* the characters are those of a text from elsewhere */
};

/*
 * Takes the next key, or KEY_NONE if there is no more for now. Returns the key,
 * or KEY_NONE if it is part of a sequence.
 */
int sequence_take(struct sequence *sequence, int key, int64_t now_ns);

#endif
