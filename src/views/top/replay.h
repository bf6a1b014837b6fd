/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A recording on the screen: measures tabs in the readings that it has. */
#ifndef BUFSTAT_REPLAY_H
#define BUFSTAT_REPLAY_H

#include <stdbool.h>
#include <stddef.h>

#include "lib/sysroot.h"
#include "store/past_steps.h"
#include "top/tab.h"

/* What to measure. */
struct replay {
	const char *path; /* of the recording, absolute */
	const char *name; /* as the user calls it, for messages */
	struct past_step step; /* the moment */
	/* Readings up to then, for trends. The last one is the moment's. */
	size_t most;
	bool is_patient; /* takes all of them, however long that takes */
};

/*
 * Measures @tab in the readings of @replay and sends each to @fd (feed.h),
 * oldest first; fewer of the old ones if that takes long. Returns 0, or a
 * negative errno with nothing sent.
 */
int replay_send(int fd, const struct question *tab, const struct replay *replay,
		struct patience *patience, struct error *err);

/* What a tab measured in one reading, which rests on a tree of its own. */
struct replayed {
	struct sysroot root;
	struct tab_rows rows;
};

/*
 * Measures @tab in @past. Returns 0 or a negative errno; the caller releases
 * @replayed in either case.
 */
int replayed_take(struct replayed *replayed, const struct question *tab,
		  const struct past *past, struct patience *patience,
		  struct error *err);
/* The same for one that follows, which asks the recording at @path itself. */
int replayed_ask(struct replayed *replayed, const struct question *tab,
		 const char *path, int64_t at_ms, struct patience *patience,
		 struct error *err);
void replayed_release(struct replayed *replayed, const struct question *tab);

/* Calls the recording what the user does, in an error about it. Returns @ret. */
int replay_name_error(const struct replay *replay, int ret, struct error *err);

/* Why a tab has nothing to show of a recording. Returns -ENODATA. */
int replay_refuse(const struct question *tab, struct error *err);

/*
 * Makes the captured tree of all that was recorded at the moment of @replay.
 * Returns 0 (the caller deinits @root then) or a negative errno.
 */
int replay_root(struct sysroot *root, const struct replay *replay,
		struct patience *patience, struct error *err);

#endif
