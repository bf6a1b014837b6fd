// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <stddef.h>
#include <string.h>
#include <time.h>

#include "error.h"
#include "stop.h"

static const int signals[] = { SIGHUP, SIGINT, SIGPIPE, SIGQUIT, SIGTERM };

/* One that is ignored would come all the same once it is blocked. */
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
	return error_set(err, EINTR, "stopped: %s", strsignal(stop->signal));
}

void stop_wait_ms(struct stop *stop, unsigned int ms)
{
	const struct timespec timeout = {
		.tv_sec = ms / 1000,
		.tv_nsec = ms % 1000 * 1000000L,
	};
	sigset_t set = stop->watched;

	/* Once asked to stop there is only clean-up left to wait in. */
	if (stop->signal) {
		nanosleep(&timeout, NULL);
		return;
	}
	sigaddset(&set, SIGCHLD);
	wait_for(stop, &set, &timeout);
}

void stop_deinit(struct stop *stop)
{
	sigprocmask(SIG_SETMASK, &stop->before, NULL);
	if (stop->signal)
		raise(stop->signal);
}
