/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What changed: an answer compared with earlier ones, the last one and the
 * first one or the one that the user saved. It is for all that has samples.
 */
#ifndef BUFSTAT_HISTORY_H
#define BUFSTAT_HISTORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "measure/snapshot.h"

/* The samples of an answer, which owns them, and what is said of all. */
struct samples {
	void *first; /* record, of which a sample is the first member */
	size_t count;
	size_t size; /* of a record, in bytes */
	struct sample *rest; /* the pages that are on none of them */
	uint64_t page_size; /* bytes */
	bool lists_all_pages; /* what is not listed has none */
	bool unsettled; /* not proven */
};

static inline struct sample *samples_at(struct samples samples, size_t i)
{
	return (void *)((char *)samples.first + i * samples.size);
}

/* The pages in one answer. An empty baseline is all zero bytes. */
struct baseline {
	struct baseline_device {
		unsigned int major;
		unsigned int minor;
		uint64_t pages;
		char *kname; /* or NULL */
	} * devices; /* sorted by number */
	size_t count;
	uint64_t page_size; /* bytes */
	bool lists_all_pages; /* what is not listed had no pages */
	bool unsettled; /* not proven, so no change is known */
	int64_t rest_pages;
	bool has_rest;
	bool taken;
};

struct history {
	struct baseline last;
	struct baseline first;
};

/* Replaces @baseline. Returns 0, or -ENOMEM with @baseline unchanged. */
int baseline_take(struct baseline *baseline, struct samples samples);
void baseline_deinit(struct baseline *baseline);

/*
 * Sets *@pages to the pages of @page_size bytes that the sample has gained
 * since @baseline, negative if it lost some. Returns false if either count is
 * unknown, if @baseline is unsettled or has another page size, or if the change
 * in bytes exceeds 63 bits.
 */
bool baseline_change(const struct baseline *baseline,
		     const struct sample *sample, uint64_t page_size,
		     int64_t *pages);

/* Whether there is anything to compare with. */
static inline bool history_is_there(const struct history *history)
{
	return history->last.taken || history->first.taken;
}

/*
 * Sets what the samples and the rest have gained, as far as it is known, their
 * states, and which of them had pages.
 */
void history_compare(const struct history *history, struct samples samples);

/*
 * Makes an answer the last one, and the first one if there is none yet. Returns
 * 0 or -ENOMEM.
 */
int history_take(struct history *history, struct samples samples);
void history_deinit(struct history *history);

#endif
