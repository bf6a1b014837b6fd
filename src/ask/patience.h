/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * How long a command waits for what may never answer. What makes no progress
 * is given up after a moment, always (ask.h). What makes progress is waited
 * for, unless the user has set a time by which there has to be an answer.
 */
#ifndef BUFSTAT_PATIENCE_H
#define BUFSTAT_PATIENCE_H

#include <stdbool.h>
#include <stdint.h>

struct error;

enum {
	PATIENCE_MOST_SECONDS = 3600,
	/* After this long the user is told what takes so long. */
	PATIENCE_TELL_MS = 2000,
	/* And after this long, what is known already may be printed. */
	PATIENCE_EARLY_MS = 100,
};

/* All zero: as long as there is progress, and nobody is told. */
struct patience {
	double seconds; /* --timeout; 0: none was given */
	int64_t began_ns; /* CLOCK_MONOTONIC: of this sample */
	/* Called once a sample that takes PATIENCE_TELL_MS; may be NULL. */
	void (*tell)(const char *text);
	bool told;
	/* Called once a sample after PATIENCE_EARLY_MS; may be NULL. */
	void (*early)(void *data);
	void *early_data;
};

/* A sample begins: the time it may take counts from now. NULL is allowed. */
void patience_begin(struct patience *patience);

/* Is the user's time over? Never if @patience is NULL or sets none. */
bool patience_is_over(const struct patience *patience);

/* Has the sample taken @ms? Never if @patience is NULL. */
bool patience_has_taken(const struct patience *patience, int64_t ms);

/* Calls early, if there is one and it was not called in this sample. */
void patience_show_early(struct patience *patience);

/* Reads --timeout's value. Returns 0, or -EINVAL with the text. */
int patience_set_seconds(struct patience *patience, const char *text,
			 struct error *err);

#endif
