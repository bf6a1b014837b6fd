// SPDX-License-Identifier: GPL-2.0-or-later
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "explain/explain_facts.h"
#include "explain/explain_holder.h"
#include "explain/explain_text.h"
#include "explain/explain_verdict.h"
#include "lib/lesser.h"
#include "memory/reserve.h"

/* A head of this part of memory is large, and less than this of a limit near. */
#define LARGE_PART 10
/* Who has less than this part of a head does not stand for it. */
#define HOLDER_PART 4
/* A limit of which less than this part is not in use is full. */
#define FULL_PART 20
/* Above so many times its median, a head is not as usual. */
#define USUAL_TIMES 2
/* What is in zram saves little if it takes more than so many parts of ten. */
#define ZRAM_TENTHS 8

/* What the zones say; without them, what free believes. */
static void take_available(struct explain_holder *holder,
			   const struct explain_facts *facts)
{
	const struct limits *limits = &facts->cgroups.limits;
	struct free_columns columns;

	if (limits->has_host && !limits->said_available_bytes) {
		holder->available_bytes = (int64_t)limits->host_available_bytes;
		holder->total_bytes = (int64_t)limits->host_bytes;
		holder->has_available = true;
		return;
	}
	free_columns_init(&columns, &facts->buffers.meminfo);
	holder->available_bytes = columns.bytes[FREE_COLUMN_AVAILABLE];
	holder->total_bytes = columns.bytes[FREE_COLUMN_TOTAL];
	holder->has_available = columns.known[FREE_COLUMN_AVAILABLE] &&
				columns.known[FREE_COLUMN_TOTAL] &&
				!columns.used_without_available;
}

static void take_head(struct explain_holder *holder, enum memory_head_id head,
		      int64_t bytes)
{
	holder->has_head = true;
	holder->head = head;
	holder->head_bytes = bytes;
}

/*
 * What it is charged for and no figure has, as queues of sockets and pipes; 0
 * where memory.stat does not tell all others (Linux 5.18).
 */
static uint64_t rest_of_cgroup(const struct cgroup_figures *figures,
			       uint64_t used)
{
	static const enum cgroup_figure parts[] = {
		CGROUP_ANON,	     CGROUP_FILE,	 CGROUP_SLAB,
		CGROUP_KERNEL_STACK, CGROUP_PAGE_TABLES, CGROUP_SEC_PAGE_TABLES,
		CGROUP_PERCPU,	     CGROUP_VMALLOC,	 CGROUP_ZSWAP,
	};

	if (!cgroup_has(figures, CGROUP_SLAB) ||
	    !cgroup_has(figures, CGROUP_VMALLOC))
		return 0;
	for (size_t i = 0; i < sizeof(parts) / sizeof(*parts); i++)
		used = less(used, cgroup_or_0(figures, parts[i]));
	return used;
}

static uint64_t cgroup_has_of(const struct cgroup_figures *figures,
			      enum memory_head_id head, uint64_t used)
{
	enum cgroup_figure figure;

	if (head == MEMORY_HEADS)
		return rest_of_cgroup(figures, used);
	if (head == MEMORY_HEAD_SLAB_UNRECLAIMABLE)
		return less(cgroup_or_0(figures, CGROUP_SLAB),
			    cgroup_or_0(figures, CGROUP_SLAB_RECLAIMABLE));
	return explain_figure_of(head, &figure) ? cgroup_or_0(figures, figure) :
						  0;
}

/* What most of a full cgroup is, if that is much of it. */
static void take_head_of_cgroup(struct explain_holder *holder,
				const struct cgroup *cgroup, uint64_t used)
{
	uint64_t most = used / HOLDER_PART;

	for (enum memory_head_id id = 0; id <= MEMORY_HEADS; id++) {
		uint64_t bytes = cgroup_has_of(&cgroup->figures, id, used);

		/* They are not of one instant, or contradict each other. */
		if (bytes <= most || bytes > used)
			continue;
		most = bytes;
		take_head(holder, id, (int64_t)bytes);
	}
}

