/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef BUFSTAT_TERMINAL_H
#define BUFSTAT_TERMINAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/*
 * Columns of the terminal that @out is; 0 if it is none, or does not say how
 * wide it is and COLUMNS does not either. Asked anew each time: a terminal can
 * be resized.
 */
size_t terminal_width(FILE *out);

/*
 * May text be emphasised with escape codes? On a terminal that is not "dumb",
 * unless NO_COLOR is set to anything (no-color.org).
 */
bool terminal_has_emphasis(FILE *out);

/* Can it, by the locale, show more than ASCII? */
bool terminal_is_utf8(void);

/*
 * Columns that one line of @text takes; what is not printable counts as the
 * four of \xNN.
 */
size_t text_width(const char *text, size_t length);

/* The bytes from the start of @text that take no more columns than @width. */
size_t text_fit(const char *text, size_t width);

#endif
