// SPDX-License-Identifier: GPL-2.0-or-later
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "lib/lesser.h"
#include "lib/number.h"
#include "memory/give_back.h"
#include "memory/memory_heads.h"

/* A struct dentry is 192 bytes on 64 bits, from Linux 5.10 to 7.3. */
#define DENTRY_BYTES 192
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

/* Text for a size in pages. */
static const char *size_of(const struct memory_reading *reading, int64_t pages,
			   char text[SIZE_TEXT_LENGTH])
{
	return size_text(pages * (int64_t)reading->page_size, text);
}

__attribute__((format(printf, 3, 4))) static void
add_text(char *text, size_t room, const char *format, ...)
{
	size_t used = strlen(text);
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(text + used, room - used, format, arguments);
	va_end(arguments);
}

/* Adds "mapped 12M" to what holds the rest, if it is anything. */
static void add_holder(struct give_back *action,
		       const struct memory_reading *reading, const char *what,
		       int64_t pages)
{
	char text[SIZE_TEXT_LENGTH];

	if (pages > 0)
		add_text(action->holds, sizeof(action->holds), "%s%s %s",
			 *action->holds ? ", " : "", what,
			 size_of(reading, pages, text));
}

static struct give_back *add_action(struct give_backs *table, const char *key,
				    int64_t low, int64_t high)
{
	struct give_back *action = &table->actions[table->count++];

	action->key = key;
	action->high = greater(high, 0);
	action->low = lesser(greater(low, 0), action->high);
	return action;
}

/* Without the lists, nothing is known of what drop_caches frees. */
static bool has_file_lists(const struct memory_reading *reading)
{
	return memory_has(&reading->fields, MEMORY_NR_ACTIVE_FILE) &&
	       memory_has(&reading->fields, MEMORY_NR_INACTIVE_FILE);
}

/* What drop_caches looks at: the lists of file pages, without locked ones. */
static int64_t file_lists(const struct memory_reading *reading)
{
	return get(reading, MEMORY_NR_ACTIVE_FILE) +
	       get(reading, MEMORY_NR_INACTIVE_FILE);
}

static int64_t unclean(const struct memory_reading *reading)
{
	return get(reading, MEMORY_NR_DIRTY) +
	       get(reading, MEMORY_NR_WRITEBACK);
}

/*
 * Mapped pages on those lists, at least: the kernel counts mapped shared memory
 * and locked pages with them, and those are on other lists.
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
		       const struct memory_reading *reading)
{
	int64_t lists = file_lists(reading);
	int64_t mapped = get(reading, MEMORY_NR_MAPPED);
	/* A page may be dirty and mapped. */
	int64_t high =
		lists - greater(mapped_at_least(reading), unclean(reading));
	struct give_back *action;

	action =
		add_action(table, "drop_1",
			   lists - mapped - unclean(reading) - orphans(reading),
			   high + kept_beside(reading, high));
	strcpy(action->action, "drop_caches=1");
	strcpy(action->command, DROP "1");
	add_text(action->cost, sizeof(action->cost),
		 "what went is read again when used");
	add_holder(action, reading, "dirty", unclean(reading));
	add_holder(action, reading, "mapped", mapped);
	add_holder(action, reading, "locked", get(reading, MEMORY_NR_MLOCK));
}

static void add_sync(struct give_backs *table,
		     const struct memory_reading *reading)
{
	int64_t lists = file_lists(reading);
	int64_t mapped = get(reading, MEMORY_NR_MAPPED);
	int64_t high = lists - mapped_at_least(reading);
	char text[SIZE_TEXT_LENGTH];
	struct give_back *action;

	action = add_action(table, "sync_drop_1",
			    lists - mapped - orphans(reading),
			    high + kept_beside(reading, high));
	strcpy(action->action, "sync, drop_caches=1");
	strcpy(action->command, "sync; " DROP "1");
	add_text(action->cost, sizeof(action->cost),
		 "writes %s; what went is read again when used",
		 size_of(reading, unclean(reading), text));
	add_holder(action, reading, "mapped", mapped);
	add_holder(action, reading, "locked", get(reading, MEMORY_NR_MLOCK));
}

