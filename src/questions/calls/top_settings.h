/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The settings at the top of tracefs, for a kernel whose instances cannot have
 * function_graph (before Linux 6.12): what they were, and what this program has
 * made of them, so that only this is put back. @top is a descriptor of tracefs.
 */
#ifndef BUFSTAT_TOP_SETTINGS_H
#define BUFSTAT_TOP_SETTINGS_H

#include <stdbool.h>

#include "lib/lack.h"

struct error;
struct top_marks;

/*
 * Returns 0, -EOPNOTSUPP with what somebody has set and @lack, or another
 * negative errno.
 */
int top_check(int top, enum lack lack, struct error *err);

/*
 * Checks the top and saves its settings. Returns as top_check(); the caller
 * releases
 * *@marks and *@lock in either case. The lock tells the next run that this one
 * lives.
 */
int top_take(struct top_marks **marks, int *lock, int top, enum lack lack,
	     struct error *err);
void top_release(struct top_marks *marks, int *lock);

/* Notes what was set, all of it. Returns 0 or a negative errno. */
int top_mark(struct top_marks *marks, int top);

/* Whether somebody else has changed it since, but for lists of threads. */
bool top_changed(const struct top_marks *marks, int top);

/*
 * Puts back what is still as it was set. Goes on after an error. Returns 0,
 * -ESTALE if somebody else has changed something, or the first error.
 */
int top_put_back(struct top_marks *marks, int top);

/* Does that for a run that was killed together with its guard, if there was
 * one. */
bool top_recover(int top);

/* For a tracer that cannot be changed, as somebody has trace_pipe open: leaves
 * it one function, which is called once in a kernel's life. */
void tracing_hardly(int directory);

#endif
