// SPDX-License-Identifier: GPL-2.0-or-later
#include "memory/memory_history.h"

void memory_past_take(struct memory_past *past,
		      const struct memory_heads *heads, uint64_t page_size)
{
	*past = (struct memory_past){
		.taken = true,
		.page_size = page_size,
		.has_rest = heads->has_rest,
		.rest = heads->rest,
	};
	for (size_t i = 0; i < MEMORY_HEADS; i++) {
		past->known[i] = heads->heads[i].known;
		past->pages[i] = heads->heads[i].pages;
	}
}

void memory_history_take(struct memory_history *history,
			 const struct memory_heads *heads, uint64_t page_size)
{
	memory_past_take(&history->last, heads, page_size);
	if (!history->first.taken)
		history->first = history->last;
}

bool memory_past_change(const struct memory_past *past,
			const struct memory_heads *heads, uint64_t page_size,
			enum memory_head_id id, int64_t *pages)
{
	if (!past->taken || past->page_size != page_size)
		return false;
	if (id == MEMORY_HEADS) {
		*pages = heads->rest - past->rest;
		return heads->has_rest && past->has_rest;
	}
	*pages = heads->heads[id].pages - past->pages[id];
	return heads->heads[id].known && past->known[id];
}
