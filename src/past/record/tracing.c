// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <malloc.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <unistd.h>

#include "lib/error.h"
#include "lib/monotonic.h"
#include "lib/sysroot.h"
#include "record/budget.h"
#include "record/cgroup_paths.h"
#include "record/cost.h"
#include "record/filled.h"
#include "record/filled_totals.h"
#include "record/seen_fills.h"
#include "record/tracing.h"
#include "store/documents.h"
#include "store/format.h"
#include "trace/trace.h"
#include "worker/frames.h"

/*
 * How often the trace is read, so that its map does not get full of processes
 * that have ended, and cgroups get their names while they are there.
 */
#define READ_NS INT64_C(2000000000)
#define NS_PER_MS INT64_C(1000000)
#define NS_PER_S INT64_C(1000000000)

/* With fewer windows in a report, the error of bursts is not what it says. */
#define LEAST_WINDOWS 25

struct tracing {
	struct trace *trace;
	int out; /* frames */
	struct cgroup_paths paths;
	struct seen_fills seen;
	struct filled filled; /* since the last report */
	struct filled_totals totals;
	struct trace_quality quality;
	uint64_t lost_events; /* of these, until the last report */
	int64_t reported_ns; /* the last report, or when counting went on */
	int64_t read_ns; /* when the trace is to be read next */
	/* Costs. */
	struct budget budget;
	uint64_t events; /* since the tracer began */
	uint64_t paid_events; /* of these, those that the budget knows of */
	int64_t cpu_ns; /* likewise */
	int64_t report_cpu_ns; /* until the last report */
	/* Sampling: how it is paid for, and what of the second was traced. */
	int64_t sampled_until_ns; /* 0: all is traced */
	struct sampling sampling;
	int64_t on_ns; /* since when it counts, or 0 */
	int64_t window_ns;
	bool is_asked; /* for a report */
	/* Processes that had ended before the trace was read. */
	uint16_t dead[FILL_ROOM];
	size_t dead_count;
	struct document_writer writer;
	struct store_fill fills[FILLED_REPORT];
};

/* ---- documents ----------------------------------------------------------- */

static void send(struct tracing *tracing, unsigned int kind,
		 const struct fields *fields, const void *record)
{
	static const struct store_state too_large = {
		.what = STORE_FAILED,
		.reason = (char *)"what was traced was too large for the "
				  "recording",
	};
	struct document_writer *writer = &tracing->writer;
	size_t size;
	const char *text = document_write(writer, fields, record, &size);

	if (!text) {
		kind = STORE_STATE;
		text = document_write(writer, &store_state_fields, &too_large,
				      &size);
	}
	/* The recorder is gone. */
	if (frame_send(tracing->out, kind, text, size) < 0)
		_exit(1);
}

static void send_state(struct tracing *tracing, enum store_what what,
		       const char *reason)
{
	const struct store_state state = {
		.what = what,
		.engine = what == STORE_TRACING ? (char *)TRACE_ENGINE : NULL,
		.reason = (char *)reason,
	};

	send(tracing, STORE_STATE, &store_state_fields, &state);
}

static void send_filled(struct tracing *tracing, int64_t now_ns)
{
	struct filled *filled = &tracing->filled;
	uint64_t lost = tracing->quality.lost_events;
	struct store_filled report = {
		.engine = TRACE_ENGINE,
		.over_ms = (now_ns - tracing->reported_ns) / NS_PER_MS,
		.sampled_ms = filled->windows ? (int64_t)filled->sampled_ms : 0,
		.page_size = (uint64_t)sysconf(_SC_PAGESIZE),
		.knows_how = tracing->quality.knows_how,
		.lost_events =
			lost - tracing->lost_events + filled->lost_events,
		.events = filled->events,
		.cpu_us = (uint64_t)(tracing->cpu_ns - tracing->report_cpu_ns) /
			  1000,
		.fills = tracing->fills,
	};

	report.count = filled_report(filled, &tracing->paths, tracing->fills);
	send(tracing, STORE_FILLED, &store_filled_fields, &report);
	tracing->lost_events = lost;
	tracing->reported_ns = now_ns;
	tracing->report_cpu_ns = tracing->cpu_ns;
}

static void send_totals(struct tracing *tracing)
{
	struct filled_totals *totals = &tracing->totals;
	const struct store_totals sent = {
		.rows = totals->rows,
		.count = totals->count,
		.elsewhere_bytes = totals->elsewhere_bytes,
		.lost_events = tracing->lost_events,
	};

	send(tracing, TRACING_TOTALS, &store_totals_fields, &sent);
}

/* ---- reading ------------------------------------------------------------- */

