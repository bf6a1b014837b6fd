// SPDX-License-Identifier: GPL-2.0-or-later
#include <string.h>

#include "record/seen_fills.h"

#define PLACES (2 * FILL_ROOM)

_Static_assert(FILL_ROOM < UINT16_MAX, "places have 16 bits");
_Static_assert((PLACES & (PLACES - 1)) == 0, "a hash is masked");

static size_t hash(const struct trace_fill *fill)
{
	uint64_t key = (uint64_t)fill->process << 33 ^
		       (uint64_t)fill->major << 21 ^
		       (uint64_t)fill->minor << 1 ^ fill->is_bdev;

	/* Fibonacci hashing: the high bits depend on all of the key. */
	return (size_t)(key * UINT64_C(0x9e3779b97f4a7c15) >> 32) &
	       (PLACES - 1);
}

/* The place of @fill, or the empty one where it belongs. */
static uint16_t *find(struct seen_generation *generation,
		      const struct trace_fill *fill)
{
	size_t at = hash(fill);

	for (;; at = (at + 1) & (PLACES - 1)) {
		uint16_t *place = &generation->places[at];

		if (!*place ||
		    trace_fill_compare(&generation->fills[*place - 1], fill) ==
			    0)
			return place;
	}
}

void seen_fills_begin(struct seen_fills *seen)
{
	struct seen_generation *next;

	seen->now ^= 1;
	next = &seen->generations[seen->now];
	next->count = 0;
	memset(next->places, 0, sizeof(next->places));
}

/* A row of another generation was forgotten and began again. */
static void subtract(struct trace_fill *since, const struct trace_fill *before)
{
	if (since->generation != before->generation)
		return;
	for (unsigned int i = 0; i < FILL_HOWS; i++)
		since->in[i] -= before->in[i];
	since->out -= before->out;
	since->dropped -= before->dropped;
	since->events -= before->events;
}

bool seen_fills_take(struct seen_fills *seen, const struct trace_fill *fill,
		     struct trace_fill *since)
{
	struct seen_generation *now = &seen->generations[seen->now];
	struct seen_generation *before = &seen->generations[!seen->now];
	const uint16_t *old = find(before, fill);

	*since = *fill;
	if (*old)
		subtract(since, &before->fills[*old - 1]);
	if (now->count == FILL_ROOM)
		return false;
	now->fills[now->count++] = *fill;
	*find(now, fill) = (uint16_t)now->count;
	return true;
}

bool seen_fills_idle(struct seen_fills *seen, const struct trace_fill *before)
{
	struct seen_generation *now = &seen->generations[seen->now];
	const uint16_t *place = find(now, before);
	struct trace_fill since;

	if (!*place)
		return false;
	since = now->fills[*place - 1];
	if (since.generation != before->generation)
		return false;
	subtract(&since, before);
	return !since.events && !since.out && !trace_fill_in(&since);
}

const struct trace_fill *seen_fills_all(const struct seen_fills *seen,
					size_t *count)
{
	const struct seen_generation *now = &seen->generations[seen->now];

	*count = now->count;
	return now->fills;
}
