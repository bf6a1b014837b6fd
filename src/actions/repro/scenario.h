/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The scenarios: each is a row of one table. */
#ifndef BUFSTAT_SCENARIO_H
#define BUFSTAT_SCENARIO_H

#include <stddef.h>

struct error;
struct scenario;

/* @index is below scenario_count(). */
size_t scenario_count(void);
const struct scenario *scenario_at(size_t index);

/*
 * The scenario called @name, or NULL with an error that names the nearest one.
 * @err may be NULL.
 */
const struct scenario *scenario_find(const char *name, struct error *err);

/* How many phases and claims it has. */
size_t scenario_phases(const struct scenario *scenario);
size_t scenario_claims(const struct scenario *scenario);

#endif
