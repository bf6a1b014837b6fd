/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef BUFSTAT_CONDUCT_H
#define BUFSTAT_CONDUCT_H

struct experiment;
struct outcome;

/*
 * Runs a scenario in a lab of its own and judges what was measured. Fills
 * @experiment's outcome, which the caller deinits, and leaves nothing of the
 * lab. A verdict that others may have brought about is tried for again, at most
 * twice. Needs lab_isolate() before. Returns 0, also if it could not be run or
 * failed, or -EINTR if it was stopped.
 */
int experiment_run(struct experiment *experiment);
void outcome_deinit(struct outcome *outcome);

#endif