static int take(void *data, const struct trace_fill *fill)
{
	struct tracing *tracing = data;
	struct trace_fill since;

	/* The map of the trace has as much room, so this does not happen. */
	if (!seen_fills_take(&tracing->seen, fill, &since))
		return -ENOSPC;
	if (trace_fill_in(&since) || since.out) {
		cgroup_paths_learn(&tracing->paths.own, fill->cgroup);
		cgroup_paths_learn(&tracing->paths.memory, fill->on_behalf_of);
	}
	tracing->events += since.events;
	filled_add(&tracing->filled, &since);
	return 0;
}

/* Those that end later may count until then, after the trace was read. */
static const struct trace_fill *find_dead(struct tracing *tracing)
{
	size_t count;
	const struct trace_fill *all = seen_fills_all(&tracing->seen, &count);

	tracing->dead_count = 0;
	for (size_t i = 0; i < count; i++) {
		if (kill((pid_t)all[i].process, 0) < 0 && errno == ESRCH)
			tracing->dead[tracing->dead_count++] = (uint16_t)i;
	}
	return all;
}

/* What has ended makes room, after its last pages were read. */
static int read_trace(struct tracing *tracing)
{
	const struct trace_fill *all = find_dead(tracing);
	int ret;

	seen_fills_begin(&tracing->seen);
	ret = trace_each(tracing->trace, take, tracing, &tracing->quality);
	for (size_t i = 0; !ret && i < tracing->dead_count; i++) {
		const struct trace_fill *dead = &all[tracing->dead[i]];

		/*
		 * Processes outside of this PID namespace seem to have ended,
		 * and another may have the number of one that has.
		 */
		if (seen_fills_idle(&tracing->seen, dead))
			trace_forget(tracing->trace, dead);
	}
	tracing->read_ns = monotonic_ns() + READ_NS;
	return ret;
}

static void report(struct tracing *tracing)
{
	int64_t now_ns = monotonic_ns();

	if (tracing->filled.windows)
		filled_estimate(&tracing->filled,
				(double)(now_ns - tracing->reported_ns) /
					NS_PER_MS);
	send_filled(tracing, now_ns);
	filled_totals_add(&tracing->totals, &tracing->filled);
	filled_clear(&tracing->filled);
	cgroup_paths_next(&tracing->paths);
	send_totals(tracing);
}

/* ---- costs --------------------------------------------------------------- */

static int turn(struct tracing *tracing, bool on)
{
	int64_t now_ns = monotonic_ns();

	if (on == (tracing->on_ns != 0))
		return 0;
	tracing->window_ns += on ? 0 : now_ns - tracing->on_ns;
	tracing->on_ns = on ? now_ns : 0;
	return trace_pause(tracing->trace, !on);
}

/* Without a random number every moment of the second has its turn all the same.
 */
static void begin_second(struct tracing *tracing, int64_t second_ns)
{
	uint32_t random = (uint32_t)second_ns;

	if (getrandom(&random, sizeof(random), GRND_NONBLOCK) < 0)
		random = random * UINT32_C(2654435761);
	sampling_begin(&tracing->sampling, second_ns, random);
	tracing->window_ns = 0;
}

/* Until the average is right again, and as long as it would cost too much. */
static int begin_sampling(struct tracing *tracing, int64_t until_ns)
{
	int ret = trace_pause(tracing->trace, true) ?: read_trace(tracing);

	if (ret < 0)
		return ret;
	/* What was counted until now is exact. */
	report(tracing);
	tracing->sampled_until_ns = until_ns;
	tracing->on_ns = 0;
	tracing->is_asked = false;
	begin_second(tracing, tracing->reported_ns);
	return 0;
}

static int keep_budget(struct tracing *tracing)
{
	uint64_t events = tracing->events - tracing->paid_events;
	int64_t cpu_ns = cost_of(RUSAGE_SELF), until_ns;

	until_ns = budget_use(&tracing->budget, monotonic_ns(),
			      (int64_t)events * BUDGET_EVENT_NS + cpu_ns -
				      tracing->cpu_ns);
	tracing->cpu_ns = cpu_ns;
	tracing->paid_events = tracing->events;
	return until_ns ? begin_sampling(tracing, until_ns) : 0;
}

/* Whether the budget allows to trace all of what the sample saw. */
static bool is_affordable(const struct tracing *tracing, int64_t now_ns)
{
	const struct filled *filled = &tracing->filled;

	return now_ns >= tracing->sampled_until_ns &&
	       (double)filled->events * BUDGET_EVENT_NS * 1000 <=
		       filled->sampled_ms * NS_PER_MS * BUDGET_PERMILLE;
}

