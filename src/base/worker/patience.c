// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdio_ext.h>
#include <string.h>
#include <time.h>

#include "lib/error.h"
#include "lib/monotonic.h"
#include "lib/number.h"
#include "worker/patience.h"

/*
 * Nothing is told while an answer is being printed: that may wait for a reader
 * who scrolls.
 */
static void patience_tell(int number __attribute__((unused)), siginfo_t *info,
			  void *context __attribute__((unused)))
{
	const struct patience *patience = info->si_value.sival_ptr;
	const char *about = patience->about;
	const int before = errno;
	char text[512] = "measuring: ";
	char *end = text + strlen(text);

	if (info->si_code != SI_TIMER || __fpending(stdout))
		return;
	strncat(end, about ?: "this host", 400);
	strcat(end, ": still working (--timeout N ends it with what is known)");
	patience->tell(text);
	errno = before;
}

/* Without a timer the user is not told. */
static void patience_set_timer(struct patience *patience, int ms)
{
	const struct itimerspec after = {
		.it_value = { ms / 1000, ms % 1000 * 1000000L },
	};
	const struct sigaction telling = {
		.sa_sigaction = patience_tell,
		.sa_flags = SA_SIGINFO | SA_RESTART,
	};
	struct sigevent event = {
		.sigev_notify = SIGEV_SIGNAL,
		.sigev_signo = SIGALRM,
		.sigev_value.sival_ptr = patience,
	};

	if (!patience->has_timer && ms)
		patience->has_timer = sigaction(SIGALRM, &telling, NULL) == 0 &&
				      timer_create(CLOCK_MONOTONIC, &event,
						   &patience->timer) == 0;
	if (patience->has_timer)
		timer_settime(patience->timer, 0, &after, NULL);
}

void patience_begin(struct patience *patience)
{
	if (!patience)
		return;
	patience->began_ns = monotonic_ns();
	patience->about = NULL;
	patience->silent_count = 0;
	patience->walk_ends_ns = 0;
	if (patience->tell)
		patience_set_timer(patience, PATIENCE_TELL_MS);
}

void patience_end(struct patience *patience)
{
	if (patience)
		patience_set_timer(patience, 0);
}

bool patience_is_over(const struct patience *patience)
{
	return patience && patience->seconds > 0 &&
	       patience_has_taken(patience, (int64_t)(patience->seconds * 1e3));
}

bool patience_has_taken(const struct patience *patience, int64_t ms)
{
	return patience && patience->began_ns &&
	       monotonic_ns() - patience->began_ns >= ms * 1000000;
}

const char *patience_set_about(struct patience *patience, const char *about)
{
	const char *before = patience ? patience->about : NULL;

	if (patience)
		patience->about = about;
	return before;
}

int patience_look(const struct patience *patience)
{
	return patience_is_over(patience) ? -ETIMEDOUT : 0;
}

int64_t patience_hurry(struct patience *patience, int64_t ms)
{
	int64_t usual_ns = patience ? patience->walk_ends_ns : 0;

	if (patience)
		patience->walk_ends_ns = monotonic_ns() + ms * 1000000;
	return usual_ns;
}

void patience_calm(struct patience *patience, int64_t usual_ns)
{
	if (patience)
		patience->walk_ends_ns = usual_ns;
}

int patience_walk(const struct patience *patience)
{
	if (patience && patience->walk_ends_ns)
		return monotonic_ns() >= patience->walk_ends_ns ? -ETIMEDOUT :
								  0;
	if (!patience || patience->seconds > 0)
		return patience_look(patience);
	return patience_has_taken(patience, PATIENCE_WALK_MS) ? -ETIMEDOUT : 0;
}

int patience_left_ms(const struct patience *patience, int most)
{
	int64_t left_ms;

	if (!patience || !patience->walk_ends_ns)
		return most;
	left_ms = (patience->walk_ends_ns - monotonic_ns()) / 1000000;
	return left_ms < 1 ? 1 : left_ms < most ? (int)left_ms : most;
}

void patience_show_early(struct patience *patience)
{
	void (*early)(void *data) = patience ? patience->early : NULL;

	if (!early)
		return;
	patience->early = NULL;
	early(patience->early_data);
}

int patience_set_seconds(struct patience *patience, const char *text,
			 struct error *err)
{
	uint64_t number;

	if (!number_parse(text, PATIENCE_MOST_SECONDS, &number) || !number)
		return error_option(err, "--timeout",
				    "%s: not a number of seconds from 1 to %d",
				    text, PATIENCE_MOST_SECONDS);
	patience->seconds = (double)number;
	return 0;
}
