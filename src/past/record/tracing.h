/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the tracer process does (tracer.h). */
#ifndef BUFSTAT_TRACING_H
#define BUFSTAT_TRACING_H

enum {
	TRACING_REFUSED = 2, /* exit status: this host cannot be traced */
	TRACING_TEXT = 128 << 10, /* bytes: no document is longer */
	TRACING_LAST = 1, /* an order: there is none after it */
	/* A frame that is not recorded: filled_totals.h, as JSON. */
	TRACING_TOTALS = 256,
};

/*
 * Traces until there is nobody left to give @orders, each of them a byte for a
 * report: a STORE_FILLED of what came since the last one, and TRACING_TOTALS.
 * While it samples, it reports a third of a minute or more at a time, unless
 * the order is TRACING_LAST. They go to @out as frames. Once the trace is open,
 * it allocates nothing and is locked in memory. Returns the exit status.
 */
int tracing_run(int orders, int out);

#endif
