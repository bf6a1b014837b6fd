/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The readings of a recording in its own order, to go through them one by one.
 * A clock that was set back does not change that order.
 */
#ifndef BUFSTAT_PAST_STEPS_H
#define BUFSTAT_PAST_STEPS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "store/past.h"

/* A reading of the devices. Whatever else is recorded is read right after. */
struct past_step {
	int64_t real_ms; /* when it was taken, CLOCK_REALTIME */
	int64_t until_ms; /* the last moment that it is taken for, the same
			     clock */
	int64_t boot_ms; /* CLOCK_BOOTTIME of that boot */
	uint64_t last; /* sequence number of the last record of that moment */
};

/* All zero is empty. */
struct past_steps {
	struct past_step *steps;
	size_t count;
	size_t capacity;
};

/*
 * Reads the steps of the recording at @path, all of it. Returns 0, -ENODATA if
 * it has none, or another negative errno. The caller deinits in any case.
 */
int past_steps_read(struct past_steps *steps, const char *path,
		    struct patience *patience, struct error *err);
void past_steps_deinit(struct past_steps *steps);

/*
 * The newest step, by its time, that is not after @at_ms (CLOCK_REALTIME), as
 * its place; 0 if all are after it. It may be of long before: past_step_is_of()
 * tells.
 */
size_t past_steps_find(const struct past_steps *steps, int64_t at_ms);

/* Whether the clock was set back in it by more than STORE_SET_MS. */
bool past_steps_were_set_back(const struct past_steps *steps);

static inline bool past_step_is_of(const struct past_step *step, int64_t at_ms)
{
	return step->real_ms <= at_ms && at_ms <= step->until_ms;
}

/* The last readings of a kind, oldest first. All zero is empty. */
struct past_run {
	struct past *pasts; /* their names are those below */
	size_t count;
	char *names; /* STORE_NAMES of the last one, or NULL */
};

/*
 * Finds the last readings of @kind up to @step, at most @most of them. Returns
 * 0, -ENODATA if the newest one would be of a quarter of an hour before the
 * step or older, or another negative errno. The caller deinits in any case.
 */
int past_run_read(struct past_run *run, const char *path, enum store_kind kind,
		  const struct past_step *step, size_t most,
		  struct patience *patience, struct error *err);
void past_run_deinit(struct past_run *run);

#endif
