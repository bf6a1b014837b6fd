/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The question of what all of memory is, by heads. */
#ifndef BUFSTAT_MEMORY_QUESTION_H
#define BUFSTAT_MEMORY_QUESTION_H

#include <stdbool.h>

#include "memory/memory_heads.h"
#include "memory/memory_owners.h"
#include "memory/memory_reading.h"
#include "question/question.h"

/* Its answer; the rows are struct memory_row. */
struct heads_answer {
	struct answer head;
	struct memory_reading reading;
	struct memory_heads heads;
	bool is_live;
};

extern const struct question heads_question;

/*
 * Tells what the heads lack. @vmcore is the dump that they are of, or NULL;
 * @is_live: they are of the running host.
 */
void memory_missing(const struct memory_reading *reading,
		    const struct memory_heads *heads, const char *vmcore,
		    bool is_live, error_tell_fn *tell, void *data);

/* The same of owners: every reason once, since several lists share a file. */
void memory_owners_missing(const struct memory_owners *owners,
			   error_tell_fn *tell, void *data);

/* Whether the heads lack nothing. */
bool memory_is_whole(const struct memory_reading *reading,
		     const struct memory_heads *heads);

#endif
