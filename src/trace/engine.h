/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What an engine is to trace.c. Only the files of this room include it. */
#ifndef BUFSTAT_ENGINE_H
#define BUFSTAT_ENGINE_H

#include "trace/trace.h"

struct engine {
	const char *name;
	/*
	 * Begins to count. Returns 0; -EOPNOTSUPP with the reason and the
	 * remedy if it cannot be used; or another negative errno. The error
	 * lacks the engine's name. @data is NULL after an error.
	 */
	int (*open)(void **data, const struct sysroot *root, bool evictions,
		    struct error *err);
	void (*close)(void *data);
	/* Adds rows to the empty @totals, in any order. */
	int (*read)(void *data, struct trace_totals *totals, struct error *err);
	/* As trace_each(), trace_forget() and trace_pause(); NULL: it cannot. */
	int (*each)(void *data, trace_fill_fn *take, void *taker,
		    struct trace_quality *quality);
	void (*forget)(void *data, const struct trace_fill *fill);
	int (*pause)(void *data, bool pauses);
	/* As trace_fd() and trace_serve(); NULL: need not be served. */
	int (*fd)(const void *data);
	void (*serve)(void *data);
};

extern const struct engine engine_bpf;
extern const struct engine engine_perf;

#endif
