/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef BUFSTAT_OBSERVE_H
#define BUFSTAT_OBSERVE_H

struct error;
struct experiment;
struct observation;

/*
 * Measures everything the experiment has. A quantity that cannot be measured is
 * absent; if that is the device's, the outcome's why has the reason. If Buffers
 * has moved meanwhile, as on a busy host, measures again, at most four times.
 * Returns 0, or a negative errno if /proc/meminfo or the source of --source
 * fails.
 */
int experiment_observe(const struct experiment *experiment,
		       struct observation *observation, struct error *err);

#endif
