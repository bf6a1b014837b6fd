/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Waits while a trace goes on: for the next report, for the end of a program,
 * or for a signal to end.
 */
#ifndef BUFSTAT_WATCH_H
#define BUFSTAT_WATCH_H

#include <signal.h>
#include <stdint.h>
#include <sys/types.h>

struct error;

struct watch {
	int signals; /* a descriptor, or -1 */
	sigset_t before; /* signals blocked before watch_init() */
	pid_t program; /* that runs, or 0 */
	int status; /* of the program when it ended, as waitpid() says */
};

enum watch_end {
	WATCH_DUE, /* it is time for the next report */
	WATCH_OVER, /* the program ended, or we were asked to end */
	WATCH_TICK, /* neither; names may be looked up */
};

/*
 * From here on, SIGINT, SIGTERM and SIGCHLD only end the waiting. Returns 0 or
 * a negative errno; the caller deinits @watch in either case.
 */
int watch_init(struct watch *watch, struct error *err);
void watch_deinit(struct watch *watch);

/* Nanoseconds of a time between reports: of a very long one, thirty years. */
int64_t watch_step_ns(double seconds);

/*
 * Waits until @until_ns (CLOCK_MONOTONIC; INT64_MAX: for ever), or until the
 * program ends, or until SIGINT or SIGTERM. While a program runs, SIGINT is for
 * the program, which got it too, and SIGTERM is passed on. Returns WATCH_TICK
 * after two seconds.
 */
enum watch_end watch_wait(struct watch *watch, int64_t until_ns);

#endif
