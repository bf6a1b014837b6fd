/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * How many pages each device had in earlier snapshots: in the last one, and in
 * the first one or the one that the user kept.
 */
#ifndef BUFSTAT_HISTORY_H
#define BUFSTAT_HISTORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct sample;
struct measurement;
struct snapshot;

/* The pages of one snapshot's devices. An empty one is all zero bytes. */
struct baseline {
	struct baseline_device {
		unsigned int major;
		unsigned int minor;
		uint64_t pages;
		char *kname; /* or NULL */
	} * devices; /* by number */
	size_t count;
	uint64_t page_size; /* bytes */
	bool lists_all_pages; /* a device that is not in it had no pages */
	bool unsettled; /* its figures are not proven: no change is known */
	int64_t rest_pages; /* of Buffers, on no device that was measured */
	bool has_rest;
	bool taken;
};

struct history {
	struct baseline last;
	struct baseline first;
};

/*
 * Replaces @baseline; the rest is not known then, and the caller's to set.
 * Returns 0, or -ENOMEM with it unchanged.
 */
int baseline_take(struct baseline *baseline, const struct snapshot *snapshot);
/* The same with the rest. */
int baseline_take_measurement(struct baseline *baseline,
			      const struct measurement *measurement);
void baseline_deinit(struct baseline *baseline);

/*
 * The pages of @page_size that the device has gained since @baseline, negative
 * if it lost some. False if either count is not known, if @baseline is not
 * settled or has pages of another size, or if the change, in bytes, is past 63
 * bits.
 */
bool baseline_change(const struct baseline *baseline,
		     const struct sample *sample, uint64_t page_size,
		     int64_t *pages);

/* As baseline_change(), of the rest, which is @rest_pages now. */
bool baseline_rest_change(const struct baseline *baseline, int64_t rest_pages,
			  uint64_t page_size, int64_t *pages);

/* Did @baseline have pages of the device? False also where it cannot tell. */
bool baseline_had_pages(const struct baseline *baseline,
			const struct sample *sample);

/* Is there anything to compare with? */
static inline bool history_is_there(const struct history *history)
{
	return history && (history->last.taken || history->first.taken);
}

/*
 * Makes its snapshot the last one, and the first one if there is none yet.
 * Returns 0 or -ENOMEM.
 */
int history_take(struct history *history,
		 const struct measurement *measurement);
void history_deinit(struct history *history);

/*
 * Adds to @snapshot the devices that had pages before and are not in it, so
 * that what vanished is seen. If its source lists all pages they have none now;
 * else that is not known. Returns 0 or -ENOMEM.
 */
int history_add_vanished(const struct history *history,
			 struct snapshot *snapshot);

#endif
