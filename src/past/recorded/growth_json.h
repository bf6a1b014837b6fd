/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Parts of what commands print of a recording as JSON. */
#ifndef BUFSTAT_GROWTH_JSON_H
#define BUFSTAT_GROWTH_JSON_H

#include <stdint.h>

#include "recorded/growth.h"

struct column_choice;
struct json_out;
struct recorded_who;

/* Writes a moment (CLOCK_REALTIME) in UTC. */
void growth_json_moment(struct json_out *json, const char *key, int64_t ms);

/* Writes an array of gaps. */
void growth_json_gaps(struct json_out *json, const char *key,
		      const struct gaps *gaps);

/*
 * Writes who filled caches: "filled" with the rows of @who, "engine",
 * "lost_events" and "untraced". Where nobody was traced, @who is empty, and
 * "filled", "engine" and "lost_events" are null.
 */
void growth_json_filled(struct json_out *json, const struct growth *growth,
			const struct recorded_who *who,
			const struct column_choice *columns);

#endif
