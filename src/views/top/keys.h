/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a key changes of the model. */
#ifndef BUFSTAT_KEYS_H
#define BUFSTAT_KEYS_H

struct model;

/* What the loop has to do after a key. */
enum action {
	ACTION_NONE, /* draw */
	ACTION_QUIT,
	ACTION_MEASURE, /* what is due: another tab is shown */
	ACTION_TREE, /* the tab that is shown, in its new shape */
	ACTION_REDRAW, /* the same, now, and send the whole screen again */
	ACTION_STEP, /* another moment of a recording is shown */
	ACTION_INTERVAL, /* the interval is another */
	ACTION_DETAILS, /* ask for more about the selected row */
	ACTION_VERDICT, /* ask drop what it would do with the row */
	ACTION_DROP, /* the name was typed: drop it */
};

/* Changes the model as a key asks, a character or an enum key. */
enum action model_key(struct model *model, int key);

#endif
