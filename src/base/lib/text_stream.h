/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Collects text in memory with stdio. Unlike open_memstream(3), which goes on
 * without the text that did not fit, it notices that memory ran out.
 */
#ifndef BUFSTAT_TEXT_STREAM_H
#define BUFSTAT_TEXT_STREAM_H

#include <stdio.h>

/*
 * When the stream is closed, *@text has what was written, with a NUL after its
 * *@size bytes; @text and @size must stay valid until then. Returns NULL when
 * out of memory.
 */
FILE *text_stream_open(char **text, size_t *size);

/*
 * Closes @out, which was opened with @text. Returns 0 with the whole text in
 * *@text, which the caller frees, or -ENOMEM with *@text NULL if some did not
 * fit.
 */
int text_stream_close(FILE *out, char **text);

#endif
