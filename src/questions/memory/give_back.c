// SPDX-License-Identifier: GPL-2.0-or-later
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "lib/lesser.h"
#include "lib/number.h"
#include "lib/sentence.h"
#include "memory/give_back.h"
#include "memory/memory_heads.h"
#include "memory/reserve.h"

/*
 * Security modules keep up to 200 bytes with each inode of 1,000, in a cache
 * that may have no name of its own (measured on 6.12 and 7.3).
 */
#define BESIDE_INODE 5

#define DROP "sysctl vm.drop_caches="

static int64_t get(const struct memory_reading *reading,
		   enum memory_field field)
{
	return memory_get(&reading->fields, field);
}

#define SIZE_OF(reading, pages) SIZE((pages) * (int64_t)(reading)->page_size)

/* Adds "mapped 12M" to what holds the rest, if it is anything. */
static void add_holder(struct give_back *action,
		       const struct memory_reading *reading, const char *what,
		       int64_t pages)
{
	if (pages > 0)
		ADD_TEXT(action->holds, "%s%s %s", *action->holds ? ", " : "",
			 what, SIZE_OF(reading, pages));
}

const char *give_back_key(enum give_back_id id)
{
	static const char *const keys[] = {
		[GIVE_BACK_DROP_1] = "drop_1",
		[GIVE_BACK_SYNC_DROP_1] = "sync_drop_1",
		[GIVE_BACK_DROP_2] = "drop_2",
		[GIVE_BACK_SHRINK_ZFS] = "shrink_zfs",
		[GIVE_BACK_LOWER_RESERVE] = "lower_reserve",
		[GIVE_BACK_SHRINK_POOL] = "shrink_pool",
		[GIVE_BACK_SWAP] = "swap",
	};

	return keys[id];
}

static struct give_back *add_action(struct give_backs *table,
				    enum give_back_id id, int64_t low,
				    int64_t high)
{
	struct give_back *action = &table->actions[table->count++];

	action->id = id;
	action->high = greater(high, 0);
	action->low = lesser(greater(low, 0), action->high);
	return action;
}

/*
 * The lists, active and inactive, of anonymous pages and shared memory, or of
 * file pages, without locked ones. Without them nothing is known of what goes.
 */
static bool has_lists(const struct memory_reading *reading,
		      enum memory_field active)
{
	return memory_has(&reading->fields, active) &&
	       memory_has(&reading->fields, active + 1);
}

static int64_t lists(const struct memory_reading *reading,
		     enum memory_field active)
{
	return get(reading, active) + get(reading, active + 1);
}

/* What of file pages no file has: programs have freed it lazily (MADV_FREE). */
static int64_t lazily_freed(const struct memory_reading *reading)
{
	int64_t lag = memory_overlap_bound(reading);
	int64_t pages =
		lists(reading, MEMORY_NR_ACTIVE_FILE) -
		(get(reading, MEMORY_NR_FILE) - get(reading, MEMORY_NR_SHMEM) -
		 get(reading, MEMORY_NR_SWAP_CACHED));

	if (!memory_has(&reading->fields, MEMORY_NR_FILE))
		return 0;
	return pages > (lag == INT64_MAX ? 0 : lag) ? pages : 0;
}

/*
 * How many anonymous pages swap has room for; -1: not known. A page that
 * is in the swap cache has its place in swap and needs no other.
 */
static int64_t swap_room(const struct memory_reading *reading)
{
	return memory_has(&reading->fields, MEMORY_SWAP_FREE) ?
		       get(reading, MEMORY_SWAP_FREE) +
			       get(reading, MEMORY_NR_SWAP_CACHED) :
		       -1;
}

/*
 * Mapped pages of files, at least: the kernel counts mapped shared memory and
 * locked pages with them, and those are on other lists.
 */
static int64_t mapped_at_least(const struct memory_reading *reading)
{
	return greater(get(reading, MEMORY_NR_MAPPED) -
			       get(reading, MEMORY_NR_SHMEM) -
			       get(reading, MEMORY_NR_MLOCK),
		       0);
}

/* Pages on a list that no cache has any more: they stay until their user ends. */
static int64_t orphans(const struct memory_reading *reading)
{
	int64_t overlap;

	if (!memory_overlap(reading, &overlap))
		return 0;
	return -overlap > memory_overlap_bound(reading) ? -overlap : 0;
}

