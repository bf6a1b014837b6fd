/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The time that a question to a recording is about: --from and --to. */
#ifndef BUFSTAT_GROWTH_SPAN_H
#define BUFSTAT_GROWTH_SPAN_H

#include <stdbool.h>
#include <stdint.h>

#include "cli/moment.h"

struct error;
struct sysroot;

struct growth_span {
	int64_t from_ms; /* CLOCK_REALTIME */
	int64_t to_ms;
	bool has_from; /* the user named it: what is missing before is told */
};

/*
 * From the first of two moments until the last, where the clocks had an hour
 * twice. Without @from, the day before @to; without @to, until now. A clock
 * time is the last one that has been, so @to may be on the day before @from. On
 * a captured host, now is when it was captured. Returns 0, or -EINVAL if @to is
 * before @from.
 */
int growth_span_choose(struct growth_span *span, const struct sysroot *root,
		       const struct moment *from, const struct moment *to,
		       struct error *err);

#endif
