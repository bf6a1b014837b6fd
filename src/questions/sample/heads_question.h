/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The question of what all of memory is, by heads. */
#ifndef BUFSTAT_HEADS_QUESTION_H
#define BUFSTAT_HEADS_QUESTION_H

#include <stdbool.h>
#include <stddef.h>

#include "lib/error.h"
#include "memory/census.h"
#include "memory/memory_heads.h"
#include "memory/memory_json.h"
#include "memory/memory_owners.h"
#include "memory/memory_reading.h"
#include "memory/memory_rows.h"
#include "question/question.h"

struct command_line;

/* What is asked for besides the kernel's counts. */
struct memory_asked {
	bool slab; /* each cache of it */
	bool census;
	const struct memory_owners_asked *owners; /* NULL: none */
	size_t most_owners; /* in each list; 0: as many as usual */
	bool pss; /* owners_find() */
	enum memory_view view; /* what the rows are */
};

/* Its answer; the rows, if any, are struct memory_row. */
struct heads_answer {
	struct answer head;
	struct memory_reading reading;
	struct memory_heads heads;
	struct memory_census census; /* has_census: it was asked for */
	bool has_census;
	struct memory_owners owners; /* all zero: they were not looked for */
	bool saves_owners; /* in a reading: only a capture has them */
	struct error no_owners; /* of a capture: why not, or is not set */
	bool is_live;
	char *release; /* of the kernel in a dump, or NULL */
	const char *vmcore; /* the dump, or NULL */
	struct memory_history history; /* without pages: there is none */
	/* These point into the answer, and @head owns the rows of @shown. */
	struct memory_rows_of of;
	struct memory_answer shown;
};

extern const struct question heads_question;
extern const struct command_line command_memory;

/* Of a document whose answer is that of this question. */
extern const struct fields memory_document;

#endif
