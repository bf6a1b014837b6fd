/* SPDX-License-Identifier: GPL-2.0-or-later */
/* UTF-8, and text from outside that is safe to print. */
#ifndef BUFSTAT_UTF8_H
#define BUFSTAT_UTF8_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* U+FFFD, which stands for a byte that is not UTF-8. */
#define UTF8_REPLACEMENT "\xef\xbf\xbd"

/*
 * The length of the sequence at @text, which ends with a NUL; 0 if there is
 * none. Neither overlong forms nor surrogates nor what is above U+10FFFF is
 * one.
 */
size_t utf8_length(const unsigned char *text);

/*
 * Does the character change what terminals do, or the order in which they show
 * what stands around it? iswprint() takes those of the latter kind for text.
 */
bool utf8_is_control(uint32_t character);

/* The character of a sequence that is @length bytes long, as above, not 0. */
uint32_t utf8_character(const unsigned char *text, size_t length);

/*
 * Prints text from outside (a mount point, a device-mapper name); what is not
 * printable in this locale, control characters foremost, as \xNN.
 */
void safe_text_put(FILE *out, const char *text);
/* The first @size bytes of it. */
void safe_text_put_part(FILE *out, const char *text, size_t size);

#endif