/*
 * What the kernel keeps beside so many cached pages, at most: a buffer head for
 * each block of 1 KiB, and a node of the tree for 64 pages. Root knows how
 * large those slab caches are.
 */
static int64_t kept_beside(const struct memory_reading *reading, int64_t pages)
{
	int64_t most = pages / 9;

	if (memory_has(&reading->fields, MEMORY_SLAB_CACHE_TREES))
		most = lesser(most, get(reading, MEMORY_SLAB_CACHE_TREES));
	return lesser(most, get(reading, MEMORY_NR_SLAB_RECLAIMABLE));
}

static void add_drop_1(struct give_backs *table,
		       const struct memory_reading *reading, bool is_synced)
{
	int64_t all = lists(reading, MEMORY_NR_ACTIVE_FILE);
	int64_t mapped = get(reading, MEMORY_NR_MAPPED);
	int64_t dirty = is_synced ? 0 : memory_unclean(&reading->fields);
	/* A page may be dirty and mapped. */
	int64_t high = all - greater(mapped_at_least(reading), dirty);
	struct give_back *action = add_action(
		table, is_synced ? GIVE_BACK_SYNC_DROP_1 : GIVE_BACK_DROP_1,
		all - mapped - dirty -
			greater(orphans(reading), lazily_freed(reading)),
		high + kept_beside(reading, high));
	strcpy(action->action,
	       is_synced ? "sync, drop_caches=1" : "drop_caches=1");
	strcpy(action->command, is_synced ? "sync; " DROP "1" : DROP "1");
	if (is_synced)
		ADD_TEXT(action->cost, "writes %s; ",
			 SIZE_OF(reading, memory_unclean(&reading->fields)));
	ADD_TEXT(action->cost, "what went is read again when used");
	add_holder(action, reading, "dirty", dirty);
	add_holder(action, reading, "mapped", mapped);
	add_holder(action, reading, "locked", get(reading, MEMORY_NR_MLOCK));
}

int64_t give_back_of_zfs(const struct memory_reading *reading)
{
	return greater(get(reading, MEMORY_ARC_SIZE) -
			       get(reading, MEMORY_ARC_MIN),
		       0);
}

int64_t give_back_of_gpu(const struct memory_heads *heads,
			 const struct memory_reading *reading)
{
	int64_t pages = get(reading, MEMORY_NR_GPU_RECLAIM);

	return heads->wrong == MEMORY_HEAD_GPU ?
		       lesser(pages, greater(heads->rest, 0)) :
		       pages;
}

static bool has_xfs(const struct memory_reading *reading)
{
	return get(reading, MEMORY_XFS_MOUNTS) ||
	       get(reading, MEMORY_XFS_BUFFERS);
}

/*
 * Every cache with a shrinker, in pages, at most: slab without names in use,
 * what security modules keep with inodes, and caches outside slab.
 */
static int64_t shrinkers_high(const struct memory_reading *reading,
			      const struct memory_heads *heads,
			      int64_t names_in_use)
{
	int64_t slab = greater(
		get(reading, MEMORY_NR_SLAB_RECLAIMABLE) - names_in_use, 0);
	int64_t pages = slab + slab / BESIDE_INODE +
			get(reading, MEMORY_NR_MISC_RECLAIMABLE) +
			give_back_of_gpu(heads, reading) +
			get(reading, MEMORY_DM_BUFIO) +
			get(reading, MEMORY_TTM_POOL) +
			give_back_of_zfs(reading);

	/* How much of its cache ZFS keeps is not known. */
	if (heads->heads[MEMORY_HEAD_ZFS].known &&
	    !memory_has(&reading->fields, MEMORY_ARC_SIZE))
		return -1;
	if (!has_xfs(reading))
		return pages;
	/* No count has its buffers, so they are in what is unaccounted. */
	return heads->has_rest && heads->uncertainty >= 0 ?
		       pages + greater(heads->rest, 0) + heads->uncertainty :
		       -1;
}

/*
 * Unused dentries go, and the inodes that nobody else has; dentries in use
 * stay. How full the pages of slab are is known only to root; without, the
 * bounds are wide.
 */
