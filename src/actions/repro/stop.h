/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Turns a signal into a request to stop, so that everything is taken down
 * first. The signals are blocked, and checked between steps.
 */
#ifndef BUFSTAT_STOP_H
#define BUFSTAT_STOP_H

#include <signal.h>
#include <stdbool.h>

struct error;

struct stop {
	sigset_t watched; /* the signals of stop_init() that were not ignored */
	sigset_t before; /* the mask to restore */
	int signal; /* the first that came, or 0 */
};

/* Blocks SIGHUP, SIGINT, SIGPIPE, SIGQUIT and SIGTERM, and SIGCHLD. */
void stop_init(struct stop *stop);

/* Whether a signal has come. Does not wait. */
bool stop_is_asked(struct stop *stop);

/* Returns -EINTR and sets @err if a signal has come, else 0. */
int stop_check(struct stop *stop, struct error *err);

/* Waits @ms, or less if we are asked to stop. */
void stop_wait_ms(struct stop *stop, unsigned int ms);

/*
 * Like stop_wait_ms(), but a child that ends cuts the wait short. One that
 * ended earlier counts too, whoever started it, so the caller checks again.
 */
void stop_wait_child_ms(struct stop *stop, unsigned int ms);

/* Restores the mask and raises the signal that came, if any: it ends us. */
void stop_deinit(struct stop *stop);

#endif
