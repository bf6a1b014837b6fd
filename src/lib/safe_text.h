/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef BUFSTAT_SAFE_TEXT_H
#define BUFSTAT_SAFE_TEXT_H

#include <stddef.h>
#include <stdio.h>

/*
 * Prints text from outside (a mount point, a device-mapper name); what is not
 * printable in this locale, control characters foremost, as \xNN.
 */
void safe_text_put(FILE *out, const char *text);
/* The first @size bytes of it. */
void safe_text_put_part(FILE *out, const char *text, size_t size);

#endif
