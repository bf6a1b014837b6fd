/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A reading as JSON. -J prints its results. --save writes the same document
 * with the reading itself (saved.h) in it, for later comparisons. A capture has
 * only the reading.
 */
#ifndef BUFSTAT_READING_JSON_H
#define BUFSTAT_READING_JSON_H

#include <stdio.h>

#include "measure/provenance.h"
#include "question/question.h"

struct column_choice;
struct fields;
struct json_out;
struct reading;

/*
 * Of a document whose answer is a reading. If no source could measure, source
 * and devices are null.
 */
extern const struct fields reading_document;

/* That, with @columns of the devices. Both must outlive it. */
struct document reading_document_of(const struct reading *reading,
				    const struct column_choice *columns);

/* Writes a reading itself into the open object: @answer. */
void reading_write(struct json_out *json, const void *answer);

/*
 * Prints only the reading, which needs no names. Write errors show in ferror().
 */
void reading_json_keep(FILE *out, const struct reading *reading);

/*
 * Prints only a part of the reading, which has to be there, on one line. What
 * is in the other parts counts as not measured. Write errors show in ferror().
 */
void reading_json_record(FILE *out, const struct reading *reading,
			 enum recorded part);

#endif
