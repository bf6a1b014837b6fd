// SPDX-License-Identifier: GPL-2.0-or-later
#include <ctype.h>
#include <errno.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "error.h"
#include "exit_code.h"
#include "interval.h"

/*
 * A decimal number whose point is '.' or ',' in every locale; strtod() knows
 * one of the two, and exponents besides, which free refuses. free names the
 * reason only where the junk stands before the point.
 */
int interval_set_seconds(struct interval *interval, const char *text,
			 struct error *err)
{
	const char *c = text;
	double value = 0, scale = 1;
	bool negative;

	while (isspace((unsigned char)*c))
		c++;
	negative = *c == '-';
	if (*c == '-' || *c == '+')
		c++;
	for (; *c >= '0' && *c <= '9'; c++)
		value = value * 10 + (*c - '0');
	if (*c && *c != '.' && *c != ',')
		return error_set(err, EINVAL,
				 "seconds argument failed: '%s': %s", text,
				 strerror(EINVAL));
	if (*c)
		c++;
	for (; *c >= '0' && *c <= '9'; c++) {
		scale /= 10;
		value += (*c - '0') * scale;
	}
	if (*c || !*text)
		return error_set(err, EINVAL, "seconds argument failed: '%s'",
				 text);

	/* free keeps microseconds in a float; below one is no interval. */
	if (negative || (float)(value * 1e6) < 1)
		return error_set(err, EINVAL,
				 "seconds argument `%s' is not positive number",
				 text);
	interval->seconds = value;
	interval->repeats = true;
	return 0;
}

int interval_set_count(struct interval *interval, const char *text,
		       struct error *err)
{
	static const char failed[] = "failed to parse count argument";
	char *end;
	long value;

	errno = 0;
	value = strtol(text, &end, 10);
	if (end == text || *end) {
		if (errno)
			return error_set(err, errno, "%s: '%s': %s", failed,
					 text, strerror(errno));
		return error_set(err, EINVAL, "%s: '%s'", failed, text);
	}
	/* free keeps it in an int: 4294967297 is 1. */
	if (errno || (int)value < 1)
		return error_set(err, ERANGE, "%s: '%s': %s", failed, text,
				 strerror(ERANGE));
	interval->count = (int)value;
	interval->repeats = true;
	return 0;
}

static void sleep_seconds(double seconds)
{
	struct timespec duration;

	if (seconds > INT32_MAX)
		seconds = INT32_MAX;
	duration.tv_sec = (time_t)seconds;
	duration.tv_nsec = (long)((seconds - (double)duration.tv_sec) * 1e9);
	nanosleep(&duration, NULL);
}

void interval_hold_interrupt(void)
{
	sigset_t interrupt;

	sigemptyset(&interrupt);
	sigaddset(&interrupt, SIGINT);
	sigprocmask(SIG_BLOCK, &interrupt, NULL);
}

int interval_run(const struct interval *interval, bool blank_line_between,
		 sample_fn *take, void *data)
{
	int left = interval->repeats ? interval->count : 1;
	sigset_t usual;

	sigprocmask(SIG_BLOCK, NULL, &usual);
	for (;;) {
		int code = take(data);

		if (left == 1 || code == EXIT_FAILED || code == EXIT_NO_SOURCE)
			return code;
		if (left)
			left--;
		if (fflush(stdout) == EOF)
			return errno == EPIPE ? EXIT_OK : EXIT_FAILED;
		/* Gets out with the next sample: so it is with free. */
		if (blank_line_between)
			putchar('\n');
		sigprocmask(SIG_SETMASK, &usual, NULL);
		sleep_seconds(interval->seconds > 0 ? interval->seconds : 1);
	}
}