/*
 * Unused dentries go, and the inodes that nobody else has; dentries in use
 * stay. How full the pages of slab are is known only to root; without, the
 * bounds are wide.
 */
static void add_drop_2(struct give_backs *table,
		       const struct memory_reading *reading)
{
	int64_t a_page = (int64_t)reading->page_size / DENTRY_BYTES;
	int64_t count = get(reading, MEMORY_DENTRY_COUNT);
	int64_t unused = get(reading, MEMORY_DENTRY_UNUSED);
	int64_t inodes = get(reading, MEMORY_SLAB_INODES);
	int64_t dentries = unused / a_page;
	int64_t high = get(reading, MEMORY_NR_SLAB_RECLAIMABLE) -
		       greater(count - unused, 0) / a_page +
		       get(reading, MEMORY_NR_MISC_RECLAIMABLE);
	int64_t low = dentries;
	struct give_back *action;

	if (!memory_has(&reading->fields, MEMORY_NR_SLAB_RECLAIMABLE))
		return;
	if (memory_has(&reading->fields, MEMORY_SLAB_INODES) && count) {
		/* As many of the inodes as of the dentries are unused. */
		low += (int64_t)((double)inodes * (double)unused /
				 (double)count);
		high = lesser(high, dentries + inodes +
					    get(reading,
						MEMORY_NR_MISC_RECLAIMABLE)) +
		       inodes / BESIDE_INODE;
	}
	action = add_action(table, "drop_2", low, high);
	strcpy(action->action, "drop_caches=2");
	strcpy(action->command, DROP "2");
	add_text(action->cost, sizeof(action->cost),
		 "names and inodes are looked up again; older kernels drop "
		 "those inodes' clean pages too");
	if (count > unused)
		add_text(action->holds, sizeof(action->holds),
			 "%lld of %lld names are in use",
			 (long long)(count - unused), (long long)count);
}

static void add_pool(struct give_backs *table,
		     const struct memory_reading *reading,
		     const struct memory_pool *pool)
{
	int64_t pages = (int64_t)(pool->size_kib * 1024 / reading->page_size);
	int64_t spare = pool->free - pool->reserved;
	char text[SIZE_TEXT_LENGTH];
	struct give_back *action;

	if (!pool->total)
		return;
	action = add_action(table, "shrink_pool", spare * pages, spare * pages);
	snprintf(action->action, sizeof(action->action), "fewer %s pages",
		 size_text((int64_t)pool->size_kib * 1024, text));
	snprintf(action->command, sizeof(action->command),
		 "echo %lld > /sys/kernel/mm/hugepages/hugepages-%llukB/"
		 "nr_hugepages",
		 (long long)(pool->total - pool->surplus - spare),
		 (unsigned long long)pool->size_kib);
	add_text(action->cost, sizeof(action->cost),
		 "no spare huge pages of this size");
	add_holder(action, reading, "used", (pool->total - pool->free) * pages);
	add_holder(action, reading, "reserved", pool->reserved * pages);
}

/* Anonymous pages and shared memory are on the same lists. */
static void add_swap(struct give_backs *table,
		     const struct memory_reading *reading)
{
	int64_t lists = get(reading, MEMORY_NR_ACTIVE_ANON) +
			get(reading, MEMORY_NR_INACTIVE_ANON);
	int64_t room = get(reading, MEMORY_SWAP_FREE);
	struct give_back *action;

	if (!memory_has(&reading->fields, MEMORY_NR_ACTIVE_ANON) ||
	    !memory_has(&reading->fields, MEMORY_NR_INACTIVE_ANON) ||
	    !memory_has(&reading->fields, MEMORY_SWAP_FREE))
		return;
	action = add_action(table, "swap", 0, lesser(lists, room));
	strcpy(action->action, "swap");
	add_text(action->cost, sizeof(action->cost),
		 "written to swap, read back when used; zram gives back only "
		 "what it compresses");
	if (lists > room)
		add_holder(action, reading,
			   room ? "no swap left for" : "no swap for",
			   lists - room);
	add_holder(action, reading, "locked", get(reading, MEMORY_NR_MLOCK));
}

