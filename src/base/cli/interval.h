/* SPDX-License-Identifier: GPL-2.0-or-later */
/* -s and -c, for every command that repeats, parsed as free does. */
#ifndef BUFSTAT_INTERVAL_H
#define BUFSTAT_INTERVAL_H

#include <stdbool.h>

#include "cli/option.h"
#include "lib/error.h"
#include "lib/string_list.h"

struct common_options;
struct error;
struct patience;

/* All zero: a single sample. */
struct interval {
	bool repeats;
	double seconds; /* between two samples; 0: one second */
	int count; /* of samples; 0: endless */
};

/*
 * Parses the argument of -s. Returns 0, or changes nothing and returns -EINVAL
 * or -ERANGE with free's text.
 */
int interval_set_seconds(struct interval *interval, const char *text,
			 struct error *err);

/* Takes one sample, prints it and its errors, and returns its exit code. */
typedef int sample_fn(void *data);

/*
 * Blocks SIGINT until the end of the sample. A sample_fn calls this after
 * measuring and before printing, so that its output is complete.
 */
void interval_hold_interrupt(void);

/*
 * The errors that samples printed on stderr. An error that the last sample
 * printed too is not printed again. All zero: none yet.
 */
struct told {
	struct string_list last;
	struct string_list now;
};

/*
 * Prints @err, unless the last sample did. @told is a struct told, or NULL:
 * then always prints.
 */
error_tell_fn told_print;

/* Begins another sample. */
void told_next(struct told *told);
void told_deinit(struct told *told);

/*
 * Takes one sample after another, each with all the time of @patience, but the
 * first with what is left of it, if it has begun. Flushes stdout between them,
 * for whoever reads from a pipe. Returns EXIT_PARTIAL if a sample was measured
 * in part, else EXIT_OK. Ends early at the first sample that failed or had no
 * source, with its exit code. Also ends if stdout cannot be written, which
 * main() reports.
 */
int interval_run(const struct interval *interval, struct patience *patience,
		 bool blank_line_between, sample_fn *take, void *data);

/* Options of commands that repeat and compare with an earlier sample. */

/* All zero: one sample, no comparison. */
struct repeat_options {
	struct interval interval;
	const char *since; /* file to compare with, or NULL */
	const char *save; /* file to keep the last sample in, or NULL */
};

/*
 * A dump has one source and one instant, and a past one instant. Returns -EINVAL
 * if --vmcore or --at was given with an option that asks for another, else 0.
 */
int repeat_check(const struct repeat_options *repeat,
		 const struct common_options *common, struct error *err);

/* -s and -c, for struct interval. */
extern const struct option_row interval_options[];

/* Option rows for struct repeat_options. */
extern const struct option_row repeat_options[]; /* all of them */
extern const struct option_row compare_options[]; /* --since and --save */

/* For option rows whose place is a struct interval. */
option_take_fn repeat_take_seconds;
option_take_fn repeat_take_count;

#endif
