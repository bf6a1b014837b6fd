/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef BUFSTAT_OBSERVE_H
#define BUFSTAT_OBSERVE_H

struct error;
struct experiment;
struct observation;

/*
 * Measures everything the experiment has. What cannot be measured is absent;
 * if that is the device, the outcome has the reason. On a busy host Buffers
 * moves meanwhile: then all is measured again, at most four times. Returns 0
 * or a negative errno: there is no /proc/meminfo, or no source of the name that
 * was asked for.
 */
int experiment_observe(const struct experiment *experiment,
		       struct observation *observation, struct error *err);

#endif
