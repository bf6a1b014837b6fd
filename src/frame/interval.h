/* SPDX-License-Identifier: GPL-2.0-or-later */
/* -s and -c, for every command that repeats, as free reads them. */
#ifndef BUFSTAT_INTERVAL_H
#define BUFSTAT_INTERVAL_H

#include <stdbool.h>

#include "frame/option.h"
#include "lib/string_list.h"

struct error;

/* All zero: one sample and no more. */
struct interval {
	bool repeats;
	double seconds; /* between two samples; 0: one */
	int count; /* of samples; 0: without end */
};

/*
 * Each reads the argument of its option. Returns 0, or -EINVAL or -ERANGE with
 * free's text and nothing changed.
 */
int interval_set_seconds(struct interval *interval, const char *text,
			 struct error *err);
int interval_set_count(struct interval *interval, const char *text,
		       struct error *err);

/* Takes one sample, prints it and its errors, and returns its exit code. */
typedef int sample_fn(void *data);

/*
 * For a sample_fn that has measured and now prints: from here to the end of the
 * sample SIGINT waits, so that what was begun gets out whole.
 */
void interval_hold_interrupt(void);

/*
 * What the samples said on stderr: what one says that the last one said too is
 * not said again. All zero: nothing yet.
 */
struct told {
	struct string_list last;
	struct string_list now;
};

/* Says it, unless the last sample did. @told NULL: in any case. */
void told_print(struct told *told, const struct error *err);

/* Another sample begins. */
void told_next(struct told *told);
void told_deinit(struct told *told);

/*
 * Takes sample after sample. Whoever reads from a pipe has each when it is
 * taken. Ends after the last, with EXIT_PARTIAL if one of them was measured in
 * part, at the first that failed or had no source, or when stdout cannot be
 * written, which is left for main to say.
 */
int interval_run(const struct interval *interval, bool blank_line_between,
		 sample_fn *take, void *data);

/* Options of the commands that sample again and compare with an earlier time. */

/* All zero: one sample, compared with none. */
struct repeat_options {
	struct interval interval;
	const char *since; /* file to compare with, or NULL */
	const char *save; /* file to keep the last sample in, or NULL */
};

/* Rows, of struct repeat_options. */
extern const struct option_row repeat_options[]; /* all of them */
extern const struct option_row compare_options[]; /* --since and --save */

/* For rows whose place is a struct interval. */
option_take_fn repeat_take_seconds;
option_take_fn repeat_take_count;

#endif
