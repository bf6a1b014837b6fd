/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The rows of bufstat who for a time that was recorded. Processes of the same
 * name and cgroup are one row.
 */
#ifndef BUFSTAT_RECORDED_WHO_H
#define BUFSTAT_RECORDED_WHO_H

#include <stddef.h>
#include <stdint.h>

#include "recorded/growth.h"
#include "who/cgroup_ids.h"
#include "who/who_rows.h"

/* All zero bytes is empty. */
struct recorded_who {
	struct who_rows rows;
	struct trace_totals totals; /* which the rows point to */
	struct cgroup_ids cgroups; /* names by numbers of our own */
	int64_t from_ms; /* of the first report, CLOCK_REALTIME */
	int64_t to_ms; /* of the last one */
	bool is_estimated; /* one of them was */
};

/*
 * Makes the rows of the reports that have some of the time from @from_ms to
 * @to_ms in them, and of no others, for what is in @selection, which may be
 * empty. Returns 0, -ENODATA if there is no report, or -ENOMEM. @growth must
 * outlive @who; the caller deinits in any case.
 */
int recorded_who_init(struct recorded_who *who, const struct growth *growth,
		      int64_t from_ms, int64_t to_ms,
		      struct selection *selection);
void recorded_who_deinit(struct recorded_who *who);

/*
 * Writes who was behind the growth of @series between two moments, most first:
 * "tar 97%, find 2%", or "about tar 97%" from estimates. What nobody was seen
 * to bring in is "not traced", unless estimates may be that far off. Writes ""
 * if nobody was traced then.
 */
enum { BEHIND_TEXT = 128 };
void recorded_behind(const struct growth *growth,
		     const struct growth_series *series, int64_t from_ms,
		     int64_t to_ms, int64_t rise_bytes, char text[BEHIND_TEXT]);

#endif
