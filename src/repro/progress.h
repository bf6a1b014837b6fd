/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What is being done, for a terminal that has waited for more than a second. */
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

/* A step begins; @step must stay valid until the next. */
void progress_step(struct progress *progress, const char *step);

/* How far it is; @total 0 if there is no telling. Cheap: to be called often. */
void progress_show(struct progress *progress, uint64_t done, uint64_t total);

/* Takes what is shown off the screen, for other output. */
void progress_clear(struct progress *progress);

#endif
