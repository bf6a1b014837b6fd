/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef BUFSTAT_TERMINAL_H
#define BUFSTAT_TERMINAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/*
 * Returns the columns of the terminal @out; 0 if it is not a terminal, or if
 * neither COLUMNS nor the terminal says how wide it is. Asks each time, because
 * a terminal can be resized.
 */
size_t terminal_width(FILE *out);

/* The same for its lines, with LINES. */
size_t terminal_height(FILE *out);

/*
 * Whether text may be emphasised with escape codes: on a terminal that is not
 * "dumb", unless NO_COLOR is set and not empty (no-color.org).
 */
bool terminal_has_emphasis(FILE *out);

/* Whether the locale is UTF-8, so that more than ASCII can be shown. */
bool terminal_is_utf8(void);

/*
 * Returns the columns that the @length bytes of @text, one line, take up. Each
 * byte that is not printable counts as the four columns of \xNN.
 */
size_t text_width(const char *text, size_t length);

/* Returns how many bytes from the start of @text fit in @width columns. */
size_t text_fit(const char *text, size_t width);

#endif
