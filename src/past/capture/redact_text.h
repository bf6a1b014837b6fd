/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Replaces the names in the files of a capture (redact.h). */
#ifndef BUFSTAT_REDACT_TEXT_H
#define BUFSTAT_REDACT_TEXT_H

#include <stddef.h>

struct redactor;

/*
 * Replaces *@text, which was allocated and has *@size bytes and a NUL, by the
 * same without names. These return 0 or -ENOMEM with *@text as it was. The
 * first knows the file by its @path in the captured tree.
 */
int redact_file(struct redactor *redactor, const char *path, char **text,
		size_t *size);

/* JSON, by the keys that bufstat uses. */
int redact_json(struct redactor *redactor, char **text, size_t *size);

#endif
