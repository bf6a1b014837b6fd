/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Experiments for people to read, as they go on. */
#ifndef BUFSTAT_REPRO_TEXT_H
#define BUFSTAT_REPRO_TEXT_H

#include <stdio.h>

#include "repro/experiment.h"

/* What is new in the outcome, in lines that begin with what they are. */
void repro_text_tell(FILE *out, enum experiment_event event,
		     const struct outcome *outcome);

/* One line of a table, and the line above the first. */
void repro_text_heading(FILE *out);
void repro_text_row(FILE *out, const struct outcome *outcome);

/*
 * What the verdict rests on, on one line. The caller frees it. NULL: out of
 * memory.
 */
char *verdict_text(const struct outcome *outcome);

/* The scenarios there are. */
void repro_text_list(FILE *out);

#endif
