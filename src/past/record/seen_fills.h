/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The rows of a trace as they were when it was last read, in memory of fixed
 * size, to tell what came since.
 */
#ifndef BUFSTAT_SEEN_FILLS_H
#define BUFSTAT_SEEN_FILLS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "trace/trace.h"

/* All zero bytes is empty. */
struct seen_fills {
	struct seen_generation {
		struct trace_fill fills[FILL_ROOM];
		size_t count;
		uint16_t places[2 * FILL_ROOM]; /* of fills, plus 1; 0: none */
	} generations[2];
	unsigned int now; /* the generation that is being filled */
};

/* Begins to read the trace once more: forgets all but what was read last. */
void seen_fills_begin(struct seen_fills *seen);

/*
 * Takes a row of the trace, each only once, and sets @since to what came in and
 * went out since the row was last taken. Returns false if there is no room.
 */
bool seen_fills_take(struct seen_fills *seen, const struct trace_fill *fill,
		     struct trace_fill *since);

/* Whether a row that was read @before is still there and has not changed. */
bool seen_fills_idle(struct seen_fills *seen, const struct trace_fill *before);

/* The rows that were read last, in no order. */
const struct trace_fill *seen_fills_all(const struct seen_fills *seen,
					size_t *count);

#endif
