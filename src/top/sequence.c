// SPDX-License-Identifier: GPL-2.0-or-later
#include <string.h>

#include "top/request.h"
#include "top/sequence.h"

/* What follows later does not belong to it: an end that was lost ends it too. */
#define PATIENCE_NS INT64_C(1000000000)
#define PASTE_PATIENCE_NS (10 * PATIENCE_NS)

enum { PASTE_BEGINS = 200, PASTE_ENDS = 201, NUMBER_MOST = 9999 };

/* Controls of eight bits stand for Escape and a letter. */
static bool is_eight_bit_control(int key)
{
	return key >= 0x80 && key < 0xa0;
}

/* @key is the character after Escape. */
static int introduce(struct sequence *sequence, int key)
{
	sequence->is_control = key == '[';
	sequence->first = sequence->number = 0;
	if (key == KEY_ESCAPE)
		sequence->state = SEQUENCE_ESCAPE;
	else if (key == '[' || key == 'O')
		sequence->state = SEQUENCE_PARAMETERS;
	else if (key > ' ' && key < 0x7f && strchr("]PX^_", key))
		sequence->state = SEQUENCE_STRING;
	else
		sequence->state = SEQUENCE_NONE; /* a key with Alt */
	return KEY_NONE;
}

/* An arrow may come in two pieces, or in the form that terminfo has not. */
static int plain_key(int final)
{
	switch (final) {
	case 'A':
		return KEY_UP;
	case 'B':
		return KEY_DOWN;
	case 'C':
		return KEY_RIGHT;
	case 'D':
		return KEY_LEFT;
	case 'F':
		return KEY_END;
	case 'H':
		return KEY_HOME;
	default:
		return KEY_NONE;
	}
}

static int finish(struct sequence *sequence, int final)
{
	sequence->state = SEQUENCE_NONE;
	if (sequence->is_control && final == '~')
		sequence->is_paste =
			sequence->number == PASTE_BEGINS ||
			(sequence->is_paste && sequence->number != PASTE_ENDS);
	if (sequence->first || sequence->is_paste)
		return KEY_NONE;
	/* F1 to F5 of the console have a letter more, an old mouse report 3. */
	sequence->more = !sequence->is_control ? 0 :
			 final == '['	       ? 1 :
			 final == 'M'	       ? 3 :
						 0;
	if (sequence->more)
		sequence->state = SEQUENCE_MORE;
	return plain_key(final);
}

static int take_parameter(struct sequence *sequence, int key)
{
	if (key >= 0x40 && key < 0x7f)
		return finish(sequence, key);
	if (key < ' ' || key > 0x7e)
		sequence->state = SEQUENCE_NONE; /* cut off */
	if (!sequence->first)
		sequence->first = (unsigned int)key;
	if (key >= '0' && key <= '9' && sequence->number < NUMBER_MOST)
		sequence->number =
			sequence->number * 10 + (unsigned int)(key - '0');
	return KEY_NONE;
}

static int take_plain(struct sequence *sequence, int key)
{
	if (is_eight_bit_control(key))
		return introduce(sequence, key - 0x40);
	if (key == KEY_ESCAPE) {
		sequence->state = SEQUENCE_ESCAPE;
		return KEY_NONE;
	}
	if (key == KEY_UNKNOWN || (sequence->is_paste && !key_is_text(key)))
		return KEY_NONE;
	return key;
}

static int take_in_state(struct sequence *sequence, int key)
{
	switch (sequence->state) {
	case SEQUENCE_ESCAPE:
		return introduce(sequence, key);
	case SEQUENCE_LONE:
		if (key == '[' || key == 'O')
			return introduce(sequence, key);
		break;
	case SEQUENCE_PARAMETERS:
		if (key != KEY_ESCAPE)
			return take_parameter(sequence, key);
		break;
	case SEQUENCE_STRING:
		if (key == KEY_ESCAPE)
			break;
		/* BEL, CAN, SUB and ST end it. */
		if (key == '\a' || key == 0x18 || key == 0x1a || key == 0x9c)
			sequence->state = SEQUENCE_NONE;
		return KEY_NONE;
	case SEQUENCE_MORE:
		if (!--sequence->more)
			sequence->state = SEQUENCE_NONE;
		return KEY_NONE;
	case SEQUENCE_NONE:
		break;
	}
	sequence->state = SEQUENCE_NONE;
	return take_plain(sequence, key);
}

int sequence_take(struct sequence *sequence, int key, int64_t now_ns)
{
	const int64_t idle_ns = now_ns - sequence->last_ns;

	if (key == KEY_NONE) {
		if (sequence->state != SEQUENCE_ESCAPE)
			return KEY_NONE;
		sequence->state = SEQUENCE_LONE;
		return sequence->is_paste ? KEY_NONE : KEY_ESCAPE;
	}
	if (idle_ns > PATIENCE_NS)
		sequence->state = SEQUENCE_NONE;
	if (idle_ns > PASTE_PATIENCE_NS)
		sequence->is_paste = false;
	sequence->last_ns = now_ns;
	return take_in_state(sequence, key);
}
