/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Moments of the past as users write them. */
#ifndef BUFSTAT_MOMENT_H
#define BUFSTAT_MOMENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>

#include "cli/option.h"
#include "lib/utc.h"

/*
 * All zero: none was given. An hour that the clocks had twice, when daylight
 * saving time ended, makes two moments.
 */
struct moment {
	const char *text; /* as it was given */
	int64_t ms[2]; /* CLOCK_REALTIME, since 1970, in order */
	size_t count;
	bool is_clock; /* a time of day, of whatever day */
};

/* A moment is a second, and this is the last part of it. */
#define MOMENT_LAST_MS 999

/*
 * Reads local time: "02:12" or "2am", which is the last one before @now,
 * "02:12:30", "2026-11-23 02:12", "yesterday 2am"; a date alone is its
 * midnight; RFC 3339, as in JSON: "2026-11-23T02:12:30Z"; a time ago: "-30m" or
 * "30 minutes ago", with s, m, h or d; "now"; or "@1795400000", seconds since
 * 1970. A fraction of a second is left out. @moment keeps @text. Returns 0 or
 * -EINVAL.
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

#endif