static int report_sample(struct tracing *tracing)
{
	bool affordable = is_affordable(tracing, monotonic_ns());

	tracing->is_asked = false;
	tracing->cpu_ns = cost_of(RUSAGE_SELF);
	report(tracing);
	tracing->paid_events = tracing->events;
	if (!affordable)
		return 0;
	tracing->sampled_until_ns = 0;
	tracing->read_ns = tracing->reported_ns;
	return trace_pause(tracing->trace, false);
}

/* The second is over, or the tracer is to end. */
static int end_second(struct tracing *tracing)
{
	int ret = turn(tracing, false) ?: read_trace(tracing);

	if (!ret && tracing->window_ns)
		filled_end_window(&tracing->filled,
				  (double)tracing->window_ns / NS_PER_MS);
	return ret;
}

static int sample(struct tracing *tracing)
{
	int64_t now_ns = monotonic_ns(), next_ns;
	int ret = 0;

	if (sampling_is_over(&tracing->sampling, now_ns)) {
		next_ns = tracing->sampling.second_ns + SAMPLING_SECOND_NS;
		ret = end_second(tracing);
		if (!ret && tracing->is_asked &&
		    tracing->filled.windows >= LEAST_WINDOWS)
			ret = report_sample(tracing);
		if (ret < 0 || !tracing->sampled_until_ns)
			return ret;
		now_ns = monotonic_ns();
		/* A processor that was late has made the second longer. */
		if (now_ns - next_ns >= SAMPLING_SECOND_NS)
			next_ns = now_ns;
		begin_second(tracing, next_ns);
	}
	return turn(tracing, sampling_is_on(&tracing->sampling, now_ns));
}

/* ---- the loop ------------------------------------------------------------ */

static struct timespec time_left(const struct tracing *tracing)
{
	int64_t now_ns = monotonic_ns();
	int64_t until_ns = tracing->sampled_until_ns ?
				   sampling_next(&tracing->sampling, now_ns) :
				   tracing->read_ns;
	int64_t left_ns = until_ns > now_ns ? until_ns - now_ns : 0;

	return (struct timespec){ left_ns / NS_PER_S, left_ns % NS_PER_S };
}

static int take_order(struct tracing *tracing, char order)
{
	int ret;

	if (tracing->sampled_until_ns && order != TRACING_LAST) {
		tracing->is_asked = true;
		return sample(tracing);
	}
	ret = tracing->sampled_until_ns ? end_second(tracing) :
					  read_trace(tracing);
	if (!ret && (!tracing->sampled_until_ns || tracing->filled.windows))
		report(tracing);
	return ret;
}

/* Returns 1, 0 when nobody gives orders any more, or a negative errno. */
static int look(struct tracing *tracing, int orders)
{
	struct pollfd wake = { .fd = orders, .events = POLLIN };
	struct timespec left = time_left(tracing);
	int ret = 0;
	char order;

	if (ppoll(&wake, 1, &left, NULL) < 0)
		return errno == EINTR ? 1 : -errno;
	if (wake.revents) {
		if (read(orders, &order, 1) != 1)
			return 0;
		ret = take_order(tracing, order);
	} else if (tracing->sampled_until_ns) {
		ret = sample(tracing);
	} else {
		ret = read_trace(tracing);
	}
	if (!ret && !tracing->sampled_until_ns)
		ret = keep_budget(tracing);
	return ret < 0 ? ret : 1;
}

static int open_all(struct tracing *tracing, struct error *err)
{
	static const struct sysroot live = { .fd = -1 };

	if (document_writer_init(&tracing->writer, TRACING_TEXT) < 0 ||
	    cgroup_paths_init(&tracing->paths, &live) < 0)
		return error_errno(err, ENOMEM, "tracing", "memory");
	return trace_open(&tracing->trace, &live, false, err);
}

int tracing_run(int orders, int out)
{
	struct tracing *tracing = calloc(1, sizeof(*tracing));
	char text[ERROR_TEXT_SIZE];
	struct error err;
	int ret;

	if (!tracing)
		return 1;
	tracing->out = out;
	ret = open_all(tracing, &err);
	if (ret < 0) {
		if (tracing->writer.stream)
			send_state(tracing, STORE_UNTRACED,
				   error_text(&err, text));
		return TRACING_REFUSED;
	}
	/* What it took to load the programs is not needed any more. */
	malloc_trim(0);
	mlockall(MCL_CURRENT | MCL_FUTURE);
	tracing->cpu_ns = tracing->report_cpu_ns = cost_of(RUSAGE_SELF);
	tracing->reported_ns = tracing->read_ns = monotonic_ns();
	send_state(tracing, STORE_TRACING, NULL);
	while ((ret = look(tracing, orders)) > 0)
		;
	return ret < 0;
}
