// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>

#include "lib/cleanup.h"
#include "lib/error.h"
#include "lib/monotonic.h"
#include "lib/sysroot.h"
#include "measure/provenance.h"
#include "who/tracing.h"
#include "worker/patience.h"

#define TRACING "tracing the page cache"

/* A walk of all inodes that took longer is not repeated. */
#define WALK_MOST_NS 500000000LL

void tracing_init(struct tracing *tracing, const struct sysroot *root,
		  const char *source, struct selection *selection)
{
	*tracing = (struct tracing){
		.root = root,
		.source = source,
		.selection = selection,
		.cgroups.mount = -1,
		.victims.ids.mount = -1,
		.walks = true,
	};
}

void tracing_deinit(struct tracing *tracing)
{
	trace_close(tracing->trace);
	cgroup_ids_deinit(&tracing->cgroups);
	victims_deinit(&tracing->victims);
	caches_before_deinit(&tracing->before);
	trace_totals_deinit(&tracing->totals);
}

int tracing_open(struct tracing *tracing, struct error *err)
{
	if (cgroup_ids_init(&tracing->cgroups, tracing->root) < 0 ||
	    victims_init(&tracing->victims, tracing->root) < 0)
		return error_errno(err, ENOMEM, "looking for", "cgroups");
	return trace_open(&tracing->trace, tracing->root, true, err);
}

static int learn_cgroups(struct tracing *tracing,
			 const struct trace_totals *totals)
{
	int ret = 0;

	for (size_t i = 0; !ret && i < totals->count; i++) {
		ret = cgroup_ids_learn(&tracing->cgroups,
				       totals->fills[i].cgroup);
		if (!ret)
			ret = cgroup_ids_learn(&tracing->victims.ids,
					       totals->fills[i].on_behalf_of);
	}
	return ret ? ret : victims_learn(&tracing->victims, totals);
}

void tracing_tick(struct tracing *tracing)
{
	_cleanup_(trace_totals_deinit) struct trace_totals totals = { 0 };

	if (trace_read(tracing->trace, &totals, NULL) == 0)
		learn_cgroups(tracing, &totals);
}

/* Reads the trace and the caches, one right after the other. */
static int measure_now(struct tracing *tracing, struct trace_totals *totals,
		       struct caches *caches, struct error *err)
{
	int64_t began;
	int ret = trace_read(tracing->trace, totals, err);

	if (ret < 0)
		return ret;
	began = monotonic_ns();
	patience_begin(tracing->root->patience);
	ret = caches_take(caches, tracing->root, tracing->source,
			  tracing->walks);
	if (tracing->walks && monotonic_ns() - began > WALK_MOST_NS)
		tracing->walks = false;
	if (!ret)
		ret = learn_cgroups(tracing, totals);
	patience_end(tracing->root->patience);
	return ret < 0 ? error_errno(err, -ret, "measuring", "the caches") : 0;
}

int tracing_begin(struct tracing *tracing, struct error *err)
{
	_cleanup_(caches_deinit) struct caches caches = { 0 };
	int ret = measure_now(tracing, &tracing->totals, &caches, err);

	tracing->began_ns = monotonic_ns();
	if (!ret && caches_keep(&tracing->before, &caches) < 0)
		ret = error_errno(err, ENOMEM, "keeping", "the caches");
	return ret;
}

int tracing_take(struct tracing *tracing, struct traced *traced,
		 struct error *err)
{
	const struct who_cgroups cgroups = { &tracing->cgroups,
					     &tracing->victims.ids };
	struct trace_totals totals = { 0 };
	int ret = measure_now(tracing, &totals, &traced->caches, err);
	int64_t now = monotonic_ns();

	if (!ret) {
		ret = trace_totals_since(&traced->totals, &totals,
					 &tracing->totals);
		if (!ret)
			ret = who_rows_init(&traced->rows, &traced->totals,
					    &tracing->before, &traced->caches,
					    &cgroups, tracing->root,
					    tracing->selection);
		if (!ret)
			ret = losses_init(&traced->losses, &tracing->victims,
					  &traced->totals);
		if (!ret)
			ret = culprits_init(&traced->culprits, &traced->losses,
					    &traced->totals, &traced->rows,
					    &tracing->cgroups);
		if (!ret)
			ret = advices_init(&traced->advices, &traced->totals,
					   &traced->rows);
		if (!ret)
			ret = caches_keep(&tracing->before, &traced->caches);
		if (ret < 0)
			error_errno(err, -ret, "making", "the table");
	}
	trace_totals_deinit(&tracing->totals);
	tracing->totals = totals;
	traced->seconds = (double)(now - tracing->began_ns) / 1e9;
	tracing->began_ns = now;
	return ret;
}

