/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef BUFSTAT_CONDUCT_H
#define BUFSTAT_CONDUCT_H

struct experiment;
struct outcome;

/*
 * Runs a scenario in its own lab and judges the measurements. Fills
 * @experiment's outcome, which the caller deinits, and removes the lab unless
 * --keep is given. If other processes may have caused the verdict, tries again,
 * at most twice. Call lab_isolate() first. Returns 0, even if the experiment
 * failed or could not run, or -EINTR if it was stopped.
 */
int experiment_run(struct experiment *experiment);
void outcome_deinit(struct outcome *outcome);

#endif
