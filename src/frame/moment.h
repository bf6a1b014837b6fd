/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Moments of the past as users write them. */
#ifndef BUFSTAT_MOMENT_H
#define BUFSTAT_MOMENT_H

#include <stddef.h>
#include <stdint.h>
#include <time.h>

#include "frame/option.h"

struct error;

/*
 * All zero: none was given. An hour that the clocks had twice, when daylight
 * saving time ended, makes two moments.
 */
struct moment {
	const char *text; /* as it was given */
	int64_t ms[2]; /* CLOCK_REALTIME, since 1970, in order */
	size_t count;
};

/*
 * Reads local time: "02:12", which is the last one before @now, "02:12:30",
 * "2026-11-23 02:12", "2026-11-23T02:12:30", "2026-11-23", "yesterday", "now";
 * a time ago: "-30m", with s, m, h or d; or "@1795400000", seconds since 1970.
 * A date alone is its midnight. @moment keeps @text. Returns 0 or -EINVAL.
 */
int moment_parse(struct moment *moment, const char *text, time_t now);

/*
 * Reads what @given was read from once more, with another @now: that of a
 * captured host is known only after all options are. None stays none.
 */
void moment_rebase(struct moment *moment, const struct moment *given,
		   time_t now);

/* For option rows whose place is a struct moment. */
option_take_fn moment_take;

/* Writes local time as "2026-11-23 02:12:30". Returns @text. */
#define MOMENT_TEXT_SIZE 32
const char *moment_text(int64_t ms, char text[MOMENT_TEXT_SIZE]);

#endif
