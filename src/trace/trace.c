// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "lib/array.h"
#include "lib/error.h"
#include "lib/number.h"
#include "lib/sysroot.h"
#include "measure/memory_left.h"
#include "trace/engine.h"
#include "trace/trace.h"

#define OPENING "tracing the page cache"
/*
 * Twice what libbpf takes to load the programs (15 MB), with what the kernel
 * does: on a host with 3 to 6 MB this got another process killed.
 */
#define LEAST_LEFT (UINT64_C(40) << 20)
/* BPF takes 20. What opens a file in vain is told something else by libbpf. */
#define LEAST_FILES 64

struct trace {
	const struct engine *engine;
	void *data;
};

/* Best first. */
static const struct engine *const engines[] = { &engine_bpf, &engine_perf };

#define ENGINES (sizeof(engines) / sizeof(*engines))

const char *trace_engine_name(size_t which)
{
	return which < ENGINES ? engines[which]->name : NULL;
}

static int open_engine(struct trace *trace, const struct engine *engine,
		       const struct sysroot *root, bool evictions,
		       struct error *err)
{
	int ret = engine->open(&trace->data, root, evictions, err);

	if (ret < 0)
		return error_within(err, ret, OPENING, engine->name);
	trace->engine = engine;
	return 0;
}

/* Tries each engine that @name allows. */
static int open_first(struct trace *trace, const struct sysroot *root,
		      const char *name, bool evictions, struct error *passed,
		      struct error *err)
{
	bool is_known = false;

	for (size_t i = 0; i < ENGINES; i++) {
		struct error refused = { 0 };
		int ret;

		if (name && strcmp(name, engines[i]->name) != 0)
			continue;
		is_known = true;
		ret = open_engine(trace, engines[i], root, evictions, &refused);
		if (ret != -EOPNOTSUPP) {
			if (ret < 0)
				*err = refused;
			return ret;
		}
		error_append(passed, &refused);
	}
	if (!is_known)
		return error_doing(err, EINVAL, OPENING, name,
				   "no such engine");
	*err = *passed;
	*passed = (struct error){ 0 };
	return -EOPNOTSUPP;
}

int trace_open(struct trace **trace, const struct sysroot *root,
	       const char *name, bool evictions, struct error *passed,
	       struct error *err)
{
	struct rlimit files;
	int ret;

	*passed = (struct error){ 0 };
	*trace = calloc(1, sizeof(**trace));
	if (!*trace)
		return error_errno(err, ENOMEM, OPENING, NULL);
	if (getrlimit(RLIMIT_NOFILE, &files) == 0 &&
	    files.rlim_cur < LEAST_FILES)
		ret = error_doing(err, ERROR_UNUSABLE, OPENING, "RLIMIT_NOFILE",
				  "it takes %d open files", LEAST_FILES);
	else if (!sysroot_is_live(root))
		ret = error_doing(err, ERROR_UNUSABLE, OPENING, root->prefix,
				  "a captured host does nothing");
	else
		ret = memory_left_for(root, LEAST_LEFT, "tracing", err);
	if (!ret)
		ret = open_first(*trace, root, name, evictions, passed, err);
	if (ret < 0) {
		free(*trace);
		*trace = NULL;
	}
	return ret;
}

void trace_close(struct trace *trace)
{
	if (!trace)
		return;
	trace->engine->close(trace->data);
	free(trace);
}

const char *trace_engine(const struct trace *trace)
{
	return trace->engine->name;
}

int trace_fd(const struct trace *trace)
{
	return trace->engine->fd ? trace->engine->fd(trace->data) : -1;
}

void trace_serve(struct trace *trace)
{
	if (trace->engine->serve)
		trace->engine->serve(trace->data);
}

int trace_fill_compare(const void *left, const void *right)
{
	const struct trace_fill *a = left;
	const struct trace_fill *b = right;
	int order = dev_number_compare(a->major, a->minor, b->major, b->minor);

	if (!order)
		order = a->is_bdev - b->is_bdev;
	return order ? order :
		       (a->process > b->process) - (a->process < b->process);
}

uint64_t trace_fill_in(const struct trace_fill *fill)
{
	uint64_t pages = 0;

	for (unsigned int i = 0; i < FILL_HOWS; i++)
		pages += fill->in[i];
	return pages;
}

void trace_fill_add(struct trace_fill *to, const struct trace_fill *from)
{
	for (unsigned int i = 0; i < FILL_HOWS; i++)
		to->in[i] += from->in[i];
	to->out += from->out;
	to->dropped += from->dropped;
	to->in_error += from->in_error;
	to->out_error += from->out_error;
	if (to->process != from->process)
		to->process = 0;
}

