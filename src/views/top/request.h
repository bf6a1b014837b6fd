/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the keys of the screen ask for. One table is behind the keys, the help
 * on the screen and the manual, which a test compares with it.
 */
#ifndef BUFSTAT_REQUEST_H
#define BUFSTAT_REQUEST_H

#include <stdbool.h>
#include <stddef.h>

#include "top/ncurses_abi.h"

/* Keys that are no characters: ncurses' numbers, above all of Unicode. */
enum key {
	KEY_NONE = 0x110000,
	KEY_UP = KEY_NONE + ABI_KEY_UP,
	KEY_DOWN = KEY_NONE + ABI_KEY_DOWN,
	KEY_LEFT = KEY_NONE + ABI_KEY_LEFT,
	KEY_RIGHT = KEY_NONE + ABI_KEY_RIGHT,
	KEY_PAGE_UP = KEY_NONE + ABI_KEY_PPAGE,
	KEY_PAGE_DOWN = KEY_NONE + ABI_KEY_NPAGE,
	KEY_HOME = KEY_NONE + ABI_KEY_HOME,
	KEY_END = KEY_NONE + ABI_KEY_END,
	KEY_F1 = KEY_NONE + ABI_KEY_F1,
	KEY_F3 = KEY_NONE + ABI_KEY_F3,
	KEY_F5 = KEY_NONE + ABI_KEY_F5,
	KEY_F6 = KEY_NONE + ABI_KEY_F6,
	KEY_F10 = KEY_NONE + ABI_KEY_F10,
	KEY_TAB_BACK = KEY_NONE + ABI_KEY_BTAB,
	KEY_BACKSPACE = KEY_NONE + ABI_KEY_BACKSPACE,
};

#define KEY_ESCAPE 27
#define KEY_CTRL(letter) ((letter)&0x1f)

enum request {
	REQUEST_NONE,
	REQUEST_UP,
	REQUEST_DOWN,
	REQUEST_PAGE_UP,
	REQUEST_PAGE_DOWN,
	REQUEST_FIRST,
	REQUEST_LAST,
	REQUEST_NEXT_TAB,
	REQUEST_TAB_BEFORE,
	REQUEST_TAB, /* by its number */
	REQUEST_SEARCH,
	REQUEST_SEARCH_NEXT,
	REQUEST_SEARCH_BEFORE,
	REQUEST_SORT_LEFT,
	REQUEST_SORT_RIGHT,
	REQUEST_REVERSE,
	REQUEST_TREE,
	REQUEST_DETAILS,
	REQUEST_DROP,
	REQUEST_PAUSE,
	REQUEST_INTERVAL,
	REQUEST_MEASURE,
	REQUEST_STEP_BEFORE, /* these are of recordings */
	REQUEST_STEP_AFTER,
	REQUEST_HOUR_BEFORE,
	REQUEST_HOUR_AFTER,
	REQUEST_MOMENT,
	REQUEST_HELP,
	REQUEST_QUIT,
};

struct request_row {
	enum request request;
	const char *names; /* of its keys; NULL: said with the row before */
	const char *help;
	int keys[4]; /* up to the first 0 */
};

/* The row at index @which, or NULL after the last. */
const struct request_row *request_at(size_t which);

/* Whether it is one only in a recording, where its keys have no other sense. */
static inline bool request_is_of_replay(enum request request)
{
	return request >= REQUEST_STEP_BEFORE && request <= REQUEST_MOMENT;
}

/* What a key asks for; REQUEST_NONE if nothing. */
enum request request_of(int key, bool is_replay);

/* Whether the key is that of text, for a prompt. */
static inline bool key_is_text(int key)
{
	return key >= ' ' && key != 127 && key < KEY_NONE;
}

#endif
