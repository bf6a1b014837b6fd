/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Experiments as text for people, while they run. */
#ifndef BUFSTAT_REPRO_TEXT_H
#define BUFSTAT_REPRO_TEXT_H

#include <stdio.h>

#include "repro/experiment.h"

/*
 * Prints what @event added to the outcome, in lines with a label. This and
 * repro_text_row() return 0 or -ENOMEM.
 */
int repro_text_tell(FILE *stream, enum experiment_event event,
		    const struct outcome *outcome);

/* Print a table's heading, and a row of it. */
void repro_text_heading(FILE *out);
int repro_text_row(FILE *stream, const struct outcome *outcome);

/*
 * The reason for the verdict, on one line. The caller frees it. NULL: out of
 * memory.
 */
char *verdict_text(const struct outcome *outcome);

/* Prints the list of scenarios. */
void repro_text_list(FILE *out);

#endif
