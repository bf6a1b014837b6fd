/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef BUFSTAT_UTF8_H
#define BUFSTAT_UTF8_H

#include <stddef.h>

/* U+FFFD, which stands for a byte that is not UTF-8. */
#define UTF8_REPLACEMENT "\xef\xbf\xbd"

/*
 * The length of the sequence at @text, which ends with a NUL; 0 if there is
 * none. Neither overlong forms nor surrogates nor what is above U+10FFFF is
 * one.
 */
size_t utf8_length(const unsigned char *text);

#endif
