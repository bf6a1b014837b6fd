/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The tracer: a child of the recorder that counts who brings pages into caches.
 * It has no part in anything else, so that the recorder goes on without it.
 */
#ifndef BUFSTAT_TRACER_H
#define BUFSTAT_TRACER_H

#include <stdbool.h>
#include <sys/types.h>

#include "worker/frames.h"

struct tracer {
	pid_t pid; /* 0: there is none */
	int orders; /* to the tracer; its end ends the tracer */
	int pipe; /* from the tracer; -1: it has ended */
	bool refused; /* this host cannot be traced */
	struct frames frames;
};

/*
 * Starts a tracer, which opens the trace by itself: what it finds out comes as
 * a STORE_STATE, "tracing" or "untraced" with the reason. Returns 0 or a
 * negative errno. Allocates nothing in this process.
 */
int tracer_start(struct tracer *tracer);

/*
 * Asks for a report (tracing.h), which is the last one if @last. Never waits.
 */
void tracer_ask(const struct tracer *tracer, bool last);

/* Reads what the tracer has sent. */
void tracer_hear(struct tracer *tracer, frames_take_fn *take, void *data);

/* Notes that it has ended, with @status as waitpid() says. */
void tracer_forget(struct tracer *tracer, int status);

/* Ends it. */
void tracer_stop(struct tracer *tracer);

#endif
