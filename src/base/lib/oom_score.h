/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Whom the kernel kills first when memory runs out (/proc/PID/oom_score_adj,
 * from -1000 to 1000). What bufstat allocates must not cost another process its
 * life.
 */
#ifndef BUFSTAT_OOM_SCORE_H
#define BUFSTAT_OOM_SCORE_H

#define OOM_SCORE_FIRST 1000
/* For the recorder: it is what says afterwards what happened. */
#define OOM_SCORE_LAST (-900)

/*
 * Makes this process, and those that it starts, the first to be killed. Returns
 * what the score was before, OOM_SCORE_FIRST if that cannot be told.
 */
int oom_score_raise(void);

/* Sets the score of this process. Below what it was, that takes
 * CAP_SYS_RESOURCE. */
void oom_score_set(int score);

#endif
