/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the tracer process does (tracer.h). */
#ifndef BUFSTAT_TRACING_H
#define BUFSTAT_TRACING_H

enum {
	TRACING_REFUSED = 2, /* exit status: this host cannot be traced */
	TRACING_TEXT = 128 << 10, /* bytes: no document is longer */
};

/*
 * Traces until there is nobody left to give @orders, each of them a byte for a
 * report: a STORE_FILLED of what came since the last one, and FRAME_TOTALS.
 * They go to @out as frames. Once the trace is open, it allocates nothing and
 * is locked in memory. Returns the exit status.
 */
int tracing_run(int orders, int out);

#endif
