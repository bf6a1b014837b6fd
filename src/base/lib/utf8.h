/* SPDX-License-Identifier: GPL-2.0-or-later */
/* UTF-8, and safe printing of text from outside. */
#ifndef BUFSTAT_UTF8_H
#define BUFSTAT_UTF8_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

/* U+FFFD, for a byte that is not UTF-8. */
#define UTF8_REPLACEMENT "\xef\xbf\xbd"

/*
 * Returns the length in bytes of the UTF-8 sequence at @text, which ends with a
 * NUL, or 0 if there is none. Overlong forms, surrogates and anything above
 * U+10FFFF are refused.
 */
size_t utf8_length(const unsigned char *text);

/*
 * Whether the character changes what terminals do, or the order in which they
 * show the characters around it. iswprint() takes the second kind for text.
 */
bool utf8_is_control(uint32_t character);

/*
 * Returns the character of a sequence of @length bytes, as utf8_length() counts
 * them; @length must not be 0.
 */
uint32_t utf8_character(const unsigned char *text, size_t length);

/*
 * Prints text from outside (a mount point, a device-mapper name). What is not
 * printable in this locale, above all control characters, becomes \xNN.
 */
void safe_text_put(FILE *out, const char *text);
/* The same for the first @size bytes of @text. */
void safe_text_put_part(FILE *out, const char *text, size_t size);

/*
 * The same for a name as a table shows it, which may be typed: the backslash of
 * a "\x" in it, which systemd puts there, becomes \x5c.
 */
void safe_name_put(FILE *out, const char *name);
void safe_name_put_part(FILE *out, const char *name, size_t size);

/*
 * Whether @shown is @text, or what a table of any format prints for it, with
 * \xNN for some of its bytes. Among several, the one that it is goes first.
 */
bool text_is_shown_as(const char *text, const char *shown);

/* Replaces each \xNN in @text by that byte, but not \x00. */
void text_unescape(char *text);

static inline bool text_ends_in(const char *text, const char *end)
{
	size_t length = strlen(text), size = strlen(end);

	return length >= size && strcmp(text + length - size, end) == 0;
}

#endif
