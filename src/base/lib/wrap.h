/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Fills text into lines of a given width. */
#ifndef BUFSTAT_WRAP_H
#define BUFSTAT_WRAP_H

#include <stddef.h>
#include <stdio.h>

/* In text that is to be filled: a space at which no line may end. */
#define WRAP_HARD_SPACE '\037'

/*
 * In columns. A word wider than the line has a line of its own and sticks out.
 */
struct wrap {
	unsigned int width;
	unsigned int indent; /* of the first line */
	unsigned int hanging; /* of the lines after it */
};

/*
 * Prints the words in the @size bytes of @text, which are separated by spaces
 * or newlines, with a newline after each line. Without words, prints nothing.
 */
void wrap_print(FILE *out, const char *text, size_t size,
		const struct wrap *wrap);

/*
 * Returns @text in lines of at most @width columns, at least 1, with newlines
 * between them. A longer word is broken. The caller frees it; NULL if out of
 * memory.
 */
char *wrap_lines(const char *text, size_t width);

#endif
