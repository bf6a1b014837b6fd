/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * How many pages each device had in earlier snapshots: in the last one, and in
 * the first one or the one that the user saved.
 */
#ifndef BUFSTAT_HISTORY_H
#define BUFSTAT_HISTORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct sample;
struct measurement;
struct snapshot;

/*
 * The pages of the devices in one snapshot. An empty baseline is all zero
 * bytes.
 */
struct baseline {
	struct baseline_device {
		unsigned int major;
		unsigned int minor;
		uint64_t pages;
		char *kname; /* or NULL */
	} * devices; /* sorted by number */
	size_t count;
	uint64_t page_size; /* bytes */
	bool lists_all_pages; /* a device that is not listed had no pages */
	bool unsettled; /* not proven, so no change is known */
	int64_t rest_pages; /* of Buffers, on no measured device */
	bool has_rest;
	bool taken;
};

struct history {
	struct baseline last;
	struct baseline first;
};

/*
 * Replaces @baseline. The rest is then unknown; the caller may set it. Returns
 * 0, or -ENOMEM with @baseline unchanged.
 */
int baseline_take(struct baseline *baseline, const struct snapshot *snapshot);
/* The same, including the rest. */
int baseline_take_measurement(struct baseline *baseline,
			      const struct measurement *measurement);
void baseline_deinit(struct baseline *baseline);

/*
 * Sets *@pages to the pages of @page_size bytes that the device has gained
 * since @baseline, negative if it lost some. Returns false if either count is
 * unknown, if @baseline is unsettled or has another page size, or if the change
 * in bytes exceeds 63 bits.
 */
bool baseline_change(const struct baseline *baseline,
		     const struct sample *sample, uint64_t page_size,
		     int64_t *pages);

/* Like baseline_change(), for the rest, which is now @rest_pages. */
bool baseline_rest_change(const struct baseline *baseline, int64_t rest_pages,
			  uint64_t page_size, int64_t *pages);

/*
 * Whether the device had pages in @baseline. False also if that is not known.
 */
bool baseline_had_pages(const struct baseline *baseline,
			const struct sample *sample);

/* Whether there is anything to compare with. */
static inline bool history_is_there(const struct history *history)
{
	return history && (history->last.taken || history->first.taken);
}

/*
 * Makes the measurement's snapshot the last one, and the first one if there is
 * none yet. Returns 0 or -ENOMEM.
 */
int history_take(struct history *history,
		 const struct measurement *measurement);
void history_deinit(struct history *history);

/*
 * Adds to @snapshot the devices that had pages before and are missing from it,
 * so that vanished devices show. If its source lists all pages, they have none
 * now; otherwise their pages are unknown. Returns 0 or -ENOMEM.
 */
int history_add_vanished(const struct history *history,
			 struct snapshot *snapshot);

#endif