static void take_limited(struct explain_holder *holder,
			 const struct explain_facts *facts, size_t index)
{
	holder->limited = &facts->cgroups.cgroups.cgroups[index];
	holder->limited_index = index;
}

/* The next limit, if it is a cgroup's and near. */
static void choose_near(struct explain_holder *holder,
			const struct explain_facts *facts)
{
	const struct limits *limits = &facts->cgroups.limits;
	const struct cgroup_limit *limit;

	if (limits->next.kind != LIMIT_CGROUP)
		return;
	limit = &limits->cgroups[limits->next.cgroup];
	/* It may be near if nobody says how much can be reclaimed. */
	if (limit->left_bytes > 0 &&
	    limit->left_bytes >= (int64_t)(limit->limit_bytes / LARGE_PART))
		return;
	holder->state = EXPLAIN_NEAR;
	take_limited(holder, facts, limits->next.cgroup);
	if (limit->has_own_reclaimable)
		take_head_of_cgroup(holder, holder->limited, limit->used_bytes);
}

/* Of the cgroups that are full of what goes, the one that has most of it. */
static void choose_full(struct explain_holder *holder,
			const struct explain_facts *facts)
{
	const struct limits *limits = &facts->cgroups.limits;
	uint64_t most = 0;

	for (size_t i = 0; i < limits->count; i++) {
		const struct cgroup_limit *limit = &limits->cgroups[i];

		if (!limit->has_limit || !limit->has_own_reclaimable ||
		    limit->reclaimable_bytes <= most ||
		    limit->reclaimable_bytes <
			    limit->limit_bytes / LARGE_PART ||
		    limit->used_bytes <
			    limit->limit_bytes - limit->limit_bytes / FULL_PART)
			continue;
		most = limit->reclaimable_bytes;
		take_limited(holder, facts, i);
	}
}

static void choose_low_host(struct explain_holder *holder,
			    const struct explain_facts *facts)
{
	const struct memory_head *huge =
		&facts->heads.heads[MEMORY_HEAD_HUGE_PAGES];
	const int64_t idle = explain_bytes(facts, huge->reclaimable);
	struct explain_verdict verdict;
	struct reserve reserve;

	if (!holder->has_available ||
	    holder->available_bytes >= holder->total_bytes / LARGE_PART)
		return;
	holder->state = EXPLAIN_NEAR;
	explain_verdict_init(&verdict, facts);
	reserve_find(&reserve, &facts->memory);
	holder->is_reserve = reserve.cause != RESERVE_USUAL &&
			     explain_bytes(facts, reserve.pages) >
				     verdict.largest_bytes;
	if (holder->is_reserve)
		holder->bytes = explain_bytes(facts, reserve.pages);
	else if (idle > verdict.largest_bytes)
		take_head(holder, MEMORY_HEAD_HUGE_PAGES,
			  explain_bytes(facts, huge->pages));
	else if (verdict.largest != MEMORY_HEADS)
		take_head(holder, verdict.largest, verdict.largest_bytes);
}

/*
 * The root is a tmpfs on some hosts, and has the system's own files. Of the
 * first root the filesystems tell; of any, its owners do
 * (search_beside_root()).
 */
static int64_t pages_of_root(const struct explain_facts *facts)
{
	const struct filesystems *all = &facts->filesystems;
	int64_t swap = 0, unused = 0;

	if (facts->root_bytes) {
		const struct meminfo *meminfo = &facts->buffers.meminfo;

		/* A tmpfs counts what of it is swapped out, too. */
		meminfo_bytes(meminfo, MEMINFO_SWAP_TOTAL, &swap);
		meminfo_bytes(meminfo, MEMINFO_SWAP_FREE, &unused);
		return greater(0, facts->root_bytes - (swap - unused)) /
		       (int64_t)facts->memory.page_size;
	}
	for (size_t i = 0; facts->has_filesystems && i < all->count; i++) {
		const struct filesystem *filesystem = &all->filesystems[i];

		if (filesystem->is_shmem && filesystem->type &&
		    strcmp(filesystem->type, "rootfs") == 0)
			return (int64_t)filesystem->sample.figures[FIGURE_PAGES];
	}
	return 0;
}

