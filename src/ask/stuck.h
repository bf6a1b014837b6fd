/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What waits in the kernel and cannot be ended is written down below /run, so
 * that no later run begins the same again: each would leave another process.
 * The record of an object holds as long as its process is there.
 */
#ifndef BUFSTAT_STUCK_H
#define BUFSTAT_STUCK_H

#include <stdbool.h>
#include <sys/types.h>
#include <time.h>

enum { STUCK_OBJECT = 128 }; /* bytes, with the NUL */

struct stuck {
	pid_t pid;
	time_t since; /* CLOCK_REALTIME */
};

/* Is something stuck with @object, from this run or an earlier one? */
bool stuck_find(const char *object, struct stuck *stuck);

/*
 * Writes down that @pid does not come back from @object. Without the right to
 * write below /run nothing is, and a later run tries again.
 */
void stuck_record(const char *object, pid_t pid);

/* It came back. */
void stuck_forget(const char *object);

/*
 * One run after the other: two at the same time would both find no record.
 * Returns a descriptor for stuck_unlock(), -EBUSY: another run has had it for
 * @ms, or another negative errno: this user cannot have it.
 */
int stuck_lock(int ms);

/* Leaves nothing below /run but what is stuck. */
void stuck_unlock(int *lock);

/* Does a process that is stuck for two minutes end the whole host? */
bool stuck_is_fatal(void);

#endif
