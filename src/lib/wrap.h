/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Fills text into lines of a given width. */
#ifndef BUFSTAT_WRAP_H
#define BUFSTAT_WRAP_H

#include <stddef.h>
#include <stdio.h>

/* In text that is to be filled: a space at which no line ends. */
#define WRAP_HARD_SPACE '\037'

/* Columns. A word wider than the line has a line of its own and sticks out. */
struct wrap {
	unsigned int width;
	unsigned int indent; /* of the first line */
	unsigned int hanging; /* of those that follow */
};

/*
 * Prints the words in @size bytes of @text, between which stand spaces or
 * newlines, and a newline after each line. Without words nothing is printed.
 */
void wrap_print(FILE *out, const char *text, size_t size,
		const struct wrap *wrap);

/*
 * @text in lines of @width columns or less, at least 1, with newlines between
 * them; a longer word is broken. The caller frees it; NULL if out of memory.
 */
char *wrap_lines(const char *text, size_t width);

/*
 * Writes a name from outside (a mount point, a process) into text that is to
 * be filled: as one word, and safe as safe_text_put() makes it.
 */
void wrap_put_name(FILE *out, const char *name);

#endif