static int64_t largest_device_bytes(const struct explain_facts *facts)
{
	const struct explain_device *device = facts->devices;

	return facts->count && sample_has(&device->of.sample, FIGURE_PAGES) ?
		       (int64_t)(device->of.sample.figures[FIGURE_PAGES] *
				 facts->buffers.page_size) :
		       0;
}

bool explain_zram_saves_little(const struct memory_reading *memory)
{
	int64_t stored = memory_get(&memory->fields, MEMORY_ZRAM_STORED);

	return stored && memory_get(&memory->fields, MEMORY_ZRAM) >
				 stored / 10 * ZRAM_TENTHS;
}

/* With few processors, these take more than what they are lists of. */
int64_t explain_per_cpu_lists(const struct memory_reading *memory)
{
	return memory->has_vmalloc ? memory->vmalloc[MEMORY_VMALLOC_CHUNKS] : 0;
}

int64_t explain_head_bytes(const struct explain_facts *facts,
			   enum memory_head_id head)
{
	return explain_bytes(facts, head == MEMORY_HEADS ?
					    facts->heads.rest :
					    facts->heads.heads[head].pages);
}

int64_t explain_usual_bytes(const struct explain_facts *facts,
			    enum memory_head_id head)
{
	if (head == MEMORY_HEAD_BLOCK_CACHE)
		return largest_device_bytes(facts);
	return explain_head_bytes(facts, head);
}

bool explain_is_usual(const struct explain_facts *facts,
		      enum memory_head_id head)
{
	const struct growth_median *median = &facts->medians[head];

	return median->is_known &&
	       explain_usual_bytes(facts, head) / USUAL_TIMES <= median->bytes;
}

/* In some containers MemTotal is of another memory than the heads. */
static bool may_be_large(const struct explain_facts *facts)
{
	return !facts->heads.contradiction && facts->heads.total &&
	       facts->heads.why_no_rest != MEMORY_OTHER_MEMORY &&
	       facts->heads.why_no_rest != MEMORY_LACKS_ZONES;
}

/* Without /proc/zoneinfo, nobody knows how much of it is free. */
static int64_t pages_of_rest(const struct memory_heads *heads)
{
	return heads->has_rest && heads->uncertainty >= 0 &&
			       heads->rest > heads->uncertainty ?
		       heads->rest :
		       0;
}

/* What of a head is not another's or the system's own. */
static int64_t own_pages(const struct explain_facts *facts,
			 enum memory_head_id id)
{
	const struct memory_head *head = &facts->heads.heads[id];

	if (!head->known || facts->heads.wrong == id)
		return 0;
	switch (id) {
	case MEMORY_HEAD_SHARED:
		return head->pages - pages_of_root(facts);
	case MEMORY_HEAD_VMALLOC:
		return head->pages - explain_per_cpu_lists(&facts->memory);
	case MEMORY_HEAD_PER_CPU:
		return head->pages + explain_per_cpu_lists(&facts->memory);
	case MEMORY_HEAD_COMPRESSED:
		return explain_zram_saves_little(&facts->memory) ? head->pages :
								   0;
	default:
		return head->pages;
	}
}

/*
 * Of what the kernel cannot take back, and that is not what programs have: all
 * that is large is noted, and the first sentence is about the largest, unless
 * it is about something else already.
 */
