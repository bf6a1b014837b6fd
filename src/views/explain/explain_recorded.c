// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cli/moment.h"
#include "explain/explain_facts.h"
#include "explain/explain_holder.h"
#include "explain/explain_recorded.h"
#include "explain/explain_search.h"
#include "lib/cleanup.h"
#include "lib/error.h"
#include "lib/monotonic.h"
#include "lib/sysroot.h"
#include "memory/memory_owners.h"
#include "recorded/growth.h"
#include "recorded/growth_median.h"
#include "store/excerpt.h"
#include "worker/patience.h"

/* explain has two seconds for all, and this is looked for last. */
#define LATEST_MS 1000
#define MOST_SECONDS 0.5
/* Nobody waits for what is said of a captured host. */
#define MOST_SECONDS_OF_CAPTURE 60
#define LATEST_READING_MS INT64_C(300000)
/* Half of what growth_median() takes for a gap, so that none is made. */
#define HEADS_APART_MS INT64_C(150000)

/* What history calls a head of memory, or NULL. */
static const char *name_of_head(enum memory_head_id head)
{
	switch (head) {
	case MEMORY_HEAD_SHARED:
		return "Shmem";
	case MEMORY_HEAD_SLAB_RECLAIMABLE:
		return "SReclaimable";
	default:
		return NULL;
	}
}

/* After a reboot another device may have its number. */
static bool is_of_device(const struct growth_series *series,
			 const struct sample *sample)
{
	return series->kind == GROWTH_DEVICE &&
	       series->major == sample->major &&
	       series->minor == sample->minor &&
	       (!sample->kname || strcmp(series->name, sample->kname) == 0);
}

static bool is_of_holder(const struct growth_series *series,
			 const struct explain_holder *holder,
			 const char *name_of_head)
{
	if (holder->device)
		return is_of_device(series, &holder->device->of.sample);
	return name_of_head && series->kind == GROWTH_MEMORY &&
	       strcmp(series->name, name_of_head) == 0;
}

/* Half of it came in that time, and most of that has been there ever since. */
static bool is_worth_saying(const struct growth_row *row,
			    const struct explain_holder *holder)
{
	const int64_t bytes = holder->device ? holder->bytes :
					       holder->head_bytes;

	return row->rise_bytes >= bytes / 2 &&
	       row->kept_bytes > row->rise_bytes / 2;
}

static int take(struct explain_rise *rise, const struct growth_row *row)
{
	rise->name = strdup(row->series->label ?: row->series->name);
	rise->row = *row;
	rise->row.series = NULL;
	return rise->name ? 0 : -ENOMEM;
}

/* What a cgroup has of a head is not recorded. */
static bool may_have_risen(const struct explain_holder *holder)
{
	return holder->has_head && !holder->has_swap && !holder->limited &&
	       !holder->cgroup &&
	       (holder->device || name_of_head(holder->head));
}

static int find_rise(struct explain_rise *rise, const struct growth *growth,
		     const struct growth_span *span,
		     const struct explain_holder *holder)
{
	_cleanup_(growth_rows_deinit) struct growth_rows rows = { 0 };
	int ret = growth_rows_init(&rows, growth, span, false);

	for (size_t i = 0; !ret && i < rows.count; i++) {
		const struct growth_row *row = &rows.rows[i];

		if (row->series && is_of_holder(row->series, holder,
						name_of_head(holder->head)))
			return is_worth_saying(row, holder) ? take(rise, row) :
							      0;
	}
	return ret;
}

/* @holder: of the device that it is about, if it is. */
static int find_median(struct explain_facts *facts, const struct growth *growth,
		       const struct growth_span *span,
		       const struct explain_holder *holder,
		       enum memory_head_id head)
{
	for (size_t i = 0; i < growth->count; i++) {
		if (is_of_holder(&growth->series[i], holder,
				 memory_owners_head_key(head)))
			return growth_median(&facts->medians[head],
					     &growth->series[i], span);
	}
	return 0;
}

