/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the recorder costs, which it measures itself and records. */
#ifndef BUFSTAT_COST_H
#define BUFSTAT_COST_H

#include <stdint.h>

#include "store/documents.h"

struct ring_shared;

/* Readings get rarer if they cost more than they may. */
struct cost {
	int64_t at_ns; /* when it was last noted, CLOCK_MONOTONIC */
	int64_t used_ns; /* of processor time, until then */
	unsigned int slowed; /* readings only every so many intervals */
	unsigned int dead_writers; /* that another one replaced */
};

/* Processor time of @who, as for getrusage(2), in ns. */
int64_t cost_of(int who);

/* From now on. @shared has what the writer costs. */
void cost_begin(struct cost *cost, const struct ring_shared *shared);

/* What it has cost since the last one. Adjusts @slowed. */
struct store_state cost_note(struct cost *cost,
			     const struct ring_shared *shared,
			     int64_t interval_ms);

#endif
