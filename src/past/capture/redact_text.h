/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Replaces the names in texts of a capture (redact.h). */
#ifndef BUFSTAT_REDACT_TEXT_H
#define BUFSTAT_REDACT_TEXT_H

#include <stddef.h>

#include "fields/fields.h"

struct redactor;

/*
 * Replaces *@text, which was allocated and has *@size bytes and a NUL, by the
 * same without names, as the file at @path in the captured tree has them.
 * Returns 0 or -ENOMEM with *@text as it was.
 */
int redact_file(struct redactor *redactor, const char *path, char **text,
		size_t *size);

/*
 * What stands for one value. The caller frees it. Returns NULL when out of
 * memory.
 */
char *redact_value(struct redactor *redactor, enum field_says says,
		   const char *value);

#endif