static void choose_large(struct explain_holder *holder,
			 const struct explain_facts *facts)
{
	static const enum memory_head_id ids[] = {
		MEMORY_HEAD_SHARED,	 MEMORY_HEAD_SLAB_UNRECLAIMABLE,
		MEMORY_HEAD_PAGE_TABLES, MEMORY_HEAD_VMALLOC,
		MEMORY_HEAD_HUGE_PAGES,	 MEMORY_HEAD_COMPRESSED,
		MEMORY_HEAD_PER_CPU,	 MEMORY_HEADS,
	};
	bool is_near = holder->state == EXPLAIN_NEAR;
	int64_t most = 0;

	for (size_t i = 0; i < sizeof(ids) / sizeof(*ids); i++) {
		const enum memory_head_id id = ids[i];
		int64_t pages = id == MEMORY_HEADS ?
					pages_of_rest(&facts->heads) :
					own_pages(facts, id);

		if (pages <= facts->heads.total / LARGE_PART ||
		    explain_is_usual(facts, id))
			continue;
		holder->also |= UINT32_C(1) << id;
		if (is_near || pages <= most)
			continue;
		most = pages;
		take_head(holder, id, explain_head_bytes(facts, id));
		holder->state = EXPLAIN_LARGE;
	}
	if (holder->has_head)
		holder->also &= ~(UINT32_C(1) << holder->head);
}

/* They are estimated, by how many there are. */
static void choose_names(struct explain_holder *holder,
			 const struct explain_facts *facts)
{
	const struct memory_head *slab =
		&facts->heads.heads[MEMORY_HEAD_SLAB_RECLAIMABLE];
	int64_t bytes =
		memory_get(&facts->memory.fields, MEMORY_DENTRY_NEGATIVE) *
		DENTRY_BYTES;

	if (!slab->known ||
	    explain_is_usual(facts, MEMORY_HEAD_SLAB_RECLAIMABLE) ||
	    bytes <= explain_bytes(facts, facts->heads.total / LARGE_PART))
		return;
	take_head(holder, MEMORY_HEAD_SLAB_RECLAIMABLE,
		  explain_bytes(facts, slab->pages));
	holder->has_names = true;
	holder->bytes = bytes;
}

static bool is_swap_full(const struct meminfo *meminfo, int64_t *used)
{
	int64_t total, unused;

	if (!meminfo_bytes(meminfo, MEMINFO_SWAP_TOTAL, &total) ||
	    !meminfo_bytes(meminfo, MEMINFO_SWAP_FREE, &unused) || !total ||
	    unused > total || unused >= total / FULL_PART)
		return false;
	*used = total - unused;
	return true;
}

/* No more can be swapped out. Its processes are those of compressed memory. */
static void choose_swap(struct explain_holder *holder,
			const struct explain_facts *facts)
{
	int64_t used;

	if (!is_swap_full(&facts->buffers.meminfo, &used))
		return;
	take_head(holder, MEMORY_HEAD_COMPRESSED, used);
	holder->has_swap = true;
}

/* A cache that is large hurts nobody, but somebody may have caused it. */
static void choose_cache(struct explain_holder *holder,
			 const struct explain_facts *facts)
{
	static const enum memory_head_id ids[] = { MEMORY_HEAD_BLOCK_CACHE,
						   MEMORY_HEAD_FILE_CACHE };

	for (size_t i = 0; i < 2 && !holder->has_head; i++) {
		const struct memory_head *head = &facts->heads.heads[ids[i]];

		if (head->known && !explain_is_usual(facts, ids[i]) &&
		    head->pages > facts->heads.total / LARGE_PART)
			take_head(holder, ids[i],
				  explain_bytes(facts, head->pages));
	}
}

void explain_holder_choose(struct explain_holder *holder,
			   const struct explain_facts *facts)
{
	*holder = (struct explain_holder){ .head = MEMORY_HEADS };
	take_available(holder, facts);
	choose_near(holder, facts);
	if (holder->state == EXPLAIN_NEAR)
		return;
	if (!facts->has_memory || facts->is_dump)
		return;
	choose_low_host(holder, facts);
	if (may_be_large(facts))
		choose_large(holder, facts);
	if (holder->state != EXPLAIN_UNKNOWN || !holder->has_available ||
	    facts->heads.contradiction)
		return;
	holder->state = EXPLAIN_FINE;
	choose_swap(holder, facts);
	if (!holder->has_head)
		choose_full(holder, facts);
	if (!holder->has_head && !holder->limited)
		choose_names(holder, facts);
	if (!holder->has_head && !holder->limited)
		choose_cache(holder, facts);
}

