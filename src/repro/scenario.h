/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What can be reproduced: each scenario is a row of one table. */
#ifndef BUFSTAT_SCENARIO_H
#define BUFSTAT_SCENARIO_H

#include <stddef.h>

struct error;
struct scenario;

size_t scenario_count(void);
const struct scenario *scenario_at(size_t index);

/* NULL, with an error that names the nearest that there is. */
const struct scenario *scenario_find(const char *name, struct error *err);

/* How many it has. */
size_t scenario_phases(const struct scenario *scenario);
size_t scenario_claims(const struct scenario *scenario);

#endif
