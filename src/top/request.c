// SPDX-License-Identifier: GPL-2.0-or-later
#include <stddef.h>

#include "top/request.h"

static const struct request_row rows[] = {
	{ REQUEST_UP, "Up, k", "one row up", { KEY_UP, 'k' } },
	{ REQUEST_DOWN, "Down, j", "one row down", { KEY_DOWN, 'j' } },
	{ REQUEST_PAGE_UP,
	  "PgUp, Ctrl-B",
	  "one page up",
	  { KEY_PAGE_UP, KEY_CTRL('B') } },
	{ REQUEST_PAGE_DOWN,
	  "PgDn, Space",
	  "one page down",
	  { KEY_PAGE_DOWN, ' ', KEY_CTRL('F') } },
	{ REQUEST_FIRST, "Home, g", "the first row", { KEY_HOME, 'g' } },
	{ REQUEST_LAST, "End, G", "the last row", { KEY_END, 'G' } },
	{ REQUEST_NEXT_TAB, "Right, Tab", "the next tab", { KEY_RIGHT, '\t' } },
	{ REQUEST_TAB_BEFORE,
	  "Left, Shift-Tab",
	  "the tab before",
	  { KEY_LEFT, KEY_TAB_BACK } },
	{ REQUEST_TAB, "1 to 9", "the tab with that number", { 0 } },
	{ REQUEST_SEARCH,
	  "/, F3",
	  "search the rows for a text",
	  { '/', KEY_F3 } },
	{ REQUEST_SEARCH_NEXT, "n", "the next row with that text", { 'n' } },
	{ REQUEST_SEARCH_BEFORE, "N", "the row before with that text", { 'N' } },
	{ REQUEST_SORT_LEFT, "<", "sort by the column to the left", { '<' } },
	{ REQUEST_SORT_RIGHT,
	  ">, F6",
	  "sort by the column to the right",
	  { '>', KEY_F6 } },
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
	  "Left",
	  "in a recording, the reading before",
	  { KEY_LEFT } },
	{ REQUEST_STEP_AFTER,
	  "Right",
	  "in a recording, the reading after",
	  { KEY_RIGHT } },
	{ REQUEST_HOUR_BEFORE, "{", "in a recording, an hour before", { '{' } },
	{ REQUEST_HOUR_AFTER, "}", "in a recording, an hour after", { '}' } },
	{ REQUEST_MOMENT, "@", "in a recording, the time to go to", { '@' } },
	{ REQUEST_HELP, "?, h, F1", "this help", { '?', 'h', KEY_F1 } },
	{ REQUEST_QUIT, "q, F10", "quit", { 'q', 'Q', KEY_F10 } },
};

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

	if (key >= '1' && key <= '9')
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