/* A thing that is found is better than a process that maps something. */
static int rank_of(const struct memory_owner_info *info)
{
	/* Who is swapped out can be ended, and a zram device cannot. */
	if (info->head == MEMORY_HEAD_COMPRESSED)
		return info->kind == MEMORY_OWNER_PROCESS ? 2 : 1;
	switch (info->kind) {
	case MEMORY_OWNER_CGROUP:
	case MEMORY_OWNER_SITE: /* of any head */
		return 0;
	case MEMORY_OWNER_TMPFS:
		return info->head == MEMORY_HEAD_SHARED ? 2 : 0;
	case MEMORY_OWNER_PROCESS:
		return 1;
	case MEMORY_OWNER_BPF:
	case MEMORY_OWNER_PIN:
	case MEMORY_OWNER_OTHER_BPF:
		return 4; /* all of them have the same callers */
	default:
		return 3;
	}
}

/*
 * Whether zram has what is swapped out, and little else: else who is swapped
 * out need not be there. They are not of one instant.
 */
static bool is_swap_in_zram(const struct explain_facts *facts)
{
	const struct meminfo *meminfo = &facts->buffers.meminfo;
	const int64_t stored = explain_bytes(
		facts, memory_get(&facts->memory.fields, MEMORY_ZRAM_STORED));
	int64_t total, unused;

	return meminfo_bytes(meminfo, MEMINFO_SWAP_TOTAL, &total) &&
	       meminfo_bytes(meminfo, MEMINFO_SWAP_FREE, &unused) &&
	       llabs(total - unused - stored) <= stored / 10;
}

/* The first, but for the root of a live system: that is not to be named. */
static const struct memory_owner *first_of(const struct memory_owner_list *list,
					   const struct memory_owner_info *info,
					   const struct explain_facts *facts)
{
	const struct memory_owner *owner = list->owners;

	if (info->kind == MEMORY_OWNER_TMPFS && facts->root_bytes &&
	    strcmp(owner->name, "/") == 0)
		return list->count > 1 ? owner + 1 : NULL;
	return owner;
}

static void find_owner(struct explain_holder *holder,
		       const struct explain_facts *facts)
{
	int best = 0;

	for (size_t i = 0; i < MEMORY_OWNER_LISTS; i++) {
		const struct memory_owner_info *info = memory_owner_info(i);
		const struct memory_owner_list *list = &facts->owners.lists[i];
		const struct memory_owner *owner;
		int rank = rank_of(info);

		if (info->head != holder->head || !list->count || !rank ||
		    rank < best)
			continue;
		if (holder->has_swap ?
			    info->kind != MEMORY_OWNER_PROCESS :
			    info->head == MEMORY_HEAD_COMPRESSED &&
				    info->kind == MEMORY_OWNER_PROCESS &&
				    !is_swap_in_zram(facts))
			continue;
		owner = first_of(list, info, facts);
		/* It must be of the cgroup. */
		if (holder->limited)
			owner = facts->limited_owners[i];
		if (!owner || owner->bytes < holder->head_bytes / HOLDER_PART ||
		    (rank == best && owner->bytes <= holder->bytes))
			continue;
		best = rank;
		holder->owner = owner;
		holder->list = i;
		holder->bytes = owner->bytes;
	}
}

/* Pages of a pool that no program can have. */
static bool are_idle(const struct explain_holder *holder,
		     const struct explain_facts *facts)
{
	return holder->head == MEMORY_HEAD_HUGE_PAGES &&
	       explain_bytes(facts,
			     facts->heads.heads[holder->head].reclaimable) >
		       holder->head_bytes / 2;
}

