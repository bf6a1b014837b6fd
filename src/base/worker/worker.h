/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A process for what may never return. It holds nothing that anybody else may
 * wait for: no terminal, no pipe of the user's, no directory.
 */
#ifndef BUFSTAT_WORKER_H
#define BUFSTAT_WORKER_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/* A worker's descriptors besides 0, 1 and 2, which are /dev/null. */
enum {
	WORKER_PIPE = 3, /* to the program, which reads what is written */
	WORKER_KEPT = 4, /* the descriptor that it was given */
};

/*
 * fork(2) for a worker, whose exit status is 0 or the errno that it could not
 * go on for. It has @kept, a descriptor of this process or -1, as
 * WORKER_KEPT. Unless @outlives, it ends with this process. Returns 0 in the
 * worker. In this process, returns the worker's pid or a negative errno; the
 * caller reads from *@pipe, which is non-blocking, and closes it.
 */
pid_t worker_start(int kept, bool outlives, int *pipe);

/* What /proc/PID/stat says about a process. */
struct worker_life {
	char state; /* 'R', 'S', 'D', 'Z'... */
	uint64_t cpu; /* clock ticks of processor time */
	uint64_t start; /* clock ticks since boot; tells reused pids apart */
};

/* Returns false if there is no such process. Never blocks. */
bool worker_look(pid_t pid, struct worker_life *life);

/*
 * Waits for a child that was killed or is about to end, until @until_ns
 * (CLOCK_MONOTONIC), and a second longer if it only waits for a processor to
 * end on. Returns false if it still exists then. *@status is as of wait(2), or
 * 0.
 */
bool worker_reap_status(pid_t pid, int64_t until_ns, int *status);

static inline bool worker_reap(pid_t pid, int64_t until_ns)
{
	int status;

	return worker_reap_status(pid, until_ns, &status);
}

#endif
