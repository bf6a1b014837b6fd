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

#include "cli/command_line.h"
#include "cli/exit_code.h"
#include "cli/interval.h"
#include "lib/error.h"
#include "worker/patience.h"

/*
 * Parses a decimal number whose point is '.' or ',' in every locale. strtod()
 * knows only one of them, and also exponents, which free refuses. Like free,
 * gives a reason only if the junk is before the point.
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

	/* free keeps microseconds in a float; less than one is an error. */
	if (negative || (float)(value * 1e6) < 1)
		return error_set(err, EINVAL,
				 "seconds argument `%s' is not positive number",
				 text);
	interval->seconds = value;
	interval->repeats = true;
	return 0;
}

static int interval_set_count(struct interval *interval, const char *text,
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
	/* free keeps the count in an int: 4294967297 is 1. */
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

void told_print(void *data, const struct error *err)
{
	struct told *told = data;
	char text[ERROR_TEXT_SIZE];

	error_text(err, text);
	if (!told || !string_list_has(&told->last, text))
		error_print(err);
	/* If this fails, the error is only printed again. */
	if (told)
		string_list_add(&told->now, text);
}

void told_next(struct told *told)
{
	string_list_deinit(&told->last);
	told->last = told->now;
	told->now = (struct string_list){ 0 };
}

void told_deinit(struct told *told)
{
	string_list_deinit(&told->last);
	string_list_deinit(&told->now);
}

int interval_run(const struct interval *interval, struct patience *patience,
		 bool blank_line_between, sample_fn *take, void *data)
{
	int left = interval->repeats ? interval->count : 1;
	int whole = EXIT_OK;
	sigset_t usual;

	sigprocmask(SIG_BLOCK, NULL, &usual);
	for (bool is_first = true;; is_first = false) {
		int code;

		/* Looking the operands up has taken some of the first. */
		if (!is_first || !patience || !patience->began_ns)
			patience_begin(patience);
		code = take(data);
		patience_end(patience);
		if (code == EXIT_FAILED || code == EXIT_NO_SOURCE)
			return code;
		if (code == EXIT_PARTIAL)
			whole = EXIT_PARTIAL;
		if (left == 1)
			return whole;
		if (left)
			left--;
		/* main() reports the error, unless the reader has gone away. */
		if (fflush(stdout) == EOF || ferror(stdout))
			return EXIT_OK;
		/* The newline appears with the next sample, as with free. */
		if (blank_line_between)
			putchar('\n');
		sigprocmask(SIG_SETMASK, &usual, NULL);
		sleep_seconds(interval->seconds > 0 ? interval->seconds : 1);
	}
}

int repeat_take_seconds(void *interval, const struct option_given *given,
			struct error *err)
{
	return interval_set_seconds(interval, given->value, err);
}

int repeat_take_count(void *interval, const struct option_given *given,
		      struct error *err)
{
	return interval_set_count(interval, given->value, err);
}

const struct option_row compare_options[] = {
	ROW_TEXT('\0', "since", struct repeat_options, since, "FILE",
		 WORDS_FILES, "show what changed since FILE was saved"),
	ROW_TEXT('\0', "save", struct repeat_options, save, "FILE", WORDS_FILES,
		 "keep the last sample in FILE (JSON)"),
	{ 0 },
};

const struct option_row interval_options[] = {
	ROW_WHOLE('s', "seconds", "N", repeat_take_seconds,
		  "repeat every N seconds"),
	ROW_WHOLE('c', "count", "N", repeat_take_count, "stop after N times"),
	{ 0 },
};

const struct option_row repeat_options[] = {
	ROW_GROUP(struct repeat_options, interval, interval_options),
	{ .type = OPTION_GROUP, .group = compare_options },
	{ 0 },
};

int repeat_check(const struct repeat_options *repeat,
		 const struct common_options *common, struct error *err)
{
	if (common->at.count && repeat->interval.repeats)
		return error_option(err, "--at",
				    "cannot be used with -s and -c");
	if (!common->vmcore)
		return 0;
	if (!common->source && !common->sysroot && !repeat->interval.repeats)
		return 0;
	return error_option(err, "--vmcore",
			    "a dump has one source and one instant: not with "
			    "--source, --sysroot, --capture, -s or -c");
}
