/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Reads a file that may never answer. */
#ifndef BUFSTAT_FILE_TEXT_H
#define BUFSTAT_FILE_TEXT_H

#include <stdbool.h>
#include <stddef.h>

#include "worker/ask.h"

struct sysroot;

struct file_text {
	const char *path;
	size_t limit; /* bytes; a larger file is -EFBIG */
	/* What no other worker tries if one is stuck (ask.h), or NULL. */
	const char *object;
	bool insists; /* these as in struct ask */
	bool is_common;
};

/*
 * Reads all of the file, in a worker if @root is this host. *@text has a NUL
 * after its *@size bytes, and the caller frees it. @size may be NULL. Returns 0
 * or a negative errno. It is -ETIMEDOUT, with the reason in @why, if the file
 * did not answer; otherwise @why is "". Memory and processes that ran out are
 * other errnos.
 */
int file_text_ask(const struct sysroot *root, const struct file_text *file,
		  char **text, size_t *size, char why[ASK_WHY]);

/* What a negative errno of file_text_ask() means. */
const char *file_text_why(int error);

#endif