static void add_drop_2(struct give_backs *table,
		       const struct memory_reading *reading,
		       const struct memory_heads *heads)
{
	int64_t a_page = (int64_t)reading->page_size / DENTRY_BYTES;
	int64_t count = get(reading, MEMORY_DENTRY_COUNT);
	int64_t unused = get(reading, MEMORY_DENTRY_UNUSED);
	int64_t high = shrinkers_high(reading, heads,
				      greater(count - unused, 0) / a_page);
	int64_t low = unused / a_page;
	struct give_back *action;

	if (!memory_has(&reading->fields, MEMORY_NR_SLAB_RECLAIMABLE))
		return;
	/* As many of the inodes as of the dentries are unused. */
	if (count)
		low += (int64_t)((double)get(reading, MEMORY_SLAB_INODES) *
				 (double)unused / (double)count);
	action = add_action(table, GIVE_BACK_DROP_2,
			    lesser(low,
				   get(reading, MEMORY_NR_SLAB_RECLAIMABLE)),
			    high < 0 ? INT64_MAX : high);
	if (high < 0)
		action->high = -1;
	strcpy(action->action, "drop_caches=2");
	strcpy(action->command, DROP "2");
	ADD_TEXT(action->cost,
		 "names and inodes are looked up again; older kernels drop "
		 "those inodes' clean pages too%s",
		 has_xfs(reading) ?
			 "; XFS metadata that is not new goes too, uncounted" :
			 "");
	if (count > unused)
		ADD_TEXT(action->holds, "%lld of %lld names are in use",
			 (long long)(count - unused), (long long)count);
}

/* A limit that is not above c_min is ignored, and so is one below 64 MiB. */
static void add_zfs(struct give_backs *table,
		    const struct memory_reading *reading)
{
	const int64_t page_size = (int64_t)reading->page_size;
	int64_t limit = greater(get(reading, MEMORY_ARC_MIN) + 1,
				(INT64_C(64) << 20) / page_size);
	int64_t pages = get(reading, MEMORY_ARC_SIZE) - limit;
	struct give_back *action;

	if (pages <= 0)
		return;
	action = add_action(table, GIVE_BACK_SHRINK_ZFS, 0, pages);
	strcpy(action->action, "smaller ZFS cache");
	snprintf(action->command, sizeof(action->command),
		 "echo %" PRId64 " > /sys/module/zfs/parameters/zfs_arc_max",
		 limit * page_size);
	ADD_TEXT(action->cost,
		 "ZFS reads again what went, and keeps to this limit until it "
		 "is set back to 0");
}

#define FOR_ATOMIC "less is kept for what cannot wait, such as network cards"

/* It makes available larger, and nothing else. */
static void add_reserve(struct give_backs *table,
			const struct memory_reading *reading,
			enum reserve_cause cause)
{
	static const char *const commands[RESERVE_CAUSES] = {
		[RESERVE_MIN_FREE] = "sysctl vm.min_free_kbytes=",
		[RESERVE_EXTRA_FREE] = "sysctl vm.extra_free_kbytes=",
		[RESERVE_WATERMARK_SCALE] = "sysctl vm.watermark_scale_factor=",
		[RESERVE_LOWMEM] = "sysctl vm.lowmem_reserve_ratio=",
	};
	static const char *const costs[RESERVE_CAUSES] = {
		[RESERVE_MIN_FREE] = FOR_ATOMIC,
		[RESERVE_EXTRA_FREE] = FOR_ATOMIC,
		[RESERVE_WATERMARK_SCALE] =
			"the kernel begins later to reclaim, and programs may "
			"have to wait for it",
		[RESERVE_LOWMEM] = "less is kept for devices that reach low "
				   "memory only",
	};
	struct give_back *action;
	char usual[64];
	struct reserve reserve;

	if (!reserve_has(&reserve, reading, cause))
		return;
	action = add_action(table, GIVE_BACK_LOWER_RESERVE, 0, reserve.gain);
	strcpy(action->action, "smaller reserve");
	strcpy(action->command, commands[cause]);
	reserve_usual_setting(&reserve, reading, usual, sizeof(usual));
	ADD_TEXT(action->command, "%s", usual);
	ADD_TEXT(action->cost, "available grows, free does not; %s",
		 costs[cause]);
}