void traced_deinit(struct traced *traced)
{
	advices_deinit(&traced->advices);
	culprits_deinit(&traced->culprits);
	losses_deinit(&traced->losses);
	who_rows_deinit(&traced->rows);
	caches_deinit(&traced->caches);
	trace_totals_deinit(&traced->totals);
}

bool traced_is_whole(const struct traced *traced)
{
	return !traced->totals.lost_events && !traced->totals.unknown_needs &&
	       !error_is_set(&traced->caches.why);
}

int tracing_lost(const char *engine, uint64_t events, struct error *err)
{
	return error_doing(err, ERROR_PARTIAL, TRACING, engine,
			   "%llu events were lost, so the totals are a lower "
			   "bound",
			   (unsigned long long)events);
}

void traced_missing(const struct traced *traced, error_tell_fn *tell,
		    void *data)
{
	const struct trace_totals *totals = &traced->totals;
	struct error err;

	if (totals->lost_events) {
		tracing_lost(TRACE_ENGINE, totals->lost_events, &err);
		tell(data, &err);
	}
	if (totals->unknown_needs) {
		error_doing(&err, ERROR_PARTIAL, TRACING, TRACE_ENGINE,
			    "%llu reclaims at the limit of a cgroup count as "
			    "for the host: too many went on at a time",
			    (unsigned long long)totals->unknown_needs);
		tell(data, &err);
	}
	if (totals->foreign_pids) {
		error_doing(&err, ERROR_PARTIAL, TRACING, TRACE_ENGINE,
			    "in a PID namespace PIDs are not known");
		tell(data, &err);
	}
	if (error_is_set(&traced->caches.why)) {
		error_doing(&err, ERROR_PARTIAL,
			    "looking for what was not traced", NULL,
			    "not all caches could be measured");
		error_append(&err, &traced->caches.why);
		tell(data, &err);
	}
}

static const struct field took_list[] = {
	{ FIELD_DECIMAL(struct traced, seconds, "seconds"),
	  .about = "how long was traced" },
};

static const struct fields took_fields = FIELDS(struct traced, took_list);

static const struct field out_list[] = {
	{ FIELD_LIST(struct traced, losses.losses, losses.count, "evicted",
		     &loss_fields, UINT64_MAX),
	  FIELD_KNOWN(struct traced, totals.knows_evictions),
	  .about = "whose pages reclaim took, by the cgroup that they were "
		   "charged to",
	  .null = "that cannot be told" },
	{ FIELD_LIST(struct traced, advices.list, advices.count, "advised",
		     &advised_fields, UINT64_MAX),
	  FIELD_KNOWN(struct traced, totals.knows_how),
	  .about = "processes that called posix_fadvise() with "
		   "POSIX_FADV_DONTNEED",
	  .null = "that was not seen, or it is of a recording" },
};

const struct fields traced_out_fields = FIELDS(struct traced, out_list);

static const char *const engines[] = { TRACE_ENGINE, NULL };

static struct column_value get_engine(const void *traced
				      __attribute__((unused)))
{
	return column_text(*engines);
}

static const struct field quality_list[] = {
	{ FIELD_SAME(&traced_out_fields) },
	{ FIELD_VALUE("engine", COLUMN_TEXT), .value = get_engine,
	  .words = engines },
	{ FIELD(struct traced, totals.lost_events, "lost_events", UINT64_MAX),
	  .about = "if it is not 0, the rows are a lower bound" },
};

static const struct fields quality_fields = FIELDS(struct traced, quality_list);

static const struct field document_list[] = {
	{ DOCUMENT_HEAD },
	{ DOCUMENT_ANSWER(&took_fields) },
	{ DOCUMENT_ROWS("filled", &who_columns) },
	{ DOCUMENT_ANSWER(&quality_fields) },
};

const struct fields traced_document = FIELDS(struct document, document_list);
