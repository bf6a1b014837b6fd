/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * All that the screen shows, and what a key changes of it. No I/O and no clock:
 * what is drawn (screen.h) follows from this alone.
 */
#ifndef BUFSTAT_MODEL_H
#define BUFSTAT_MODEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/error.h"
#include "lib/string_list.h"
#include "store/past_steps.h"
#include "top/view.h"

/* What the keys are for now. */
enum mode {
	MODE_TABLE,
	MODE_HELP,
	MODE_TEXT, /* the details of a row, or what drop says */
	MODE_SEARCH, /* these are prompts */
	MODE_INTERVAL,
	MODE_MOMENT,
	MODE_DROP, /* the name, under the verdict */
};

#define MODEL_TEXT 256

/* All zero is not valid: model_init(). */
struct model {
	size_t width, height; /* of the terminal */
	bool utf8;
	struct view views[QUESTION_TABS];
	enum question_id tab; /* that is shown */
	double seconds; /* between two measurements */
	bool is_live; /* else a capture: nothing changes, nothing is dropped */
	bool paused;
	/* A recording is shown, at one of its steps, if these are known yet. */
	bool is_replay;
	struct past_steps steps;
	size_t step;
	struct error no_steps; /* if set, why they never will be */
	bool busy[QUESTION_TABS]; /* being measured */
	int64_t asked_ns[QUESTION_TABS]; /* since when */
	int64_t now_ns; /* CLOCK_MONOTONIC */
	char clock[MODEL_TEXT]; /* the time that is shown, as text */
	bool has_fixed_clock; /* a test has set it */
	char host[MODEL_TEXT];

	enum mode mode;
	char prompt[MODEL_TEXT]; /* what was typed so far */
	char search[MODEL_TEXT];
	char message[MODEL_TEXT]; /* at the bottom, until the next key */
	struct string_list text; /* of MODE_TEXT and MODE_DROP */
	bool text_waits; /* more of it is on its way */
	size_t text_first; /* the line at the top; also of the help */
	char target[MODEL_TEXT]; /* of MODE_DROP: the name to type */
	struct string_list drop_words; /* the operands of bufstat drop */
};

void model_init(struct model *model);
void model_deinit(struct model *model);

static inline struct view *model_view(struct model *model)
{
	return &model->views[model->tab];
}

/* Adds a line to the text that is shown. */
void model_add_line(struct model *model, const char *line);

/*
 * Sets the text to what is known of the selected row: each column that has a
 * value on a line, and lists with a line for each item. Returns 0 or -ENOMEM.
 */
int model_set_details(struct model *model);

/*
 * Shows what was recorded at @at_ms (CLOCK_REALTIME), or says that this is
 * another reading. There are steps.
 */
void model_seek(struct model *model, int64_t at_ms);

/* The moment of a recording that is shown, or NULL. */
const struct past_step *model_step(const struct model *model);

/*
 * How long nothing was recorded before that moment, if that is longer than
 * usual; else 0. Less than 0 if the clock was set back.
 */
int64_t model_missing_ms(const struct model *model);

/* Whether the figures of a tab are older than its turn. */
bool model_is_stale(const struct model *model, enum question_id tab);

#endif
