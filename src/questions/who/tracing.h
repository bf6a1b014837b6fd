/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * One run of bufstat who: what it needs from report to report, and what one
 * report is made of.
 */
#ifndef BUFSTAT_TRACING_H
#define BUFSTAT_TRACING_H

#include <stdbool.h>
#include <stdint.h>

#include "lib/error.h"
#include "filesystems/selection.h"
#include "trace/trace.h"
#include "who/advice.h"
#include "who/caches.h"
#include "who/cgroup_ids.h"
#include "who/culprits.h"
#include "who/victims.h"
#include "who/who_rows.h"

struct sysroot;

struct tracing {
	const struct sysroot *root;
	const char *source; /* as for measure() */
	struct trace *trace;
	struct selection *selection; /* the caches that have rows */
	struct cgroup_ids cgroups;
	struct victims victims;
	/* What there was at the last report. */
	struct trace_totals totals;
	struct caches_before before;
	int64_t began_ns;
	bool walks; /* all inodes, to compare filesystems */
};

/* What happened since the last report. */
struct traced {
	struct trace_totals totals;
	struct caches caches;
	struct who_rows rows;
	struct losses losses;
	struct culprits culprits;
	struct advices advices;
	double seconds; /* that it took */
};

/*
 * Nothing is open yet. Everything is selected if @selection is empty; it must
 * outlive @tracing.
 */
void tracing_init(struct tracing *tracing, const struct sysroot *root,
		  const char *source, struct selection *selection);
void tracing_deinit(struct tracing *tracing);

/* Returns as trace_open(). */
int tracing_open(struct tracing *tracing, struct error *err);

/*
 * Remembers what there is now, to compare the next report with. Returns 0 or a
 * negative errno.
 */
int tracing_begin(struct tracing *tracing, struct error *err);

/* Looks up names while what they are of is still there. */
void tracing_tick(struct tracing *tracing);

/*
 * Takes what happened since the last report, complete before any of it is
 * printed, and begins the next one. Returns 0 or a negative errno; the caller
 * deinits @traced in either case, before @tracing.
 */
int tracing_take(struct tracing *tracing, struct traced *traced,
		 struct error *err);
void traced_deinit(struct traced *traced);

/* Whether it has all that happened. */
bool traced_is_whole(const struct traced *traced);

/* Tells what is missing or not known. */
void traced_missing(const struct traced *traced, error_tell_fn *tell,
		    void *data);

/* Says that @engine lost events. Returns ERROR_PARTIAL. */
int tracing_lost(const char *engine, uint64_t events, struct error *err);

/* A document: struct document, of struct traced. */
extern const struct fields traced_document;

/* What of struct traced went out: "evicted" and "advised". */
extern const struct fields traced_out_fields;

#endif
