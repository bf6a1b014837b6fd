/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The facts in words: a verdict, a table and advice, or a paragraph for each of
 * free's columns that was asked for. Reads nothing.
 */
#ifndef BUFSTAT_EXPLAIN_H
#define BUFSTAT_EXPLAIN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <sys/types.h>

#include "lib/number.h"
#include "memory/memory_rows.h"

struct error;
struct explain_facts;
struct meminfo;
struct past;
struct sysroot;

/*
 * Each line of text ends in a newline and is not yet wrapped (wrap.h). A line
 * that begins with "- " is an item of a list.
 */
struct paragraph {
	char *heading;
	char *text;
};

struct explanation {
	struct paragraph paragraphs[16];
	size_t count;
	struct memory_rows rows; /* of the table; none: no table */
	size_t before_table; /* how many paragraphs come before it */
};

/* The word at index @which for a column of free, or NULL after the last. */
const char *explain_column_word(size_t which);

/*
 * Adds what a word stands for to *@columns, which has a bit for each enum
 * free_column. Returns 0, or -EINVAL with @err set.
 */
int explain_column_add(unsigned int *columns, const char *word,
		       struct error *err);

/*
 * Explains @columns; 0: the verdict, the table and the advice. Returns 0 or
 * -ENOMEM; the caller deinits @explanation in either case.
 */
int explanation_init(struct explanation *explanation,
		     const struct explain_facts *facts, unsigned int columns);
void explanation_deinit(struct explanation *explanation);

/*
 * Prints the explanation in lines of @width columns; @unit is that of the
 * table. Returns 0 or a negative errno.
 */
int explanation_print(FILE *out, const struct explanation *explanation,
		      unsigned int width, struct size_unit unit);

/*
 * Prints the item of a device in the paragraph about buffers, if there is one;
 * 0: that of the unattributed rest.
 */
void explain_print_device(FILE *out, const struct explain_facts *facts,
			  dev_t number);

/*
 * Prints the item of a filesystem, or (0) of the rest. @is_own: of the kernel's
 * own tmpfs, which may have the number of one that is mounted.
 */
void explain_print_filesystem(FILE *out, const struct explain_facts *facts,
			      dev_t number, bool is_own);

/* The columns of a line of text on @out: those of its terminal, at most 80. */
unsigned int explain_width(FILE *out);

/*
 * Sets *@text to who has what is large or near, by @meminfo and what it takes
 * to find him, in a line with hard spaces (wrap.h); "" or NULL: there is
 * nothing to say. The caller frees it. Returns 0 or -ENOMEM.
 */
int explain_brief(char **text, const struct sysroot *root,
		  const struct meminfo *meminfo);

/* Prints it, as plain bufstat does below its tables. Returns 0 or -ENOMEM. */
int explain_print_brief(FILE *out, const struct sysroot *root,
			const struct meminfo *meminfo);

/* Of that document. */
extern const struct fields explain_document;

/*
 * Prints the facts as JSON; @past is the recorded reading that they are of, or
 * NULL. Returns 0 or -ENOMEM.
 */
int explain_print_json(FILE *out, const struct explain_facts *facts,
		       const struct past *past);

#endif
