/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Records with ftrace's function_graph which functions some threads call. From
 * Linux 6.12 on it does that in an instance of its own. Older kernels have
 * function_graph at the top of tracefs only, which is used if nobody else does.
 *
 * A process that outlives this one by a moment, the guard, puts everything back
 * and removes the instance, however this one ends. tracefs is never mounted nor
 * unmounted.
 */
#ifndef BUFSTAT_FTRACE_H
#define BUFSTAT_FTRACE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "calls/step.h"
#include "lib/string_list.h"

struct error;
struct functions;
struct sysroot;
struct ftrace;

struct ftrace_wish {
	/* Functions to trace, with * and ?; NULL: those of a path. */
	char *const *patterns;
	size_t pattern_count;
	/* Where to begin, with * and ?; traced, too. May be empty. */
	struct string_list starts; /* the caller's */
	bool all_functions;
	bool all_threads; /* but this process's */
	bool as_text; /* ftrace_copy_text() will be called */
};

/*
 * Gets ready to record. With all_threads it begins to record, else
 * ftrace_follow() does. Returns 0; -EOPNOTSUPP with the reason and the remedy
 * if this kernel or user cannot trace so, or somebody else traces; or another
 * negative errno. The caller closes *@ftrace, which is NULL after an
 * error.
 */
int ftrace_open(struct ftrace **ftrace, const struct sysroot *root,
		const struct ftrace_wish *wish, struct error *err);

/*
 * Whether ftrace_open() would work. Records nothing and sets nothing. Returns
 * as that does.
 */
int ftrace_look(const struct sysroot *root, struct error *err);

/*
 * Puts everything back. Returns as place_close() does. Also takes NULL.
 */
int ftrace_close(struct ftrace *ftrace, struct error *err);

/* Records these threads, and the threads and processes that they start. */
int ftrace_follow(struct ftrace *ftrace, const pid_t *threads, size_t count,
		  struct error *err);

/* The functions that are traced, owned by @ftrace. */
const struct functions *ftrace_functions(const struct ftrace *ftrace);

/* Whether somebody else has changed settings, so that the answer may be wrong. */
bool ftrace_changed(const struct ftrace *ftrace);

/* Whether it is an instance of its own. */
bool ftrace_has_instance(const struct ftrace *ftrace);

/*
 * Hands out what was recorded so far, in the order of time, but for the last
 * moment. Has to be called some times in a second. Returns 0, the negative
 * errno that @take returned, or -ENOMEM.
 */
int ftrace_serve(struct ftrace *ftrace,
		 int (*take)(void *data, const struct step *step), void *data);

/* Ends the recording and hands out the rest. Returns as ftrace_serve() does. */
int ftrace_stop(struct ftrace *ftrace,
		int (*take)(void *data, const struct step *step), void *data);

/*
 * Copies the text that the kernel makes of what was recorded to stdout. With
 * @stops, ends the recording and copies the rest. Returns 0 or a negative
 * errno.
 */
int ftrace_copy_text(struct ftrace *ftrace, bool stops);

/*
 * The names of threads that the kernel saw run lately, one on each line after
 * its id. The caller frees *@text. Returns 0 or a negative errno.
 */
int ftrace_saved_tasks(const struct ftrace *ftrace, char **text);

/* Records that were lost because they were not taken in time. */
uint64_t ftrace_lost(const struct ftrace *ftrace);

/*
 * How much time one record takes on this host, in nanoseconds, as a run of
 * system calls with and without tracing showed; 0: not known.
 */
double ftrace_record_ns(const struct ftrace *ftrace);

#endif
