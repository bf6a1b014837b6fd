// SPDX-License-Identifier: GPL-2.0-or-later
#include <string.h>

#include "top/request.h"
#include "top/sequence.h"

/* What follows later does not belong to it: an end that was lost ends it too. */
#define PATIENCE_NS INT64_C(1000000000)
#define PASTE_PATIENCE_NS (10 * PATIENCE_NS)

enum { PASTE_BEGINS = 200, PASTE_ENDS = 201, NUMBER_MOST = 9999 };
enum { BEL = 7, CAN = 0x18, SUB = 0x1a, ST = 0x9c };

/* @key is the character after Escape. What begins nothing is a key with Alt. */
static void introduce(struct sequence *sequence, int key)
{
	sequence->is_control = key == '[';
	sequence->number = -1;
	sequence->state = SEQUENCE_NONE;
	if (key == KEY_ESCAPE)
		sequence->state = SEQUENCE_ESCAPE;
	else if (key == '[' || key == 'O')
		sequence->state = SEQUENCE_PARAMETERS;
	else if (key > ' ' && key < 0x7f && strchr("]PX^_", key))
		sequence->state = SEQUENCE_STRING;
}

static void finish(struct sequence *sequence, int final)
{
	const int number = sequence->number;

	sequence->state = SEQUENCE_NONE;
	if (!sequence->is_control)
		return;
	if (final == '~' && (number == PASTE_BEGINS || number == PASTE_ENDS))
		sequence->is_paste = number == PASTE_BEGINS;
	/* F1 to F5 of the console have a letter more, an old mouse report 3. */
	sequence->more = final == '[' ? 1 : final == 'M' ? 3 : 0;
	if (sequence->more && number < 0)
		sequence->state = SEQUENCE_MORE;
}

static void take_parameter(struct sequence *sequence, int key)
{
	const int number = sequence->number;

	if (key >= 0x40 && key < 0x7f)
		finish(sequence, key);
	else if (key < ' ' || key > 0x7e)
		sequence->state = SEQUENCE_NONE; /* cut off */
	else if (key < '0' || key > '9' || number >= PASTE_ENDS)
		sequence->number = NUMBER_MOST; /* not one that is known */
	else
		sequence->number = (number < 0 ? 0 : number * 10) + key - '0';
}

/* Whether the key is part of a sequence, which may begin with it. */
static bool takes(struct sequence *sequence, int key)
{
	const bool may_begin = key == '[' || key == 'O';

	if (sequence->state == SEQUENCE_ESCAPE ||
	    (sequence->state == SEQUENCE_LONE && may_begin)) {
		introduce(sequence, key);
	} else if (sequence->state == SEQUENCE_PARAMETERS &&
		   key != KEY_ESCAPE) {
		take_parameter(sequence, key);
	} else if (sequence->state == SEQUENCE_STRING && key != KEY_ESCAPE) {
		if (key == BEL || key == CAN || key == SUB || key == ST)
			sequence->state = SEQUENCE_NONE;
	} else if (sequence->state == SEQUENCE_MORE) {
		if (!--sequence->more)
			sequence->state = SEQUENCE_NONE;
	} else if (key >= 0x80 && key < 0xa0) {
		/* It stands for Escape and a letter. */
		introduce(sequence, key - 0x40);
	} else {
		sequence->state = key == KEY_ESCAPE ? SEQUENCE_ESCAPE :
						      SEQUENCE_NONE;
		return key == KEY_ESCAPE;
	}
	return true;
}

int sequence_take(struct sequence *sequence, int key, int64_t now_ns)
{
	const int64_t idle_ns = now_ns - sequence->last_ns;

	if (key == KEY_NONE && sequence->state == SEQUENCE_ESCAPE) {
		sequence->state = SEQUENCE_LONE;
		return sequence->is_paste ? KEY_NONE : KEY_ESCAPE;
	}
	if (key == KEY_NONE)
		return KEY_NONE;
	if (idle_ns > PATIENCE_NS)
		sequence->state = SEQUENCE_NONE;
	if (idle_ns > PASTE_PATIENCE_NS)
		sequence->is_paste = false;
	sequence->last_ns = now_ns;
	if (takes(sequence, key) || (sequence->is_paste && !key_is_text(key)))
		return KEY_NONE;
	/* Others are unknown here, or say that the size is another. */
	return key < KEY_NONE || key == KEY_BACKSPACE || request_of(key, true) ?
		       key :
		       KEY_NONE;
}
