/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Reads the module's file, in the format of <bufstat/devices.h>. */
#ifndef BUFSTAT_DEVICES_TEXT_H
#define BUFSTAT_DEVICES_TEXT_H

#include <stddef.h>

struct error;
struct snapshot;

/*
 * Parses the @size bytes of @text, a whole file followed by a NUL, into an
 * empty @snapshot. Refuses text that breaks the format, is cut short or does
 * not add up. Returns 0, -EPROTO for a version that this reader does not know,
 * -EBADMSG for anything else that is wrong with the text, or -ENOMEM. Modifies
 * @text.
 */
int devices_text_parse(char *text, size_t size, struct snapshot *snapshot,
		       struct error *err);

/*
 * Reads the version in the first line of @text. Returns 0, or -EBADMSG if that
 * line is not of this format.
 */
int devices_text_version(const char *text, unsigned int *major,
			 unsigned int *minor);

#endif
