/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a verdict rests on, in words. Pure: nothing is looked up. */
#ifndef BUFSTAT_VERDICT_TEXT_H
#define BUFSTAT_VERDICT_TEXT_H

#include <stdint.h>
#include <stdio.h>

#include "quantity.h"

struct outcome;

/* What the quantity is called in this experiment: "loop3", "Cached". */
const char *quantity_name(const struct outcome *outcome, enum quantity quantity,
			  char name[96]);

/* With commas between the thousands, and with a sign if it is a change. */
void put_count(FILE *out, int64_t count);
void put_change(FILE *out, int64_t change);

/* Behind "CONFIRMED: ", on one line. */
void verdict_text_put(FILE *out, const struct outcome *outcome);

/* The same to keep; the caller frees it. NULL: out of memory. */
char *verdict_text(const struct outcome *outcome);

#endif
