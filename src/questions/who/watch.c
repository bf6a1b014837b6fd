// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <poll.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include "lib/cleanup.h"
#include "lib/error.h"
#include "lib/monotonic.h"
#include "who/watch.h"

#define TICK_NS INT64_C(2000000000)
#define MS_NS INT64_C(1000000)
#define LONGEST_SECONDS 1e9

int watch_init(struct watch *watch, struct error *err)
{
	sigset_t wanted;

	*watch = (struct watch){ .signals = -1 };
	sigemptyset(&wanted);
	sigaddset(&wanted, SIGINT);
	sigaddset(&wanted, SIGTERM);
	sigaddset(&wanted, SIGCHLD);
	sigprocmask(SIG_BLOCK, &wanted, &watch->before);
	watch->signals = signalfd(-1, &wanted, SFD_CLOEXEC | SFD_NONBLOCK);
	if (watch->signals < 0) {
		int number = errno;

		sigprocmask(SIG_SETMASK, &watch->before, NULL);
		return error_errno(err, number, "waiting", "for signals");
	}
	return 0;
}

void watch_deinit(struct watch *watch)
{
	if (watch->signals < 0)
		return;
	closep(&watch->signals);
	watch->signals = -1;
	sigprocmask(SIG_SETMASK, &watch->before, NULL);
}

int64_t watch_step_ns(double seconds)
{
	return (int64_t)((seconds < LONGEST_SECONDS ? seconds :
						      LONGEST_SECONDS) *
			 1e9);
}

/* Whether the waiting is over. Workers (ask.h) may be other children. */
static bool take_signal(struct watch *watch, int number)
{
	if (!watch->program)
		return number != SIGCHLD;
	if (number == SIGTERM)
		kill(watch->program, SIGTERM);
	if (number != SIGCHLD ||
	    waitpid(watch->program, &watch->status, WNOHANG) <= 0)
		return false;
	watch->program = 0;
	return true;
}

static bool take_signals(struct watch *watch)
{
	struct signalfd_siginfo taken;
	bool is_over = false;

	while (read(watch->signals, &taken, sizeof(taken)) == sizeof(taken))
		is_over |= take_signal(watch, (int)taken.ssi_signo);
	return is_over;
}

enum watch_end watch_wait(struct watch *watch, int64_t until_ns)
{
	int64_t tick_ns = monotonic_ns() + TICK_NS;
	struct pollfd signals = { .fd = watch->signals, .events = POLLIN };

	for (;;) {
		int64_t now = monotonic_ns();
		int64_t next = until_ns < tick_ns ? until_ns : tick_ns;
		int ms = next > now ? (int)((next - now + MS_NS - 1) / MS_NS) :
				      0;

		poll(&signals, 1, ms);
		if (take_signals(watch))
			return WATCH_OVER;
		now = monotonic_ns();
		if (now >= until_ns)
			return WATCH_DUE;
		if (now >= tick_ns)
			return WATCH_TICK;
	}
}