/* Of what else is large. */
static int find_other_medians(struct explain_facts *facts,
			      const struct growth *growth,
			      const struct growth_span *span,
			      const struct explain_holder *holder)
{
	const struct explain_holder none = { 0 };
	int ret = 0;

	for (enum memory_head_id id = 0; !ret && id <= MEMORY_HEADS; id++) {
		if (holder->also >> id & 1)
			ret = find_median(facts, growth, span, &none, id);
	}
	return ret;
}

/*
 * Of what is large; else of what the first sentence would be about, then of
 * what is left, until something is not usual. Returns 1 if something is, 0, or
 * -ENOMEM.
 */
static int find_medians(struct explain_facts *facts,
			const struct growth *growth,
			const struct growth_span *span)
{
	struct explain_holder holder;

	for (int is_any = 0;; is_any = 1) {
		explain_holder_init(&holder, facts);
		if (!explain_may_be_usual(&holder, facts))
			return is_any;
		if (find_median(facts, growth, span, &holder, holder.head) <
			    0 ||
		    find_other_medians(facts, growth, span, &holder) < 0)
			return -ENOMEM;
		if (!explain_is_usual(facts, holder.head))
			return is_any;
	}
}

static int find_in(struct explain_facts *facts, const struct sysroot *root,
		   const struct growth *growth, const struct growth_span *span)
{
	struct explain_holder holder;
	int ret;

	/* Nobody knows what a recorder that has ended did not see. */
	if (span->to_ms - growth->last_ms > LATEST_READING_MS)
		return 0;
	ret = find_medians(facts, growth, span);
	if (ret > 0)
		ret = explain_search_again(facts, root);
	explain_holder_init(&holder, facts);
	return ret < 0 || !may_have_risen(&holder) ?
		       ret :
		       find_rise(&facts->rise, growth, span, &holder);
}

/* A recording of many devices takes long to read. 0 or less: it is too late. */
static double seconds_for(const struct sysroot *root, bool is_captured)
{
	const struct patience *usual = root->patience;

	if (usual && usual->seconds > 0) {
		const double quarter = usual->seconds / 4;
		const int64_t took_ns = monotonic_ns() - usual->began_ns;
		const double left = usual->seconds - (double)took_ns / 1e9;

		return left < quarter ? left : quarter;
	}
	if (is_captured)
		return MOST_SECONDS_OF_CAPTURE;
	return patience_has_taken(usual, LATEST_MS) ? 0 : MOST_SECONDS;
}

int explain_recorded_find(struct explain_facts *facts,
			  const struct sysroot *root,
			  const struct recording_place *place)
{
	_cleanup_(growth_deinit) struct growth growth = { 0 };
	_cleanup_(recording_place_deinit) struct recording_place usual = {
		.fd = -1,
	};
	const bool is_captured = place ? place->fd >= 0 :
					 !sysroot_is_live(root);
	const struct moment none = { 0 };
	struct patience patience = {
		.seconds = seconds_for(root, is_captured),
	};
	struct explain_holder holder;
	struct growth_span span;
	struct error err;
	int ret = 0;

	explain_holder_init(&holder, facts);
	if ((!may_have_risen(&holder) &&
	     !explain_may_be_usual(&holder, facts)) ||
	    patience.seconds <= 0)
		return 0;
	patience_begin(&patience);
	if (!place)
		ret = recording_place_init(&usual, root, NULL, &err);
	if (!ret)
		ret = growth_span_choose(&span, root, &none, &none, &err);
	if (!ret) {
		span.leaves_filesystems = true;
		if (explain_may_be_usual(&holder, facts) && !holder.device)
			span.heads_apart_ms = HEADS_APART_MS;
	}
	if (!ret)
		ret = growth_read(&growth, (place ?: &usual)->where, &span,
				  &patience, &err);
	if (!ret)
		ret = find_in(facts, root, &growth, &span);
	return only_enomem(ret);
}
