// SPDX-License-Identifier: GPL-2.0-or-later
#include "explain/explain_holder.h"
#include "explain/explain_text.h"
#include "explain/explain_verdict.h"
#include "lib/wrap.h"
#include "memory/reserve.h"
#include "memory/contradiction.h"

/* A cgroup with less than this part of a head does not own it. */
#define OWNER_PART 10
/* A rest of less than this part of MemTotal is usual. */
#define UNUSUAL_PART 50

/* A head with nearly as much is named first: it may have an owner. */
#define NEARLY_PART 8

/* Heads that a cgroup's figure is a part of. */
static const struct owned {
	enum memory_head_id head;
	enum cgroup_figure figure;
} owned[] = {
	{ MEMORY_HEAD_PROGRAMS, CGROUP_ANON },
	{ MEMORY_HEAD_SHARED, CGROUP_SHMEM },
	{ MEMORY_HEAD_PAGE_TABLES, CGROUP_PAGE_TABLES },
	{ MEMORY_HEAD_VMALLOC, CGROUP_VMALLOC },
	{ MEMORY_HEAD_PER_CPU, CGROUP_PERCPU },
};

static void find_largest(struct explain_verdict *verdict,
			 const struct explain_facts *facts)
{
	const struct memory_heads *heads = &facts->heads;
	int64_t unevictable =
		memory_get(&facts->memory.fields, MEMORY_NR_UNEVICTABLE);
	int64_t most = 0;

	for (enum memory_head_id id = 0; id < MEMORY_HEAD_FREE_PER_CPU; id++) {
		const struct memory_head *head = &heads->heads[id];
		int64_t reclaimable = facts->is_dump ? 0 : head->reclaimable;
		int64_t kept = head->pages - reclaimable;

		if (!head->known || reclaimable < 0 || kept <= most)
			continue;
		verdict->largest = id;
		most = kept;
	}
	if (!facts->is_dump && unevictable - unevictable / NEARLY_PART > most) {
		verdict->largest = MEMORY_HEADS;
		verdict->largest_is_unevictable = true;
		most = unevictable;
	}
	verdict->largest_bytes = explain_bytes(facts, most);
}

bool explain_figure_of(enum memory_head_id head, enum cgroup_figure *figure)
{
	for (size_t i = 0; i < sizeof(owned) / sizeof(*owned); i++) {
		if (owned[i].head != head)
			continue;
		*figure = owned[i].figure;
		return true;
	}
	return false;
}

static void find_owner(struct explain_verdict *verdict,
		       const struct explain_facts *facts)
{
	const struct cgroup *cgroup;
	enum cgroup_figure figure;
	int64_t bytes, all;

	if (!explain_figure_of(verdict->largest, &figure))
		return;
	cgroup = cgroups_largest(&facts->cgroups.cgroups, figure);
	if (!cgroup)
		return;
	bytes = (int64_t)cgroup->figures.values[figure];
	all = explain_bytes(facts, facts->heads.heads[verdict->largest].pages);
	/* They are not of one instant. */
	if (bytes > all || bytes < all / OWNER_PART)
		return;
	verdict->owner = cgroup;
	verdict->owner_bytes = bytes;
}

/* A page that several processes share counts in each. */
static void find_process(struct explain_verdict *verdict,
			 const struct explain_facts *facts)
{
	const struct memory_owners *owners = &facts->owners;
	int64_t all;

	if (verdict->largest == MEMORY_HEADS)
		return;
	all = explain_bytes(facts, facts->heads.heads[verdict->largest].pages);
	for (size_t i = 0; i < MEMORY_OWNER_LISTS; i++) {
		const struct memory_owner_info *info = memory_owner_info(i);
		const struct memory_owner_list *list = &owners->lists[i];

		if (info->head != verdict->largest ||
		    info->kind != MEMORY_OWNER_PROCESS || !list->count)
			continue;
		/* They are not of one instant. */
		if (list->owners[0].bytes <= all &&
		    list->owners[0].bytes >= all / OWNER_PART)
			verdict->process = &list->owners[0];
	}
}

void explain_verdict_init(struct explain_verdict *verdict,
			  const struct explain_facts *facts)
{
	const struct memory_heads *heads = &facts->heads;

	*verdict = (struct explain_verdict){ .largest = MEMORY_HEADS };
	if (!facts->has_memory || !heads->has_rest)
		return;
	verdict->knows_kept = !facts->is_dump && heads->kept <= heads->total &&
			      heads->contradiction != CONTRADICTION_SUM;
	verdict->kept_bytes = explain_bytes(facts, heads->kept);
	find_largest(verdict, facts);
	/* Some of slab and vmalloc may be ZFS's, which gives it back. */
	if (verdict->knows_kept && verdict->largest_bytes > verdict->kept_bytes)
		verdict->largest = MEMORY_HEADS;
	find_owner(verdict, facts);
	find_process(verdict, facts);
	if (heads->rest > heads->total / UNUSUAL_PART &&
	    heads->rest > heads->uncertainty)
		verdict->unaccounted_bytes = explain_bytes(facts, heads->rest);
}

static void write_unknown(const struct explain_writer *writer)
{
	const struct explain_facts *facts = writer->facts;
	char text[ERROR_TEXT_SIZE];

	_Static_assert(sizeof(text) >= CONTRADICTION_TEXT, "either fits");
	if (!facts->has_memory)
		error_text(&facts->why_no_memory, text);
	else if (!contradiction_text(&facts->heads, &facts->memory, text))
		snprintf(text, sizeof(text), "%s",
			 memory_unknown_text(facts->heads.why_no_rest));
	say(writer->out, "What cannot be reclaimed is not known: %s.\n", text);
}

