/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What leaves the host in a document: a reading, or one of a recording. Each
 * string is looked up in the fields of the answer that has it. What no field
 * describes is replaced whole.
 */
#ifndef BUFSTAT_REDACT_JSON_H
#define BUFSTAT_REDACT_JSON_H

#include <stdbool.h>
#include <stddef.h>

struct redactor;

struct redaction {
	struct redactor *redactor; /* NULL: names stay */
	bool lacks_paths; /* of files and cgroups */
};

/*
 * Replaces *@text, a document that was allocated and has *@size bytes and a
 * NUL. What is mounted from another host is left out in any case. Returns 0,
 * or -EBADMSG if it is no JSON, or -ENOMEM, with *@text as it was.
 */
int redact_json(const struct redaction *redaction, char **text, size_t *size);

#endif
