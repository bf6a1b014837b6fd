/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Being asked to stop, by a signal, without being stopped: what was set up is
 * to be taken down first. The signals are blocked and asked for between steps.
 */
#ifndef BUFSTAT_STOP_H
#define BUFSTAT_STOP_H

#include <signal.h>
#include <stdbool.h>

struct error;

struct stop {
	sigset_t watched; /* those of the below that were not ignored */
	sigset_t before; /* the mask to restore */
	int signal; /* the first that came, or 0 */
};

/* Blocks SIGHUP, SIGINT, SIGPIPE, SIGQUIT and SIGTERM, and SIGCHLD. */
void stop_init(struct stop *stop);

/* Was one sent? Without waiting. */
bool stop_is_asked(struct stop *stop);

/* Returns -EINTR with the text if one was, else 0. */
int stop_check(struct stop *stop, struct error *err);

/* Waits @ms, or less if we are asked to stop. */
void stop_wait_ms(struct stop *stop, unsigned int ms);

/*
 * The same, or less if a child ends. One that ended before, whoever began it,
 * counts too: the caller looks again.
 */
void stop_wait_child_ms(struct stop *stop, unsigned int ms);

/* Restores the mask; the process then ends by the signal that came, if any. */
void stop_deinit(struct stop *stop);

#endif
