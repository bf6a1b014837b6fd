// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

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

static const struct culprit *culprit_of(const struct culprits *culprits,
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

int culprits_init(struct culprits *culprits, struct losses *losses,
		  const struct trace_totals *totals,
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
	for (size_t i = 0; i < losses->count; i++)
		losses->losses[i].culprit =
			culprit_of(culprits, &losses->losses[i]);
	return 0;
}

void culprits_deinit(struct culprits *culprits)
{
	free(culprits->list);
	*culprits = (struct culprits){ 0 };
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

static void put_loss(struct sentence *out, const struct loss *loss,
		     struct size_unit unit)
{
	const struct culprit *culprit = loss->culprit;
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

int culprits_print(FILE *stream, const struct losses *losses,
		   struct size_unit unit)
{
	struct sentence out;

	sentence_begin_on(&out, stream);
	for (size_t i = 0; i < losses->count && i < PRINTED_MOST; i++) {
		const struct loss *loss = &losses->losses[i];

		put_loss(&out, loss, unit);
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

static struct column_value get_is_kernel(const void *data)
{
	const struct taker *taker = data;

	return column_number(true, !taker->cgroup);
}

static const struct field taker_list[] = {
	{ FIELD_SENTENCE(struct taker, name, "cgroup"),
	  .about = "of the process",
	  .null = "a thread of the kernel, or the cgroup has gone" },
	{ FIELD_VALUE("kernel", COLUMN_FLAG), .value = get_is_kernel,
	  .about = "a thread of the kernel, such as kswapd" },
	{ FIELD(struct taker, pages, "pages", UINT64_MAX) },
	{ FIELD(struct taker, limit_pages, "limit_pages", UINT64_MAX),
	  .about = "of these, because a cgroup was at its limit; else memory "
		   "of the host was short" },
};

static const struct fields taker_fields = FIELDS(struct taker, taker_list);

static bool make_culprit(const void *record,
			 size_t which __attribute__((unused)), void *made)
{
	const struct loss *loss = record;

	if (loss->culprit)
		*(struct culprit *)made = *loss->culprit;
	return loss->culprit;
}

static const struct field culprit_list[] = {
	{ FIELD_SENTENCE(struct culprit, name, "cgroup"),
	  .null = "it has gone" },
	{ FIELD(struct culprit, pages, "pages_in", UINT64_MAX) },
	{ FIELD_SENTENCE(struct culprit, from, "from"),
	  .about = "the device, or where the filesystem is mounted, that most "
		   "of it is from" },
};

static const struct fields culprit_fields =
	FIELDS(struct culprit, culprit_list);

static const struct field loss_list[] = {
	{ FIELD_SENTENCE(struct loss, name, "cgroup"),
	  .about = "that the pages were charged to", .null = "it has gone" },
	{ FIELD(struct loss, pages, "pages", UINT64_MAX),
	  .about = "that reclaim took" },
	{ FIELD(struct loss, refaulted_pages, "refaulted_pages", UINT64_MAX),
	  FIELD_KNOWN(struct loss, has_refaults),
	  .about = "that it has read again since it was seen to lose some",
	  .null = "that cannot be told, it was seen only now, or the kernel "
		  "forgot all" },
	{ FIELD(struct loss, at_least, "refaulted_at_least", 0),
	  .about = "the kernel has forgotten some of what it evicted from the "
		   "cgroup (workingset_nodereclaim)" },
	{ FIELD_LIST(struct loss, takers, taker_count, "taken_by",
		     &taker_fields, UINT64_MAX),
	  .about = "in whose processes the kernel reclaimed" },
	{ FIELD_MADE_OBJECT("culprit", &culprit_fields, make_culprit),
	  .about = "who brought in what they were taken for",
	  .null = "that was less than half of it" },
};

const struct fields loss_fields = FIELDS(struct loss, loss_list);
