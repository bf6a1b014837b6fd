/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Reader of the module's file, in the format of <bufstat/devices.h>. */
#ifndef BUFSTAT_DEVICES_TEXT_H
#define BUFSTAT_DEVICES_TEXT_H

#include <stdbool.h>
#include <stddef.h>

struct error;
struct snapshot;

/*
 * Reads the @size bytes of @text, a whole file with a NUL after it, into an
 * empty @snapshot. Anything that the format does not allow, that is cut short
 * or does not add up is refused: -EPROTO for a version that this reader does
 * not know, -EBADMSG for the rest, -ENOMEM. @text is modified.
 */
int devices_text_parse(char *text, size_t size, struct snapshot *snapshot,
		       struct error *err);

/*
 * The version in the first line of @text. Returns 0 or -EBADMSG if that line is
 * none of the format's.
 */
int devices_text_version(const char *text, unsigned int *major,
			 unsigned int *minor);

#endif
