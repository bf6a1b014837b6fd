// SPDX-License-Identifier: GPL-2.0-or-later
#include <stddef.h>

#include "top/request.h"
#include "top/tab.h"

static const struct request_row rows[] = {
	{ REQUEST_UP, "Up, Down, k, j", "one row up, or down", { KEY_UP, 'k' } },
	{ REQUEST_DOWN, .keys = { KEY_DOWN, 'j' } },
	{ REQUEST_PAGE_UP,
	  "PgUp, PgDn",
	  "one page up, or down; also Ctrl-B, Space",
	  { KEY_PAGE_UP, KEY_CTRL('B') } },
	{ REQUEST_PAGE_DOWN, .keys = { KEY_PAGE_DOWN, ' ', KEY_CTRL('F') } },
	{ REQUEST_FIRST,
	  "Home, End, g, G",
	  "the first row, or the last",
	  { KEY_HOME, 'g' } },
	{ REQUEST_LAST, .keys = { KEY_END, 'G' } },
	{ REQUEST_NEXT_TAB,
	  "Tab, Shift-Tab",
	  "the next tab, or the one before",
	  { KEY_RIGHT, '\t' } },
	{ REQUEST_TAB_BEFORE, .keys = { KEY_LEFT, KEY_TAB_BACK } },
	{ REQUEST_TAB, "1 to 7", "the tab with that number", { 0 } },
	{ REQUEST_SEARCH,
	  "/, F3",
	  "search the rows for a text",
	  { '/', KEY_F3 } },
	{ REQUEST_SEARCH_NEXT,
	  "n, N",
	  "the next row with that text, or the one before",
	  { 'n' } },
	{ REQUEST_SEARCH_BEFORE, .keys = { 'N' } },
	{ REQUEST_SORT_LEFT,
	  "<, >, F6",
	  "sort by the column to the left, or right",
	  { '<' } },
	{ REQUEST_SORT_RIGHT, .keys = { '>', KEY_F6 } },
	{ REQUEST_REVERSE, "r", "reverse the order", { 'r' } },
	{ REQUEST_TREE, "t, F5", "a tree, or a list", { 't', KEY_F5 } },
	{ REQUEST_DETAILS,
	  "Enter",
	  "all that is known of the row",
	  { '\r', '\n' } },
	{ REQUEST_DROP,
	  "D",
	  "release the row's clean pages; asks first",
	  { 'D' } },
	{ REQUEST_PAUSE, "p", "pause, and go on", { 'p' } },
	{ REQUEST_INTERVAL,
	  "s",
	  "set the seconds between two measurements",
	  { 's' } },
	{ REQUEST_MEASURE,
	  "Ctrl-L, R",
	  "measure now, and draw all anew",
	  { KEY_CTRL('L'), 'R' } },
	{ REQUEST_STEP_BEFORE,
	  "Left, Right",
	  "in a recording, the reading before, or after",
	  { KEY_LEFT } },
	{ REQUEST_STEP_AFTER, .keys = { KEY_RIGHT } },
	{ REQUEST_HOUR_BEFORE,
	  "{, }",
	  "in a recording, an hour before, or after",
	  { '{' } },
	{ REQUEST_HOUR_AFTER, .keys = { '}' } },
	{ REQUEST_MOMENT, "@", "in a recording, the time to go to", { '@' } },
	{ REQUEST_HELP, "?, h, F1", "this help", { '?', 'h', KEY_F1 } },
	{ REQUEST_QUIT, "q, F10", "quit", { 'q', 'Q', KEY_F10 } },
};

_Static_assert(QUESTION_TABS == 7, "the help says how many tabs there are");

const struct request_row *request_at(size_t which)
{
	return which < sizeof(rows) / sizeof(*rows) ? &rows[which] : NULL;
}

static bool has_key(const struct request_row *row, int key)
{
	for (size_t i = 0; i < 4 && row->keys[i]; i++) {
		if (row->keys[i] == key)
			return true;
	}
	return false;
}

enum request request_of(int key, bool is_replay)
{
	enum request request = REQUEST_NONE;

	if (key > '0' && key <= '0' + QUESTION_TABS)
		return REQUEST_TAB;
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		if (!has_key(&rows[i], key))
			continue;
		if (request_is_of_replay(rows[i].request) && is_replay)
			return rows[i].request;
		if (!request_is_of_replay(rows[i].request))
			request = rows[i].request;
	}
	return request;
}
