/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Keeps records below /run of processes that block in the kernel and cannot be
 * killed. No later run tries the same again, which would leave another process
 * behind. The record of an object is valid as long as its process exists.
 */
#ifndef BUFSTAT_STUCK_H
#define BUFSTAT_STUCK_H

#include <stdbool.h>
#include <sys/types.h>
#include <time.h>

/* What is there while something waits, or is to be put back. */
#define RUN_DIRECTORY "/run/bufstat"

/*
 * Removes it if it is empty. Where systemd is, it stays: systemd makes it for a
 * service (RuntimeDirectory), which cannot start if it goes before it did.
 */
void run_directory_remove(void);

/* Bytes, with the NUL. */
enum { STUCK_OBJECT = 128, STUCK_WHY = 160 };

struct stuck {
	pid_t pid;
	time_t since; /* CLOCK_REALTIME */
};

/*
 * Names @path, absolute or not, as an object that somebody wants to do @what
 * with. Keeps the end of a long path, which tells more than its beginning.
 */
void stuck_name_path(const char *what, const char *path,
		     char object[STUCK_OBJECT]);

/*
 * Whether a process of this run or an earlier one is stuck on @object; if so,
 * fills in @stuck.
 */
bool stuck_find(const char *object, struct stuck *stuck);

/* Whether there is a record of @object, valid or not. Needs no lock. */
bool stuck_is_recorded(const char *object);

/* Says since when the object does not answer, and who waits for it. */
void stuck_explain(const struct stuck *stuck, char why[STUCK_WHY]);

/*
 * Records that @pid does not come back from @object. Without the permission to
 * write below /run it records nothing, and a later run tries again.
 */
void stuck_record(const char *object, pid_t pid);

/* Removes the record of a process that came back. */
void stuck_forget(const char *object);

/*
 * Keeps other runs out: two at the same time would both find no record. Returns
 * a descriptor for stuck_unlock(), -EBUSY if one other run has held the lock for
 * @ms milliseconds, or another negative errno if this user cannot have it.
 */
int stuck_lock(int ms);

/* Releases the lock. Leaves only the records of what is stuck below /run. */
void stuck_unlock(int *lock);

/* Whether a process that is stuck for two minutes panics the whole host. */
bool stuck_is_fatal(void);

#endif
