/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the files that write the paragraphs of an explanation share. */
#ifndef BUFSTAT_EXPLAIN_TEXT_H
#define BUFSTAT_EXPLAIN_TEXT_H

#include <stdio.h>

#include "explain/explain_facts.h"
#include "free/free_columns.h"
#include "lib/number.h"

struct explain_writer {
	FILE *out; /* text that is yet to be filled */
	const struct explain_facts *facts;
	struct free_columns columns;
};

/* A size as text that lasts to the end of the block it is used in. */
#define SIZE(bytes) size_text(bytes, (char[SIZE_TEXT_LENGTH]){ "" })

/* The device's name, or else its number. */
void explain_put_device(FILE *out, const struct explain_device *device);

/* What matters most, for those who read no further. */
void explain_write_short(const struct explain_writer *writer);

/* Whose the pages of Buffers are, and why each device has any. */
void explain_write_buffers(const struct explain_writer *writer);

/* Which filesystems Cached is of, if the module knows. */
void explain_write_cached(const struct explain_writer *writer);

/* What would release memory, and what that costs. */
void explain_write_release(const struct explain_writer *writer);

#endif
