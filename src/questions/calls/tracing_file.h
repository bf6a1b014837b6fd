/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Files of tracefs, below a directory that is open: its top, or an instance.
 * Reading or writing them waits for no disk.
 */
#ifndef BUFSTAT_TRACING_FILE_H
#define BUFSTAT_TRACING_FILE_H

#include <stdbool.h>

struct error;

/*
 * Reads a whole file. The caller frees *@text, which has a NUL at its end.
 * Returns 0, -ENOENT if this kernel does not have the file, -EOPNOTSUPP with
 * the remedy if it may not be read, or another negative errno. @err may be
 * NULL.
 */
int tracing_read(int directory, const char *path, char **text,
		 struct error *err);

/*
 * Writes @text, a word at a time as the kernel takes it, after emptying the
 * file if it has a list. Returns as tracing_read() does.
 */
int tracing_write(int directory, const char *path, const char *text,
		  struct error *err);

/* The same, without emptying the list. */
int tracing_append(int directory, const char *path, const char *text,
		   struct error *err);

/* Whether the file says exactly @text, or that and a newline. */
bool tracing_says(int directory, const char *path, const char *text);

#endif
