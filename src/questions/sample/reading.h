/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A reading of a host: answers to several questions, as a capture, a recording
 * and --save keep them (saved.h).
 */
#ifndef BUFSTAT_READING_H
#define BUFSTAT_READING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "lib/error.h"
#include "measure/provenance.h"
#include "sample/questions.h"

struct fields;
struct json_out;

/*
 * The keys that save() of the questions writes. --redact keeps no string of
 * another key.
 */
extern const struct fields reading_fields;

/* All zero bytes is empty. */
struct reading {
	struct provenance provenance;
	struct reading_answer {
		void *answer; /* NULL: not asked, or there is none */
		bool was_asked;
		struct error why; /* why there is none; or is not set */
	} answers[QUESTIONS]; /* of those that have save() */
};

/*
 * Asks a question; the answer is in the reading. Returns 0 or a negative
 * errno, and then reading_why() says why.
 */
int reading_ask(struct reading *reading, enum question_id id,
		const struct asking *asking);

/*
 * Asks all that have save() and were not asked yet, in the order of enum
 * walked. What cannot be had is left out, and reading_why() says why. Returns 0
 * or -ENOMEM.
 */
int reading_ask_others(struct reading *reading, const struct asking *asking);

/*
 * Returns an empty answer in the reading, which the caller fills in place of
 * the question; NULL: out of memory.
 */
void *reading_begin(struct reading *reading, enum question_id id);

/* The answer; NULL: not asked, or there is none. */
void *reading_answer(const struct reading *reading, enum question_id id);
/* Why there is none, if it was asked. */
const struct error *reading_why(const struct reading *reading,
				enum question_id id);

/*
 * Tells what is missing of all that was asked for. @is_live: on the running
 * host.
 */
void reading_missing(const struct reading *reading, bool is_live,
		     error_tell_fn *tell, void *data);

/* For document_save(): write a reading, or that of one answer. */
void reading_write(struct json_out *json, const void *reading);
void reading_write_answer(struct json_out *json, const void *answer);

/* Prints a document with a reading alone. Errors show in ferror(). */
void reading_print(FILE *out, const struct reading *reading);

/* The same on one line, of one answer. */
void reading_print_answer(FILE *out, const struct provenance *provenance,
			  const struct answer *answer);

void reading_deinit(struct reading *reading);

#endif