void give_backs_init(struct give_backs *table,
		     const struct memory_reading *reading)
{
	*table = (struct give_backs){ 0 };
	if (has_file_lists(reading)) {
		add_drop_1(table, reading);
		add_sync(table, reading);
	}
	add_drop_2(table, reading);
	for (size_t i = 0; i < reading->pool_count; i++)
		add_pool(table, reading, &reading->pools[i]);
	add_swap(table, reading);
}

static int64_t spare_of_pools(const struct memory_reading *reading)
{
	int64_t pages = 0;

	for (size_t i = 0; i < reading->pool_count; i++) {
		const struct memory_pool *pool = &reading->pools[i];

		pages += (pool->free - pool->reserved) *
			 (int64_t)(pool->size_kib * 1024 / reading->page_size);
	}
	return pages;
}

/*
 * Of heads that give back from one source, such as swap, no more goes in all
 * than is in that source.
 */
static int64_t kept_of(const struct memory_heads *heads,
		       enum memory_head_id first, enum memory_head_id second,
		       int64_t most)
{
	int64_t pages = greater(heads->heads[first].pages, 0) +
			greater(heads->heads[second].pages, 0);

	return most < 0 ? 0 : greater(pages - most, 0);
}

static int64_t add_up_kept(const struct memory_heads *heads, int64_t cache,
			   int64_t swap)
{
	int64_t pages =
		kept_of(heads, MEMORY_HEAD_PROGRAMS, MEMORY_HEAD_SHARED, swap) +
		kept_of(heads, MEMORY_HEAD_FILE_CACHE, MEMORY_HEAD_BLOCK_CACHE,
			cache);

	for (enum memory_head_id id = MEMORY_HEAD_SWAP_CACHE;
	     id < MEMORY_HEAD_FREE_PER_CPU; id++) {
		const struct memory_head *head = &heads->heads[id];

		if (head->known && head->reclaimable >= 0)
			pages += greater(head->pages - head->reclaimable, 0);
	}
	return pages;
}

void give_back_of_heads(struct memory_heads *heads,
			const struct memory_reading *reading)
{
	int64_t cache =
		has_file_lists(reading) ?
			greater(file_lists(reading) - mapped_at_least(reading),
				0) :
			-1;
	int64_t swap = memory_has(&reading->fields, MEMORY_SWAP_FREE) ?
			       get(reading, MEMORY_SWAP_FREE) :
			       -1;
	const struct {
		enum memory_head_id id;
		int64_t most; /* -1: not known */
	} givers[] = {
		{ MEMORY_HEAD_PROGRAMS, swap },
		{ MEMORY_HEAD_SHARED, swap },
		{ MEMORY_HEAD_FILE_CACHE, cache },
		{ MEMORY_HEAD_BLOCK_CACHE, cache },
		{ MEMORY_HEAD_SWAP_CACHE, INT64_MAX },
		{ MEMORY_HEAD_SLAB_RECLAIMABLE, INT64_MAX },
		{ MEMORY_HEAD_KERNEL_RECLAIMABLE, INT64_MAX },
		{ MEMORY_HEAD_HUGE_PAGES, spare_of_pools(reading) },
		{ MEMORY_HEAD_GPU, get(reading, MEMORY_NR_GPU_RECLAIM) },
		{ MEMORY_HEAD_ZFS, -1 },
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
	heads->kept = add_up_kept(heads, cache, swap);
}
