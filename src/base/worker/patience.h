/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * How long a command waits for something that may never answer. What makes no
 * progress is always given up after a moment (ask.h). What makes progress is
 * waited for, unless the user has set a time limit.
 */
#ifndef BUFSTAT_PATIENCE_H
#define BUFSTAT_PATIENCE_H

#include <stdbool.h>
#include <stdint.h>
#include <time.h>

#include "worker/stuck.h"

struct error;

enum {
	PATIENCE_MOST_SECONDS = 3600,
	/* After this long, the user is told what takes so long. */
	PATIENCE_TELL_MS = 2000,
	/* After this long, walks over processes end: see patience_walk(). */
	PATIENCE_WALK_MS = 1500,
	/* After this long, what is already known may be printed. */
	PATIENCE_EARLY_MS = 100,
};

/* Why something has no figures: the time was over before its turn. */
#define PATIENCE_OVER "not measured in time (--timeout N sets it)"

/* All zero: waits as long as there is progress, and tells nobody. */
struct patience {
	double seconds; /* --timeout; 0: none was given */
	int64_t began_ns; /* CLOCK_MONOTONIC: start of this sample */
	int64_t walk_ends_ns; /* 0: PATIENCE_WALK_MS after that */
	/*
	 * Called once per sample, after PATIENCE_TELL_MS, whatever the program
	 * does then: in a signal handler. May be NULL.
	 */
	void (*tell)(const char *text);
	bool has_timer;
	timer_t timer; /* calls tell; children do not have it */
	const char *volatile about; /* see patience_set_about() */
	/* What did not answer in this sample is not waited for again (ask.h). */
	char silent[4][STUCK_OBJECT];
	size_t silent_count;
	unsigned int steps; /* for patience_step() */
	/* Called after PATIENCE_EARLY_MS, and then set to NULL; may be NULL. */
	void (*early)(void *data);
	void *early_data;
};

/*
 * Begins a sample: its time counts from now. @patience may be NULL. It must not
 * move or go away until patience_end(), or until the program ends.
 */
void patience_begin(struct patience *patience);

/* The sample is over: the user is told no more. @patience may be NULL. */
void patience_end(struct patience *patience);

/* Whether the user's time is over. Never if @patience is NULL or sets none. */
bool patience_is_over(const struct patience *patience);

/*
 * Whether the sample has taken @ms milliseconds. Never if @patience is NULL or
 * no sample has begun.
 */
bool patience_has_taken(const struct patience *patience, int64_t ms);

/*
 * Sets what the user is told takes so long; NULL: this host. @about must be
 * valid until the next call. Returns what was set before. @patience may be
 * NULL.
 */
const char *patience_set_about(struct patience *patience, const char *about);

/*
 * For what the program does itself and can end at any moment. Returns 0, or
 * -ETIMEDOUT once the user's time is over. @patience may be NULL.
 */
int patience_look(const struct patience *patience);

/*
 * The same for steps of some microseconds each: looks at the clock at every
 * 64th. So it may return 0 some steps longer.
 */
static inline int patience_step(struct patience *patience)
{
	return !patience || ++patience->steps % 64 ? 0 :
						     patience_look(patience);
}

/*
 * For a step of a walk over processes and what they have open, of which there
 * may be any number. Returns 0, or -ETIMEDOUT once the user's time is over or,
 * if none was given, after PATIENCE_WALK_MS. @patience may be NULL.
 */
int patience_walk(const struct patience *patience);

/*
 * Lets walks end in @ms from now, --timeout or not, until the next sample or
 * patience_calm(), which takes what this returns. @patience may be NULL.
 */
int64_t patience_hurry(struct patience *patience, int64_t ms);
void patience_calm(struct patience *patience, int64_t usual_ns);

/*
 * How long whoever waits in a walk may do so, in ms: @most, or less if walks
 * were hurried, but 1. @patience may be NULL.
 */
int patience_left_ms(const struct patience *patience, int most);

/* Calls early if it is set, and sets it to NULL. @patience may be NULL. */
void patience_show_early(struct patience *patience);

/* Reads --timeout's value, in seconds. Returns 0, or -EINVAL with the text. */
int patience_set_seconds(struct patience *patience, const char *text,
			 struct error *err);

#endif
