/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Who filled caches at a time that was recorded, and what that lacks. */
#ifndef BUFSTAT_WHO_REPORT_H
#define BUFSTAT_WHO_REPORT_H

#include "lib/error.h"
#include "recorded/growth.h"
#include "recorded/recorded_who.h"

struct patience;
struct selection;

/* All zero bytes is empty. */
struct who_report {
	struct growth growth;
	struct recorded_who who; /* has rows */
};

/*
 * Reads the reports of the recording at @path that have some time of @span in
 * them, for what is in @selection, which may be empty. Returns 0, or a negative
 * errno: -ENODATA if nobody was traced then, else as growth_read(). The caller
 * deinits in any case.
 */
int who_report_read(struct who_report *report, const char *path,
		    const struct growth_span *span, struct selection *selection,
		    struct patience *patience, struct error *err);
void who_report_deinit(struct who_report *report);

/* Tells what makes the figures a lower bound. */
void who_report_missing(const struct who_report *report, error_tell_fn *tell,
			void *data);

#endif
