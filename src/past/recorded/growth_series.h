/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The series of struct growth while it is read, and which fills are of them. */
#ifndef BUFSTAT_GROWTH_SERIES_H
#define BUFSTAT_GROWTH_SERIES_H

#include "recorded/growth.h"

struct saved;

/* Finds the series, or adds it. NULL when out of memory. */
struct growth_series *growth_add_series(struct growth *growth,
					enum growth_kind kind,
					const char *name);

/* Adds a point. Returns 0 or -ENOMEM. */
int growth_append(struct growth_series *series, int64_t real_ms, int64_t bytes);

/*
 * Adds the heads of a reading of memory. Returns 0 or a negative errno: what
 * cannot be read is not there.
 */
int growth_take_heads(struct growth *growth, const struct saved *saved,
		      int64_t real_ms);

/*
 * Looks up the series of the fills that have none yet. Numbers are those of the
 * time, so that is done when a reading of devices was taken, which comes right
 * after the report.
 */
void growth_resolve_fills(struct growth *growth);

/*
 * At the end: filesystems are read rarely, or never, so what was filled and not
 * read gets a series without points. Returns 0 or -ENOMEM.
 */
int growth_add_unmeasured(struct growth *growth);

/* At the end: devices may be called something else than the kernel calls them. */
int growth_label_devices(struct growth *growth);

#endif
