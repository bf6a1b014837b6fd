/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Progress on a terminal, for steps that take longer than a second. */
#ifndef BUFSTAT_PROGRESS_H
#define BUFSTAT_PROGRESS_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

struct progress {
	FILE *out;
	bool is_terminal;
	bool verbose; /* a line for each step, when it begins */
	const char *step;
	int64_t began_ns;
	int64_t shown_ns; /* 0: nothing of the step is on the screen */
};

void progress_init(struct progress *progress, FILE *out, bool verbose);

/* Begins a step. @step must stay valid until the next one. */
void progress_step(struct progress *progress, const char *step);

/* Shows how far the step is; @total is 0 if unknown. Cheap: call it often. */
void progress_show(struct progress *progress, uint64_t done, uint64_t total);

/* Clears the progress off the screen, for other output. */
void progress_clear(struct progress *progress);

#endif
