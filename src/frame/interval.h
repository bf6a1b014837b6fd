/* SPDX-License-Identifier: GPL-2.0-or-later */
/* -s and -c, for every command that repeats, as free reads them. */
#ifndef BUFSTAT_INTERVAL_H
#define BUFSTAT_INTERVAL_H

#include <stdbool.h>

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
 * Takes sample after sample. Whoever reads from a pipe has each when it is
 * taken. Ends with the last one's exit code, at the first that failed or had
 * no source, or when stdout cannot be written, which is left for main to say.
 */
int interval_run(const struct interval *interval, bool blank_line_between,
		 sample_fn *take, void *data);

#endif
