/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A question about a row: its details, what drop would do, or the drop. */
#ifndef BUFSTAT_JOB_H
#define BUFSTAT_JOB_H

#include <stdbool.h>
#include <stdint.h>

#include "top/feed.h"
#include "top/keys.h"

struct model;

/* All zero: none was asked. */
struct job {
	struct feed feed;
	bool is_drop; /* and no question: it is never ended */
};

/*
 * Asks about the selected row of @model: ACTION_DETAILS, ACTION_VERDICT or
 * ACTION_DROP. A question ends the one before. @replay is the moment of a
 * recording, or NULL. Event @id of @epoll says that there is more to read.
 */
void job_start(struct job *job, struct model *model, enum action action,
	       const struct tab_asking *question, const struct replay *replay,
	       int epoll, uint32_t id);

/* Reads the answer, and shows it once it is complete. */
void job_read(struct job *job, struct model *model);

#endif
