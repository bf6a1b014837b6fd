/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What an engine is to trace.c. Only the files of this room include it. */
#ifndef BUFSTAT_ENGINE_H
#define BUFSTAT_ENGINE_H

struct error;
struct sysroot;
struct trace_totals;

struct engine {
	const char *name;
	/*
	 * Begins to count. Returns 0; -EOPNOTSUPP with the reason and the
	 * remedy if it cannot be used; or another negative errno. The error
	 * lacks the engine's name. @data is NULL after an error.
	 */
	int (*open)(void **data, const struct sysroot *root, struct error *err);
	void (*close)(void *data);
	/* Adds rows to the empty @totals, in any order. */
	int (*read)(void *data, struct trace_totals *totals, struct error *err);
	/* As trace_fd() and trace_serve(); NULL: need not be served. */
	int (*fd)(const void *data);
	void (*serve)(void *data);
};

extern const struct engine engine_bpf;
extern const struct engine engine_perf;

#endif
