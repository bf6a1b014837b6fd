// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lib/json_out.h"
#include "lib/sentence.h"
#include "trace/trace.h"
#include "who/culprits.h"
#include "who/who_caches.h"

#define PRINTED_MOST 3

static struct culprit *find_or_add(struct culprits *culprits, uint64_t cgroup)
{
	for (size_t i = 0; i < culprits->count; i++) {
		if (culprits->list[i].cgroup == cgroup)
			return &culprits->list[i];
	}
	culprits->list[culprits->count] = (struct culprit){ .cgroup = cgroup };
	return &culprits->list[culprits->count++];
}

/* All that processes of the cgroup of @fill brought into the same cache. */
static uint64_t pages_from(const struct trace_totals *totals,
			   const struct trace_fill *fill)
{
	uint64_t pages = 0;

	for (size_t i = 0; i < totals->count; i++) {
		const struct trace_fill *other = &totals->fills[i];

		if (other->cgroup == fill->cgroup &&
		    other->major == fill->major &&
		    other->minor == fill->minor &&
		    other->is_bdev == fill->is_bdev)
			pages += trace_fill_in(other);
	}
	return pages;
}

static int most_first(const void *left, const void *right)
{
	const struct culprit *a = left;
	const struct culprit *b = right;

	return (a->pages < b->pages) - (a->pages > b->pages);
}

int culprits_init(struct culprits *culprits, const struct trace_totals *totals,
		  const struct who_rows *rows, const struct cgroup_ids *cgroups)
{
	*culprits = (struct culprits){
		.list = calloc(totals->count + 1, sizeof(*culprits->list)),
	};
	if (!culprits->list)
		return -ENOMEM;
	/* They are needed only if somebody lost pages. */
	for (size_t i = 0; totals->eviction_count && i < totals->count; i++) {
		const struct trace_fill *fill = &totals->fills[i];
		struct culprit *culprit;
		uint64_t pages;

		if (!fill->cgroup || !trace_fill_in(fill))
			continue;
		culprit = find_or_add(culprits, fill->cgroup);
		culprit->name = cgroup_ids_name(cgroups, fill->cgroup);
		culprit->pages += trace_fill_in(fill);
		pages = pages_from(totals, fill);
		if (pages > culprit->most_pages) {
			culprit->most_pages = pages;
			culprit->from = who_cache_name(who_caches_at(
				rows, fill->major, fill->minor, fill->is_bdev));
		}
	}
	if (culprits->count)
		qsort(culprits->list, culprits->count, sizeof(*culprits->list),
		      most_first);
	return 0;
}

void culprits_deinit(struct culprits *culprits)
{
	free(culprits->list);
	*culprits = (struct culprits){ 0 };
}

/*
 * For whom most of the loss was taken: whoever reclaimed, or if threads of the
 * kernel did that, whoever brought in most. NULL if that one brought in less
 * than half of the loss: then the memory was for something other than files.
 */
static const struct culprit *culprits_of(const struct culprits *culprits,
					 const struct loss *loss)
{
	uint64_t by = loss->takers[0].cgroup;

	for (size_t i = 0; i < culprits->count; i++) {
		const struct culprit *culprit = &culprits->list[i];

		if (!by || culprit->cgroup == by)
			return culprit->pages >= loss->pages / 2 ? culprit :
								   NULL;
	}
	return NULL;
}

static const char *cgroup_text(struct sentence *out, const char *name)
{
	if (!name)
		return "a cgroup that has gone";
	return strcmp(name, "/") == 0 ? "the root cgroup" :
					safe_name(out, name);
}

#define SIZE_OF(pages, unit)                                                   \
	SIZE_IN((int64_t)(pages)*sysconf(_SC_PAGESIZE), unit)

static void put_loss(struct sentence *out, const struct culprit *culprit,
		     const struct loss *loss, struct size_unit unit)
{
	const char *lost = SIZE_OF(loss->pages, unit);

	if (culprit)
		say(out, "%s brought in %s from %s",
		    cgroup_text(out, culprit->name),
		    SIZE_OF(culprit->pages, unit),
		    safe_name(out, culprit->from));
	if (culprit && culprit->cgroup == loss->cgroup) {
		say(out, " and lost %s of its own", lost);
		return;
	}
	say(out, "%s%s lost %s", culprit ? "; " : "",
	    cgroup_text(out, loss->name), lost);
	if (culprit)
		return;
	if (loss->takers[0].cgroup)
		say(out, " to %s", cgroup_text(out, loss->takers[0].name));
	say(out, ", for memory that was not for files");
}

int culprits_print(FILE *stream, const struct culprits *culprits,
		   const struct losses *losses, struct size_unit unit)
{
	struct sentence out;

	sentence_begin_on(&out, stream);
	for (size_t i = 0; i < losses->count && i < PRINTED_MOST; i++) {
		const struct loss *loss = &losses->losses[i];

		put_loss(&out, culprits_of(culprits, loss), loss, unit);
		if (loss->limit_pages > loss->pages / 2)
			say(&out, " at the limit of a cgroup");
		if (loss->has_refaults)
			say(&out, "; %s%s refaulted since",
			    loss->at_least ? "at least " : "",
			    SIZE_OF(loss->refaulted_pages, unit));
		say(&out, ".\n");
	}
	if (losses->count > PRINTED_MOST)
		say(&out, "Others that lost less: %zu.\n",
		    losses->count - PRINTED_MOST);
	return sentence_end(&out, NULL);
}

static void write_takers(struct json_out *json, const struct loss *loss)
{
	json_out_array(json, "taken_by");
	for (size_t i = 0; i < loss->taker_count; i++) {
		const struct taker *taker = &loss->takers[i];

		json_out_object(json, NULL);
		json_out_string(json, "cgroup",
				taker->cgroup ? taker->name : NULL);
		json_out_bool(json, "kernel", !taker->cgroup);
		json_out_unsigned(json, "pages", taker->pages);
		json_out_unsigned(json, "limit_pages", taker->limit_pages);
		json_out_object_end(json);
	}
	json_out_array_end(json);
}

static void write_culprit(struct json_out *json, const struct culprit *culprit)
{
	if (!culprit) {
		json_out_null(json, "culprit");
		return;
	}
	json_out_object(json, "culprit");
	json_out_string(json, "cgroup", culprit->name);
	json_out_unsigned(json, "pages_in", culprit->pages);
	json_out_string(json, "from", culprit->from);
	json_out_object_end(json);
}

void culprits_write(struct json_out *json, const struct culprits *culprits,
		    const struct losses *losses, bool known)
{
	if (!known) {
		json_out_null(json, "evicted");
		return;
	}
	json_out_array(json, "evicted");
	for (size_t i = 0; i < losses->count; i++) {
		const struct loss *loss = &losses->losses[i];

		json_out_object(json, NULL);
		json_out_string(json, "cgroup", loss->name);
		json_out_unsigned(json, "pages", loss->pages);
		json_out_unsigned_if(json, "refaulted_pages",
				     loss->has_refaults, loss->refaulted_pages);
		json_out_bool(json, "refaulted_at_least", loss->at_least);
		write_takers(json, loss);
		write_culprit(json, culprits_of(culprits, loss));
		json_out_object_end(json);
	}
	json_out_array_end(json);
}
