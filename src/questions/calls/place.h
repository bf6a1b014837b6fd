/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The directory of tracefs in which a tracer works: an instance of its own, or
 * the top, whose settings are put back. The guard does that: a process which
 * outlives this one, whatever signal ends it.
 */
#ifndef BUFSTAT_PLACE_H
#define BUFSTAT_PLACE_H

#include <stdbool.h>
#include <sys/types.h>

struct error;
struct top_marks;
struct sysroot;

#define PLACE_TRACER "function_graph"

/*
 * The event that the results of AIO requests are read from. place_open() makes
 * it of a kernel probe, where the kernel has those, and the last run that uses
 * it removes it.
 */
#define PLACE_PROBE "bufstat/aio_result"

struct place {
	int top; /* tracefs, or -1 */
	int directory; /* where to trace: the instance, or the top; or -1 */
	char instance[48]; /* "instances/NAME" below the top; "": the top */
	pid_t guard; /* 0: none */
	int guard_pipe;
	struct top_marks *marks; /* for the top; NULL: an instance */
	int lock; /* of the marks, or -1 */
};

/*
 * Opens tracefs, which has to be mounted. Makes an instance where that can have
 * function_graph (Linux 6.12), unless @needs_top, which alone can begin at a
 * function; else takes the top. Returns 0; -EOPNOTSUPP with
 * the reason and the remedy, also if somebody has set something at the top; or
 * another negative errno. The caller closes @place in either case.
 */
int place_open(struct place *place, const struct sysroot *root, bool needs_top,
	       struct error *err);

/* Whether functions can be traced at all. @top is a descriptor of tracefs. */
int place_check(const struct sysroot *root, int top, struct error *err);

/*
 * Whether place_open() would work. Sets nothing, and makes an instance only if
 * somebody uses the top. Returns as place_open(); the caller closes @place in
 * either case, and has a directory to look into in @place->top.
 */
int place_look(struct place *place, const struct sysroot *root,
	       struct error *err);

/*
 * Notes what this program has set at the top, all of it: what differs later was
 * changed by somebody else. Returns 0 or a negative errno.
 */
int place_mark(struct place *place);

/* Whether somebody else has changed the top since, but for lists of threads. */
bool place_changed(const struct place *place);

/*
 * Puts back what programs have left that were killed together with their
 * guards, and removes their instances. Waits for nobody. Returns 0, also
 * without tracefs, or -EBUSY with the name of one that is stopped but is still
 * being read.
 */
int place_clean(const struct sysroot *root, struct error *err);

/*
 * Puts everything back. All files in the directory have to be closed. Returns
 * 0; -EBUSY if somebody reads the instance, which is switched off; -ESTALE if
 * somebody else changed settings, which stay; or another negative errno and
 * what is left.
 */
int place_close(struct place *place, struct error *err);

#endif
