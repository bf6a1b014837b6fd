/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The heads of earlier samples: the last one, and the first or a saved one. */
#ifndef BUFSTAT_MEMORY_HISTORY_H
#define BUFSTAT_MEMORY_HISTORY_H

#include <stdbool.h>
#include <stdint.h>

#include "memory/memory_heads.h"

struct memory_past {
	bool taken;
	uint64_t page_size; /* bytes */
	bool known[MEMORY_HEADS];
	int64_t pages[MEMORY_HEADS];
	bool has_rest;
	int64_t rest;
};

struct memory_history {
	struct memory_past last, first;
};

void memory_past_take(struct memory_past *past,
		      const struct memory_heads *heads, uint64_t page_size);

/* Makes the heads the last sample, and the first if there is none. */
void memory_history_take(struct memory_history *history,
			 const struct memory_heads *heads, uint64_t page_size);

/*
 * Sets *@pages to what a head, or with MEMORY_HEADS the rest, has gained since
 * @past. Returns false if that is not known.
 */
bool memory_past_change(const struct memory_past *past,
			const struct memory_heads *heads, uint64_t page_size,
			enum memory_head_id id, int64_t *pages);

#endif
