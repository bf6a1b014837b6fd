/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The facts in words, a paragraph for each of free's columns. Reads nothing. */
#ifndef BUFSTAT_EXPLAIN_H
#define BUFSTAT_EXPLAIN_H

#include <stddef.h>
#include <stdio.h>

struct explain_facts;

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
};

/* Returns 0 or -ENOMEM; the caller deinits @explanation in either case. */
int explanation_init(struct explanation *explanation,
		     const struct explain_facts *facts);
void explanation_deinit(struct explanation *explanation);

/* Prints the explanation in lines of @width columns. */
void explanation_print(FILE *out, const struct explanation *explanation,
		       unsigned int width);

/* Prints the facts as JSON. Returns 0, or -ENOMEM with part of it printed. */
int explain_print_json(FILE *out, const struct explain_facts *facts);

#endif
