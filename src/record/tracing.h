/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the tracer process does (tracer.h). */
#ifndef BUFSTAT_TRACING_H
#define BUFSTAT_TRACING_H

/* Orders, each a message of one byte. */
enum tracing_order {
	TRACING_REPORT = 'r',
	TRACING_TOTALS = 't', /* a report, and the totals too */
};

enum {
	TRACING_REFUSED = 2, /* exit status: this host cannot be traced */
	TRACING_TEXT = 128 << 10, /* bytes: no document is longer */
};

/*
 * Traces and takes @orders until there is nobody left to give one. Documents go
 * to @out as frames. Once the trace is open, it allocates nothing and is locked
 * in memory. Returns the exit status.
 */
int tracing_run(int orders, int out);

#endif