/* Nothing is reclaimed any more, so this is about all of each head. */
static void write_dump(const struct explain_writer *writer,
		       const struct explain_verdict *verdict)
{
	const struct explain_facts *facts = writer->facts;
	struct sentence *out = writer->out;

	say(out, "The largest part of %s is %s of %s",
	    SIZE(explain_bytes(facts, facts->heads.total)),
	    SIZE(verdict->largest_bytes),
	    memory_head_info(verdict->largest)->label);
	if (verdict->unaccounted_bytes)
		say(out, "; %s is unaccounted",
		    SIZE(verdict->unaccounted_bytes));
	say(out, ".\n");
}

/* "At least 1.5G of 2G cannot be reclaimed; the largest part is 1.2G of ..." */
static void write_kept(const struct explain_writer *writer,
		       const struct explain_verdict *verdict)
{
	const struct explain_facts *facts = writer->facts;
	const struct memory_heads *heads = &facts->heads;
	int64_t swap = memory_get(&facts->memory.fields, MEMORY_SWAP_FREE);
	char text[CONTRADICTION_TEXT];
	struct sentence *out = writer->out;

	say(out, "%s %s of %s cannot be reclaimed",
	    facts->memory.settled ? "At least" : "About",
	    SIZE(verdict->kept_bytes),
	    SIZE(explain_bytes(facts, heads->total)));
	if (swap)
		say(out, ", even if all free swap (%s) is used",
		    SIZE(explain_bytes(facts, swap)));
	if (verdict->largest != MEMORY_HEADS)
		say(out, "; the largest part is %s of %s",
		    SIZE(verdict->largest_bytes),
		    memory_head_info(verdict->largest)->label);
	if (verdict->largest_is_unevictable)
		say(out,
		    "; the largest part is %s that is pinned or locked "
		    "(Unevictable; by mlock %s)",
		    SIZE(verdict->largest_bytes),
		    SIZE(explain_bytes(facts, memory_get(&facts->memory.fields,
							 MEMORY_NR_MLOCK))));
	if (verdict->owner)
		say(out, ", and the cgroup with most of that is %s with %s",
		    limit_cgroup_name(out, verdict->owner),
		    SIZE(verdict->owner_bytes));
	if (verdict->process)
		say(out, "%s%s (%u) with %s",
		    verdict->owner ? ", the process " :
				     ", and the process with most of that is ",
		    safe_name(out, verdict->process->name),
		    verdict->process->pid, SIZE(verdict->process->bytes));
	if (!facts->memory.settled)
		say(out, "; it is no bound, because the counts %s",
		    facts->memory.samples > 1 ? "did not settle" :
						"contradict each other");
	if (verdict->unaccounted_bytes)
		say(out, "; %s more is unaccounted",
		    SIZE(verdict->unaccounted_bytes));
	if (contradiction_text(heads, &facts->memory, text))
		say(out, "; more is not known, because %s", text);
	say(out, ".\n");
}

/* Without a limit, what free calls available is the best that is known. */
static void write_available(const struct explain_writer *writer)
{
	const struct free_columns *columns = &writer->columns;
	const int64_t *bytes = columns->bytes;
	struct sentence *out = writer->out;

	if (columns->known[FREE_COLUMN_AVAILABLE] &&
	    columns->known[FREE_COLUMN_TOTAL] &&
	    !columns->used_without_available)
		say(out,
		    "Programs %s still have %s of %s without swapping, by the "
		    "kernel's estimate.\n",
		    writer->facts->is_dump ? "could" : "can",
		    SIZE(bytes[FREE_COLUMN_AVAILABLE]),
		    SIZE(bytes[FREE_COLUMN_TOTAL]));
	else if (columns->known[FREE_COLUMN_FREE])
		say(out,
		    "%s is free; how much more programs can have is not "
		    "known.\n",
		    SIZE(bytes[FREE_COLUMN_FREE]));
	else
		say(out, "How much programs can still have is not known.\n");
}

static void write_limit(const struct explain_writer *writer)
{
	const struct cgroup_sample *sample = &writer->facts->cgroups;

	if (sample->limits.next.kind == LIMIT_NONE) {
		write_available(writer);
		return;
	}
	limits_say_next(writer->out, &sample->limits, &sample->cgroups,
			sample->page_size, (struct size_unit){ 0 });
	say(writer->out, "%s%s.\n",
	    cgroups_are_whole(&sample->cgroups) ? "" :
						  " (not all cgroups could be "
						  "read)",
	    sample->cgroups.excess_bytes ? "; the counts of cgroups contradict "
					   "each other" :
					   "");
}

enum reserve_cause explain_put_reserve(struct sentence *out,
				       const struct explain_facts *facts)
{
	struct reserve reserve;
	char text[256];

	if (!facts->has_memory)
		return RESERVE_USUAL;
	reserve_find(&reserve, &facts->memory);
	reserve_text(&reserve, &facts->memory, text, sizeof(text));
	say(out, "%s", text);
	return reserve.cause;
}

void explain_write_reserve(const struct explain_writer *writer)
{
	enum reserve_cause cause =
		explain_put_reserve(writer->out, writer->facts);

	if (cause)
		say(writer->out, ". %s it gives that back.\n",
		    cause == RESERVE_LOWMEM ? "Raising" : "Lowering");
}

void explain_write_verdict(const struct explain_writer *writer)
{
	struct explain_verdict verdict;

	explain_write_holder(writer);
	explain_verdict_init(&verdict, writer->facts);
	if (verdict.knows_kept)
		write_kept(writer, &verdict);
	else if (writer->facts->is_dump && verdict.largest != MEMORY_HEADS)
		write_dump(writer, &verdict);
	else
		write_unknown(writer);
	write_limit(writer);
	if (!writer->holder->is_reserve)
		explain_write_reserve(writer);
}