static void add_pool(struct give_backs *table,
		     const struct memory_reading *reading,
		     const struct memory_pool *pool)
{
	int64_t pages = (int64_t)(pool->size_kib * 1024 / reading->page_size);
	/* Those beyond the pool's own size go by themselves. */
	int64_t spare = lesser(pool->free - pool->reserved,
			       greater(pool->total - pool->surplus, 0));
	struct give_back *action;

	if (!pool->total)
		return;
	action = add_action(table, GIVE_BACK_SHRINK_POOL, spare * pages,
			    spare * pages);
	snprintf(action->action, sizeof(action->action), "fewer %s pages",
		 SIZE((int64_t)pool->size_kib * 1024));
	snprintf(action->command, sizeof(action->command),
		 "echo %lld > /sys/kernel/mm/hugepages/hugepages-%llukB/"
		 "nr_hugepages",
		 (long long)(pool->total - pool->surplus - spare),
		 (unsigned long long)pool->size_kib);
	ADD_TEXT(action->cost, "no spare huge pages of this size");
	add_holder(action, reading, "used", (pool->total - pool->free) * pages);
	add_holder(action, reading, "reserved", pool->reserved * pages);
}

static void add_swap(struct give_backs *table,
		     const struct memory_reading *reading)
{
	int64_t all = lists(reading, MEMORY_NR_ACTIVE_ANON);
	int64_t room = swap_room(reading);
	struct give_back *action;

	if (!has_lists(reading, MEMORY_NR_ACTIVE_ANON) || room < 0)
		return;
	action = add_action(table, GIVE_BACK_SWAP, 0, lesser(all, room));
	strcpy(action->action, "swap");
	ADD_TEXT(action->cost,
		 "written to swap, read back when used; zram gives back only "
		 "what it compresses");
	if (all > room)
		add_holder(action, reading,
			   room ? "no swap left for" : "no swap for",
			   all - room);
	add_holder(action, reading, "locked", get(reading, MEMORY_NR_MLOCK));
}

void give_backs_init(struct give_backs *table,
		     const struct memory_reading *reading,
		     const struct memory_heads *heads)
{
	*table = (struct give_backs){ 0 };
	if (has_lists(reading, MEMORY_NR_ACTIVE_FILE)) {
		add_drop_1(table, reading, false);
		add_drop_1(table, reading, true);
	}
	add_drop_2(table, reading, heads);
	add_zfs(table, reading);
	for (size_t i = 0; i < reading->pool_count; i++)
		add_pool(table, reading, &reading->pools[i]);
	add_swap(table, reading);
	for (enum reserve_cause cause = RESERVE_USUAL + 1;
	     cause < RESERVE_CAUSES; cause++)
		add_reserve(table, reading, cause);
}

/* Without sysfs, pages of other sizes than the default may be free, too. */
static int64_t spare_of_pools(const struct memory_reading *reading)
{
	int64_t pages = 0, others = get(reading, MEMORY_HUGETLB);

	for (size_t i = 0; i < reading->pool_count; i++) {
		const struct memory_pool *pool = &reading->pools[i];
		int64_t size =
			(int64_t)(pool->size_kib * 1024 / reading->page_size);

		pages += (pool->free - pool->reserved) * size;
		others -= pool->total * size;
	}
	return reading->pool_count && !reading->has_default_pool_only ?
		       pages :
		       pages + greater(others, 0);
}

/*
 * What reclaim leaves of programs, shared memory and caches, at least: pages on
 * the list that it does not scan, and what swap has no room for. Pages that are
 * in no cache any more may be on that list, too.
 */
static int64_t kept_on_lists(const struct memory_heads *heads,
			     const struct memory_reading *reading)
{
	int64_t pages = get(reading, MEMORY_NR_UNEVICTABLE);
	int64_t room = swap_room(reading);
	int64_t anon = has_lists(reading, MEMORY_NR_ACTIVE_ANON) ?
			       lists(reading, MEMORY_NR_ACTIVE_ANON) :
			       heads->heads[MEMORY_HEAD_PROGRAMS].pages +
				       heads->heads[MEMORY_HEAD_SHARED].pages -
				       pages;

	if (room >= 0)
		pages += greater(anon - room, 0);
	return greater(pages, heads->heads[MEMORY_HEAD_ORPHANS].pages);
}

