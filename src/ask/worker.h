/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A process that does what may never come back. It holds nothing that anybody
 * else may wait for: no terminal, no pipe of the user's, no directory.
 */
#ifndef BUFSTAT_WORKER_H
#define BUFSTAT_WORKER_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/* The descriptors of a worker, beside 0, 1 and 2, which are /dev/null. */
enum {
	WORKER_PIPE = 3, /* to the program, which reads what is written here */
	WORKER_KEPT = 4, /* the one that it was given to keep */
};

/*
 * fork(2) for a worker. @kept is a descriptor of this process that the worker
 * has as WORKER_KEPT, or -1. Unless @outlives, it ends with this process.
 * Returns 0 in the worker; the pid here, with *@pipe to read from,
 * non-blocking; or a negative errno.
 */
pid_t worker_start(int kept, bool outlives, int *pipe);

/* What /proc says of a process. */
struct worker_life {
	char state; /* 'R', 'S', 'D', 'Z'... */
	uint64_t cpu; /* clock ticks that it ran */
	uint64_t start; /* clock ticks after the boot: with the pid, its name */
};

/* False if there is no such process. Never waits. */
bool worker_look(pid_t pid, struct worker_life *life);

/*
 * Waits for a child that was killed or is at its end: until @until_ns
 * (CLOCK_MONOTONIC), and a second longer for one that only waits for a
 * processor to end on. False if it is still there then.
 */
bool worker_reap(pid_t pid, int64_t until_ns);

#endif
