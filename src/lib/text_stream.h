/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Text that is put together in memory with stdio. Unlike open_memstream(3),
 * which goes on without what did not fit, it notices that memory ran out.
 */
#ifndef BUFSTAT_TEXT_STREAM_H
#define BUFSTAT_TEXT_STREAM_H

#include <stdio.h>

/*
 * What is written is in *@text, with a NUL after its *@size bytes, when the
 * stream is closed; both must be there until then. NULL when out of memory.
 */
FILE *text_stream_open(char **text, size_t *size);

/*
 * Closes @out, which was opened with @text. Returns 0 with *@text whole and the
 * caller's to free, or -ENOMEM with *@text NULL if some of it did not fit.
 */
int text_stream_close(FILE *out, char **text);

#endif
