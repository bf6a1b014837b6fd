/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Shared by the files that write the paragraphs of an explanation. */
#ifndef BUFSTAT_EXPLAIN_TEXT_H
#define BUFSTAT_EXPLAIN_TEXT_H

#include "explain/explain_facts.h"
#include "lib/number.h"
#include "lib/sentence.h"
#include "memory/free_columns.h"
#include "memory/reserve.h"

struct explain_advices;
struct explain_holder;

struct explain_writer {
	struct sentence *out; /* text that is not yet wrapped */
	const struct explain_facts *facts;
	struct free_columns columns;
	const struct explain_holder *holder; /* for the verdict */
	const struct explain_advices *advices; /* for the advice */
};

/*
 * "java (2211, app.service)", as far as its name and service are known. This
 * and the next are valid until the sentence ends.
 */
const char *explain_process(struct sentence *out,
			    const struct explain_facts *facts,
			    unsigned int pid);

/* The device's name, or else its number. */
const char *explain_device_name(struct sentence *out,
				const struct explain_device *device);

/*
 * Writes why the kernel keeps back more than is usual, without a full stop, and
 * returns that; RESERVE_USUAL if it does not.
 */
enum reserve_cause explain_put_reserve(struct sentence *out,
				       const struct explain_facts *facts);

/* The same as a line, with what to do about it. */
void explain_write_reserve(const struct explain_writer *writer);

/* Writes which devices Buffers belongs to, and why each has any pages. */
void explain_write_buffers(const struct explain_writer *writer);

/* Writes which filesystems Cached belongs to, if the module knows. */
void explain_write_cached(const struct explain_writer *writer);

/* Writes which commands give memory back, how much, and at what cost. */
void explain_write_advice(const struct explain_writer *writer);

#endif