static void find_cgroup(struct explain_holder *holder,
			const struct explain_facts *facts)
{
	struct explain_verdict verdict;

	explain_verdict_init(&verdict, facts);
	if (verdict.largest != holder->head || !verdict.owner ||
	    verdict.owner_bytes < holder->head_bytes / HOLDER_PART)
		return;
	holder->cgroup = verdict.owner;
	holder->bytes = verdict.owner_bytes;
}

static void find_device(struct explain_holder *holder,
			const struct explain_facts *facts)
{
	int64_t bytes = largest_device_bytes(facts);

	if (bytes < holder->head_bytes / 2)
		return;
	holder->device = facts->devices;
	holder->bytes = bytes;
}

/* Only a file that nobody finds by its name is worth a word. */
static void find_file(struct explain_holder *holder,
		      const struct explain_facts *facts)
{
	for (size_t i = 0; i < facts->files.count; i++) {
		const struct cached_file *file = &facts->files.files[i];
		int64_t bytes = (int64_t)(file->pages * facts->files.page_size);

		if (!file->is_deleted || file->is_own || !file->path ||
		    bytes < holder->total_bytes / LARGE_PART)
			continue;
		holder->file = file;
		holder->bytes = bytes;
		return;
	}
}

void explain_holder_init(struct explain_holder *holder,
			 const struct explain_facts *facts)
{
	explain_holder_choose(holder, facts);
	if (!holder->has_head)
		return;
	if (holder->head == MEMORY_HEAD_BLOCK_CACHE)
		find_device(holder, facts);
	else if (holder->head == MEMORY_HEAD_FILE_CACHE)
		find_file(holder, facts);
	else if (are_idle(holder, facts))
		holder->has_idle_pages = true;
	else if (!holder->has_names)
		find_owner(holder, facts);
	if (!holder->owner && !holder->limited && !holder->has_idle_pages &&
	    holder->state >= EXPLAIN_LARGE)
		find_cgroup(holder, facts);
	/* Nothing to say of a cache that nobody stands for. */
	if (holder->state < EXPLAIN_LARGE && !holder->device && !holder->file &&
	    !holder->has_names && !holder->has_swap)
		holder->has_head = false;
}

bool explain_may_be_usual(const struct explain_holder *holder,
			  const struct explain_facts *facts)
{
	int64_t used;

	return holder->has_head && !holder->limited && !holder->file &&
	       holder->state != EXPLAIN_NEAR && holder->has_available &&
	       !facts->heads.contradiction && !facts->cgroups.limits.low_zone &&
	       !is_swap_full(&facts->buffers.meminfo, &used);
}

bool explain_holder_is_root(const struct explain_holder *holder)
{
	return holder->owner &&
	       memory_owner_info(holder->list)->kind == MEMORY_OWNER_TMPFS &&
	       strcmp(holder->owner->name, "/") == 0;
}

const char *explain_holder_about(const struct explain_holder *holder)
{
	if (!holder->has_head)
		return NULL;
	return holder->has_swap ? "swap" : memory_owners_head_key(holder->head);
}

enum explain_hidden explain_holder_hidden(const struct explain_holder *holder,
					  const struct explain_facts *facts)
{
	if (!holder->has_head || holder->owner || holder->cgroup ||
	    holder->device || holder->file || holder->has_idle_pages ||
	    holder->has_names || holder->has_swap || facts->is_captured)
		return EXPLAIN_HIDDEN_NOT;
	if (geteuid() != 0)
		return EXPLAIN_HIDDEN_TO_USER;
	if (facts->sees_processes || !memory_owners_are_processes(holder->head))
		return EXPLAIN_HIDDEN_NOT;
	return EXPLAIN_HIDDEN_OUTSIDE;
}

unsigned int explain_holder_pid(const struct explain_holder *holder,
				const struct explain_facts *facts)
{
	if (holder->owner && holder->owner->pid)
		return holder->owner->pid;
	if (holder->device && holder->device->opener_count)
		return holder->device->openers->pid;
	return holder->owner || holder->file ? facts->user_pid : 0;
}