static int compare_evictions(const void *left, const void *right)
{
	const struct trace_eviction *a = left;
	const struct trace_eviction *b = right;

	if (a->cgroup != b->cgroup)
		return a->cgroup > b->cgroup ? 1 : -1;
	if (a->by != b->by)
		return a->by > b->by ? 1 : -1;
	return (a->need > b->need) - (a->need < b->need);
}

int trace_read(struct trace *trace, struct trace_totals *totals,
	       struct error *err)
{
	int ret;

	*totals = (struct trace_totals){ 0 };
	ret = trace->engine->read(trace->data, totals, err);
	if (ret < 0)
		return error_within(err, ret, "reading the trace",
				    trace->engine->name);
	if (totals->count)
		qsort(totals->fills, totals->count, sizeof(*totals->fills),
		      trace_fill_compare);
	if (totals->eviction_count)
		qsort(totals->evictions, totals->eviction_count,
		      sizeof(*totals->evictions), compare_evictions);
	return 0;
}

int trace_totals_add(void *data, const struct trace_fill *fill)
{
	struct trace_totals *totals = data;

	if (array_make_room(&totals->fills, totals->count, &totals->room,
			    sizeof(*totals->fills)) < 0)
		return -ENOMEM;
	totals->fills[totals->count++] = *fill;
	return 0;
}

int trace_each(struct trace *trace, trace_fill_fn *take, void *data,
	       struct trace_quality *quality)
{
	*quality = (struct trace_quality){ 0 };
	return trace->engine->each ?
		       trace->engine->each(trace->data, take, data, quality) :
		       -EOPNOTSUPP;
}

void trace_forget(struct trace *trace, const struct trace_fill *fill)
{
	if (trace->engine->forget)
		trace->engine->forget(trace->data, fill);
}

int trace_pause(struct trace *trace, bool pauses)
{
	return trace->engine->pause ?
		       trace->engine->pause(trace->data, pauses) :
		       -EOPNOTSUPP;
}

void trace_totals_deinit(struct trace_totals *totals)
{
	free(totals->fills);
	free(totals->evictions);
	*totals = (struct trace_totals){ 0 };
}

static void subtract(struct trace_fill *fill, const struct trace_fill *before)
{
	for (unsigned int i = 0; i < FILL_HOWS; i++)
		fill->in[i] -= before->in[i];
	fill->out -= before->out;
	fill->dropped -= before->dropped;
	fill->asked -= before->asked;
	fill->dirty -= before->dirty;
	fill->mapped -= before->mapped;
}

static void subtract_evictions(struct trace_totals *since,
			       const struct trace_totals *now,
			       const struct trace_totals *before)
{
	for (size_t i = 0; i < now->eviction_count; i++) {
		struct trace_eviction eviction = now->evictions[i];
		const struct trace_eviction *old =
			before->eviction_count ?
				bsearch(&eviction, before->evictions,
					before->eviction_count,
					sizeof(eviction), compare_evictions) :
				NULL;

		eviction.pages -= old ? old->pages : 0;
		if (eviction.pages)
			since->evictions[since->eviction_count++] = eviction;
	}
}

int trace_totals_since(struct trace_totals *since,
		       const struct trace_totals *now,
		       const struct trace_totals *before)
{
	*since = (struct trace_totals){
		.fills = calloc(now->count + 1, sizeof(*since->fills)),
		.evictions = calloc(now->eviction_count + 1,
				    sizeof(*since->evictions)),
		.knows_evictions = now->knows_evictions,
		.knows_asked = now->knows_asked,
		.foreign_pids = now->foreign_pids,
		.lost_events = now->lost_events - before->lost_events,
		.unknown_needs = now->unknown_needs - before->unknown_needs,
		.knows_how = now->knows_how,
	};
	if (!since->fills || !since->evictions)
		return -ENOMEM;
	subtract_evictions(since, now, before);
	for (size_t i = 0; i < now->count; i++) {
		struct trace_fill fill = now->fills[i];
		const struct trace_fill *old =
			before->count ?
				bsearch(&fill, before->fills, before->count,
					sizeof(fill), trace_fill_compare) :
				NULL;

		if (old)
			subtract(&fill, old);
		if (trace_fill_in(&fill) || fill.out || fill.asked)
			since->fills[since->count++] = fill;
	}
	return 0;
}
