/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Text that is put together in memory with stdio, by open_memstream(3). */
#ifndef BUFSTAT_TEXT_STREAM_H
#define BUFSTAT_TEXT_STREAM_H

#include <stdio.h>

/*
 * Closes @out, which was opened with @text. Returns 0 with *@text whole and the
 * caller's to free, or -ENOMEM with *@text NULL if some of it did not fit.
 */
int text_stream_close(FILE *out, char **text);

#endif
