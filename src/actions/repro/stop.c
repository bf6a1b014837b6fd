// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <stddef.h>
#include <string.h>
#include <time.h>

#include "lib/error.h"
#include "repro/stop.h"

static const int signals[] = { SIGHUP, SIGINT, SIGPIPE, SIGQUIT, SIGTERM };

/*
 * Whether the signal is ignored. Once blocked, it would be pending all the
 * same.
 */
static bool is_ignored(int signal)
{
	struct sigaction action;

	return sigaction(signal, NULL, &action) == 0 &&
	       action.sa_handler == SIG_IGN;
}

void stop_init(struct stop *stop)
{
	sigset_t blocked;

	*stop = (struct stop){ 0 };
	sigemptyset(&stop->watched);
	for (size_t i = 0; i < sizeof(signals) / sizeof(*signals); i++) {
		if (!is_ignored(signals[i]))
			sigaddset(&stop->watched, signals[i]);
	}
	blocked = stop->watched;
	sigaddset(&blocked, SIGCHLD);
	sigprocmask(SIG_BLOCK, &blocked, &stop->before);
}

static void wait_for(struct stop *stop, const sigset_t *set,
		     const struct timespec *timeout)
{
	int signal = sigtimedwait(set, NULL, timeout);

	if (signal > 0 && signal != SIGCHLD)
		stop->signal = signal;
}

bool stop_is_asked(struct stop *stop)
{
	static const struct timespec now = { 0 };

	if (!stop->signal)
		wait_for(stop, &stop->watched, &now);
	return stop->signal;
}

int stop_check(struct stop *stop, struct error *err)
{
	if (!stop_is_asked(stop))
		return 0;
	return error_doing(err, EINTR, "stopped", NULL, "%s",
			   strsignal(stop->signal));
}

static void wait_ms(struct stop *stop, const sigset_t *set, unsigned int ms)
{
	const struct timespec timeout = {
		.tv_sec = ms / 1000,
		.tv_nsec = ms % 1000 * 1000000L,
	};

	/* After a request to stop, only clean-up waits. */
	if (stop->signal)
		nanosleep(&timeout, NULL);
	else
		wait_for(stop, set, &timeout);
}

void stop_wait_ms(struct stop *stop, unsigned int ms)
{
	wait_ms(stop, &stop->watched, ms);
}

void stop_wait_child_ms(struct stop *stop, unsigned int ms)
{
	sigset_t set = stop->watched;

	sigaddset(&set, SIGCHLD);
	wait_ms(stop, &set, ms);
}

void stop_deinit(struct stop *stop)
{
	sigprocmask(SIG_SETMASK, &stop->before, NULL);
	if (stop->signal)
		raise(stop->signal);
}
