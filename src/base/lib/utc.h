/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Moments as text: in documents "2026-11-23T02:12:30Z" (RFC 3339, in UTC). */
#ifndef BUFSTAT_UTC_H
#define BUFSTAT_UTC_H

#include <stdbool.h>
#include <stdint.h>
#include <time.h>

#define UTC_TEXT_SIZE 32

/* Writes seconds since 1970 to @text and returns it; "" if they have no date. */
const char *utc_text(time_t seconds, char text[UTC_TEXT_SIZE]);

/* Reads all of @text. Returns false, and leaves *@seconds, if it is no moment. */
bool utc_parse(const char *text, time_t *seconds);

/* Writes local time as "2026-11-23 02:12:30", or "". Returns @text. */
#define MOMENT_TEXT_SIZE 32
const char *moment_text(int64_t ms, char text[MOMENT_TEXT_SIZE]);

#endif