/* What ZFS gives back of its cache in slab and in vmalloc, at most. */
static int64_t zfs_elsewhere(const struct memory_heads *heads,
			     const struct memory_reading *reading)
{
	int64_t pages =
		give_back_of_zfs(reading) - heads->heads[MEMORY_HEAD_ZFS].pages;

	return lesser(greater(pages, 0),
		      heads->heads[MEMORY_HEAD_SLAB_UNRECLAIMABLE].pages +
			      heads->heads[MEMORY_HEAD_VMALLOC].pages);
}

static int64_t add_up_kept(const struct memory_heads *heads,
			   const struct memory_reading *reading)
{
	int64_t pages = kept_on_lists(heads, reading);

	for (enum memory_head_id id = MEMORY_HEAD_SLAB_RECLAIMABLE;
	     id < MEMORY_HEAD_FREE_PER_CPU; id++) {
		const struct memory_head *head = &heads->heads[id];

		if (head->known && head->reclaimable >= 0)
			pages += greater(head->pages - head->reclaimable, 0);
	}
	return pages - zfs_elsewhere(heads, reading);
}

/*
 * What shared memory has on the lists, at most: programs' pages are there, but
 * for those that are locked or freed lazily.
 */
static int64_t shared_on_lists(const struct memory_heads *heads,
			       const struct memory_reading *reading)
{
	int64_t lag = memory_overlap_bound(reading);

	if (!has_lists(reading, MEMORY_NR_ACTIVE_ANON))
		return INT64_MAX;
	return greater(lists(reading, MEMORY_NR_ACTIVE_ANON) +
			       get(reading, MEMORY_NR_ISOLATED_ANON) +
			       get(reading, MEMORY_NR_MLOCK) +
			       lazily_freed(reading) +
			       (lag == INT64_MAX ? 0 : lag) -
			       heads->heads[MEMORY_HEAD_PROGRAMS].pages,
		       0);
}

void give_back_of_heads(struct memory_heads *heads,
			const struct memory_reading *reading)
{
	/* Reclaim takes mapped pages too, which drop_caches leaves. */
	int64_t cache = has_lists(reading, MEMORY_NR_ACTIVE_FILE) ?
				lists(reading, MEMORY_NR_ACTIVE_FILE) +
					get(reading, MEMORY_NR_ISOLATED_FILE) :
				-1;
	int64_t anon = has_lists(reading, MEMORY_NR_ACTIVE_ANON) ?
			       lists(reading, MEMORY_NR_ACTIVE_ANON) +
				       get(reading, MEMORY_NR_ISOLATED_ANON) :
			       INT64_MAX;
	int64_t swap = lesser(swap_room(reading), anon);
	const struct {
		enum memory_head_id id;
		int64_t most; /* -1: not known */
	} givers[] = {
		{ MEMORY_HEAD_PROGRAMS,
		  swap < 0 ? -1 : swap + lazily_freed(reading) },
		{ MEMORY_HEAD_SHARED,
		  lesser(swap, shared_on_lists(heads, reading)) },
		{ MEMORY_HEAD_FILE_CACHE, cache },
		{ MEMORY_HEAD_BLOCK_CACHE, cache },
		{ MEMORY_HEAD_SWAP_CACHE, INT64_MAX },
		{ MEMORY_HEAD_SLAB_RECLAIMABLE, INT64_MAX },
		{ MEMORY_HEAD_KERNEL_RECLAIMABLE, INT64_MAX },
		{ MEMORY_HEAD_HUGE_PAGES, spare_of_pools(reading) },
		{ MEMORY_HEAD_GPU, get(reading, MEMORY_NR_GPU_RECLAIM) },
		{ MEMORY_HEAD_ZFS,
		  memory_has(&reading->fields, MEMORY_ARC_SIZE) ?
			  give_back_of_zfs(reading) :
			  -1 },
		{ MEMORY_HEAD_COMPRESSED, -1 },
		{ MEMORY_HEAD_BALLOON, -1 },
	};

	/* Nothing can be got back of a kernel that no longer runs. */
	for (size_t i = 0; reading->is_dump && i < MEMORY_HEADS; i++)
		heads->heads[i].reclaimable = -1;
	if (reading->is_dump)
		return;
	for (size_t i = 0; i < sizeof(givers) / sizeof(*givers); i++) {
		struct memory_head *head = &heads->heads[givers[i].id];

		head->reclaimable =
			givers[i].most < 0 ?
				-1 :
				lesser(greater(head->pages, 0), givers[i].most);
	}
	heads->kept = add_up_kept(heads, reading);
}
