/* SPDX-License-Identifier: GPL-2.0-or-later */
/* How soon the OOM killer takes this process: children inherit it. */
#ifndef BUFSTAT_OOM_SCORE_H
#define BUFSTAT_OOM_SCORE_H

/*
 * For the recorder and its writer, once they have started: others have more to
 * lose, and it is what says afterwards what happened.
 */
void oom_score_be_spared(void);

/* For every other process: takes back what it has inherited of that. */
void oom_score_be_as_others(void);

#endif
