// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <linux/bpf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "kernel/kernel.h"
#include "lib/array.h"
#include "lib/error.h"
#include "lib/lack.h"
#include "lib/number.h"
#include "lib/sysroot.h"
#include "measure/memory_left.h"
#include "trace/bpf_maps.h"
#include "trace/bpf_programs.h"
#include "names/pid_namespace.h"
#include "trace/trace.h"

#define OPENING "tracing the page cache"
/*
 * Twice what libbpf takes to load the programs (15 MB), with what the kernel
 * does: on a host with 3 to 6 MB this got another process killed.
 */
#define LEAST_LEFT (UINT64_C(40) << 20)
/* It takes 20. What opens a file in vain is told something else by libbpf. */
#define LEAST_FILES 64

struct trace {
	struct bpf_programs programs;
	struct bpf_maps maps;
};

int trace_refused(int error, struct error *err)
{
	char text[128];

	snprintf(text, sizeof(text), "programs: %s", strerror(-error));
	switch (error) {
	case -EPERM:
		/* Lockdown refuses nothing that they cannot do without. */
		return lack_error(
			err, geteuid() ? LACK_ROOT_FOR_BPF : LACK_RIGHT_TO_BPF,
			strerror(-error));
	case -ENOSYS:
		return lack_error(err, LACK_BPF, NULL);
	/* This process, or the whole host, has no room for them. */
	case -EMFILE:
	case -ENFILE:
	case -ENOMEM:
		return lack_error(err, LACK_ROOM, strerror(-error));
	default:
		return lack_error(err, LACK_CONSENT, text);
	}
}

/* Whether this process and this host have what loading the programs takes. */
static int check_room(const struct sysroot *root, struct error *err)
{
	struct rlimit files;

	char least[8];

	snprintf(least, sizeof(least), "%d", LEAST_FILES);
	if (getrlimit(RLIMIT_NOFILE, &files) == 0 &&
	    files.rlim_cur < LEAST_FILES)
		return lack_doing(err, LACK_OPEN_FILES, least, OPENING,
				  "RLIMIT_NOFILE");
	if (!sysroot_is_live(root))
		return lack_doing(err, LACK_ACTIVITY_IN_TREE, NULL, OPENING,
				  root->prefix);
	return memory_left_for(root, LEAST_LEFT, "tracing", err);
}

static int start(struct trace *trace, const struct sysroot *root,
		 bool evictions, struct error *err)
{
	int ret = libbpf_init(&trace->programs.libbpf, err);

	if (ret < 0)
		return lack_of_error(err, LACK_LIBRARY);
	ret = bpf_programs_start(&trace->programs, root, evictions);
	if (!ret)
		ret = bpf_maps_init(&trace->maps, &trace->programs.libbpf,
				    trace->programs.object);
	return ret < 0 ? trace_refused(ret, err) : 0;
}

int trace_open(struct trace **trace, const struct sysroot *root, bool evictions,
	       struct error *err)
{
	int ret = check_room(root, err);
	enum lack lack;

	*trace = NULL;
	if (ret < 0)
		return ret;
	*trace = calloc(1, sizeof(**trace));
	if (!*trace)
		return error_errno(err, ENOMEM, OPENING, NULL);
	for (size_t i = 0; i < BPF_PROGRAMS; i++)
		(*trace)->programs.links[i] = -1;
	lack = types_lack(root);
	if (lack)
		ret = lack_error(err, lack, NULL);
	if (!ret)
		ret = start(*trace, root, evictions, err);
	if (ret < 0) {
		trace_close(*trace);
		*trace = NULL;
		return error_within(err, ret, OPENING, TRACE_ENGINE);
	}
	return 0;
}

void trace_close(struct trace *trace)
{
	if (!trace)
		return;
	bpf_maps_deinit(&trace->maps);
	bpf_programs_unload(&trace->programs);
	libbpf_deinit(&trace->programs.libbpf);
	free(trace);
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

/*
 * The events that a program did not see, because it was running on the
 * processor already. The kernel says so since Linux 5.12, and before it did not
 * happen.
 */
static int add_missed(const struct trace *trace, size_t which, uint64_t *lost)
{
	struct bpf_prog_info info = { 0 };
	uint32_t size = sizeof(info);
	int ret = trace->programs.libbpf.info(
		bpf_program_fd(&trace->programs, which), &info, &size);

	if (ret < 0)
		return ret;
	*lost += info.recursion_misses;
	return 0;
}

static int read_quality(const struct trace *trace,
			struct trace_quality *quality, struct fill_state *state)
{
	int ret = bpf_read_state(&trace->programs, state);

	quality->knows_how = state->knows_how;
	quality->lost_events = state->full_events;
	for (size_t i = 0; !ret && i < BPF_PROGRAMS; i++) {
		if ((trace->programs.counting & ~NOT_COUNTING) >> i & 1)
			ret = add_missed(trace, i, &quality->lost_events);
	}
	return ret;
}

int trace_each(const struct trace *trace, trace_fill_fn *take, void *data,
	       struct trace_quality *quality)
{
	struct fill_state state;
	int ret;

	*quality = (struct trace_quality){ 0 };
	ret = bpf_maps_each(&trace->maps, take, data);
	return ret < 0 ? ret : read_quality(trace, quality, &state);
}

void trace_forget(const struct trace *trace, const struct trace_fill *fill)
{
	bpf_maps_forget(&trace->maps, fill);
}

int trace_pause(const struct trace *trace, bool pauses)
{
	return bpf_programs_pause(&trace->programs, pauses);
}

int trace_read(const struct trace *trace, struct trace_totals *totals,
	       struct error *err)
{
	struct trace_quality quality = { 0 };
	struct fill_state state = { 0 };
	int ret;

	*totals = (struct trace_totals){ 0 };
	ret = bpf_maps_each(&trace->maps, trace_totals_add, totals);
	if (!ret)
		ret = read_quality(trace, &quality, &state);
	totals->lost_events = quality.lost_events;
	totals->unknown_needs = state.full_reclaimers;
	totals->knows_how = quality.knows_how;
	totals->foreign_pids = pid_namespace_here().is_foreign;
	totals->knows_asked = trace->programs.counting & DROPS;
	if (!ret && (trace->programs.counting & EVICT))
		ret = bpf_maps_read_evictions(&trace->maps, totals);
	if (ret < 0)
		return error_within(
			err, error_errno(err, -ret, "reading", "the maps"),
			"reading the trace", TRACE_ENGINE);
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

	if (array_make_room(&totals->fills, totals->count, &totals->room) < 0)
		return -ENOMEM;
	totals->fills[totals->count++] = *fill;
	return 0;
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
