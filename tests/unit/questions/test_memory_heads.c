// SPDX-License-Identifier: GPL-2.0-or-later
#include <stdio.h>
#include <string.h>

#include "memory/available.h"
#include "memory/contradiction.h"
#include "memory/give_back.h"
#include "memory/memory_heads.h"
#include "memory/memory_reading.h"
#include "memory/memory_rows.h"
#include "test.h"

static void parse_vmstat(struct memory_fields *fields, const char *text)
{
	memory_parse_vmstat(fields, text, strlen(text));
}

static void parse_meminfo(struct memory_fields *fields, const char *text,
			  uint64_t page_size)
{
	memory_parse_meminfo(fields, text, strlen(text), page_size);
}

/* 1,000,000 pages, of which 10,000 anonymous and 50,000 cached. */
static struct memory_reading host(void)
{
	static const struct {
		enum memory_field field;
		int64_t pages;
	} fields[] = {
		{ MEMORY_TOTAL, 1000000 },
		{ MEMORY_ZONE_MANAGED, 1000000 },
		{ MEMORY_NR_FREE, 900000 },
		{ MEMORY_ZONE_FREE, 900000 },
		{ MEMORY_ZONE_PER_CPU, 5000 },
		{ MEMORY_ZONE_LAG, 50 },
		{ MEMORY_NR_ANON, 10000 },
		{ MEMORY_NR_FILE, 50000 },
		{ MEMORY_BUFFERS, 7000 },
		{ MEMORY_NR_SHMEM, 3000 },
		{ MEMORY_NR_SWAP_CACHED, 0 },
		{ MEMORY_NR_ACTIVE_ANON, 13000 },
		{ MEMORY_NR_INACTIVE_ANON, 0 },
		{ MEMORY_NR_ACTIVE_FILE, 20000 },
		{ MEMORY_NR_INACTIVE_FILE, 27000 },
		{ MEMORY_NR_UNEVICTABLE, 0 },
		{ MEMORY_NR_SLAB_RECLAIMABLE, 4000 },
		{ MEMORY_NR_SLAB_UNRECLAIMABLE, 3000 },
		{ MEMORY_VMALLOC_USED, 2000 },
		{ MEMORY_KERNEL_STACK, 500 },
		{ MEMORY_PERCPU, 300 },
		{ MEMORY_FIRST_CHUNK, 200 },
	};
	struct memory_reading reading = {
		.page_size = 4096,
		.processors = 2,
		.settled = true,
	};

	for (size_t i = 0; i < COUNT_OF(fields); i++)
		memory_set(&reading.fields, fields[i].field, fields[i].pages);
	return reading;
}

static struct memory_heads heads_of(const struct memory_reading *reading)
{
	struct memory_heads heads;

	memory_heads_init(&heads, reading);
	assert_int_equal(memory_heads_sum(&heads) + heads.rest, heads.total);
	return heads;
}

static void assert_head(const struct memory_heads *heads,
			enum memory_head_id id, int64_t pages)
{
	assert_true(heads->heads[id].known);
	assert_int_equal(heads->heads[id].pages, pages);
}

static void cached_pages_are_split_without_rest(void **state
						__attribute__((unused)))
{
	struct memory_reading reading = host();
	struct memory_heads heads = heads_of(&reading);

	assert_head(&heads, MEMORY_HEAD_FILE_CACHE, 40000);
	assert_head(&heads, MEMORY_HEAD_BLOCK_CACHE, 7000);
	assert_head(&heads, MEMORY_HEAD_SHARED, 3000);
	assert_head(&heads, MEMORY_HEAD_SWAP_CACHE, 0);
	assert_head(&heads, MEMORY_HEAD_ORPHANS, 0);
	assert_true(heads.has_rest);
	/* 900,000 + 5,000 + 60,000 + 7,000 + 2,000 + 100 are known. */
	assert_int_equal(heads.rest, 25900);
	assert_int_equal(heads.uncertainty, 50);
}

static void what_is_mapped_and_in_swap_counts_once(void **state
						   __attribute__((unused)))
{
	struct memory_reading reading = host();
	struct memory_heads heads;

	/* 6,000 pages in the swap cache; 4,000 of them are mapped again. */
	memory_set(&reading.fields, MEMORY_NR_FILE, 56000);
	memory_set(&reading.fields, MEMORY_NR_SWAP_CACHED, 6000);
	memory_set(&reading.fields, MEMORY_NR_ACTIVE_ANON, 15000);
	heads = heads_of(&reading);
	assert_head(&heads, MEMORY_HEAD_PROGRAMS, 10000);
	assert_head(&heads, MEMORY_HEAD_FILE_CACHE, 40000);
	assert_head(&heads, MEMORY_HEAD_SWAP_CACHE, 2000);
	assert_int_equal(heads.rest, 25900 - 2000);
}

static void what_is_in_no_cache_is_a_head(void **state __attribute__((unused)))
{
	struct memory_reading reading = host();
	int64_t bound = memory_overlap_bound(&reading);
	struct memory_heads heads;

	memory_set(&reading.fields, MEMORY_NR_INACTIVE_FILE, 27000 + 9000);
	heads = heads_of(&reading);
	assert_head(&heads, MEMORY_HEAD_ORPHANS, 9000);
	assert_int_equal(heads.rest, 25900 - 9000);

	/* Up to the bound it is what processors hold back. */
	memory_set(&reading.fields, MEMORY_NR_INACTIVE_FILE, 27000 + bound);
	heads = heads_of(&reading);
	assert_head(&heads, MEMORY_HEAD_ORPHANS, 0);
}

/*
 * A dump may lack what Buffers are added up from, and tells neither where a
 * balloon's pages are nor what could still be got back.
 */
static void what_a_dump_lacks_is_not_known(void **state __attribute__((unused)))
{
	struct memory_reading reading = host();
	struct memory_heads heads;

	reading.is_dump = true;
	heads = heads_of(&reading);
	assert_head(&heads, MEMORY_HEAD_FILE_CACHE, 40000);
	assert_true(heads.has_rest);
	assert_int_equal(heads.missing_from_total, -1);
	for (size_t i = 0; i < MEMORY_HEADS; i++)
		assert_int_equal(heads.heads[i].reclaimable, -1);

	/* No balloon is in nobody's way. */
	memory_set(&reading.fields, MEMORY_BALLOON, 0);
	heads = heads_of(&reading);
	assert_int_equal(heads.missing_from_total, 0);
	memory_set(&reading.fields, MEMORY_BALLOON, 700);
	heads = heads_of(&reading);
	assert_false(heads.heads[MEMORY_HEAD_BALLOON].known);
	assert_int_equal(heads.missing_from_total, -1);

	reading.fields.known[MEMORY_BUFFERS] = false;
	heads = heads_of(&reading);
	assert_false(heads.heads[MEMORY_HEAD_FILE_CACHE].known);
	assert_false(heads.heads[MEMORY_HEAD_BLOCK_CACHE].known);
	assert_false(heads.has_rest);
	assert_head(&heads, MEMORY_HEAD_SHARED, 3000);
}

static void a_negative_rest_is_shown(void **state __attribute__((unused)))
{
	struct memory_reading reading = host();
	struct memory_heads heads;

	memory_set(&reading.fields, MEMORY_ZONE_FREE, 930000);
	heads = heads_of(&reading);
	assert_int_equal(heads.rest, 25900 - 30000);
}

/* How far counts were apart is in no count's own lag. */
static void what_moved_meanwhile_is_uncertain(void **state
					      __attribute__((unused)))
{
	struct memory_reading reading = host();
	struct memory_heads heads;

	reading.spread_pages = 80;
	heads = heads_of(&reading);
	assert_int_equal(heads.uncertainty, 80);
	reading.spread_pages = 40;
	heads = heads_of(&reading);
	assert_int_equal(heads.uncertainty, 50);
	/* 16 pages for each processor. */
	reading.estimated_first_chunk = true;
	heads = heads_of(&reading);
	assert_int_equal(heads.uncertainty, 50 + 2 * 16);
	reading.fields.known[MEMORY_ZONE_LAG] = false;
	heads = heads_of(&reading);
	assert_int_equal(heads.uncertainty, -1);
}

static void another_total_has_no_rest(void **state __attribute__((unused)))
{
	struct memory_reading reading = host();
	struct memory_heads heads;

	memory_set(&reading.fields, MEMORY_TOTAL, 3000000);
	heads = heads_of(&reading);
	assert_false(heads.has_rest);
	/* A balloon may move a few pages between two reads. */
	memory_set(&reading.fields, MEMORY_TOTAL, 1001000);
	heads = heads_of(&reading);
	assert_true(heads.has_rest);
}

static void absent_is_not_zero(void **state __attribute__((unused)))
{
	struct memory_reading reading = host();
	struct memory_heads heads;

	heads = heads_of(&reading);
	assert_false(heads.heads[MEMORY_HEAD_GPU].known);
	assert_false(heads.heads[MEMORY_HEAD_COMPRESSED].known);
	reading.fields.known[MEMORY_NR_ANON] = false;
	heads = heads_of(&reading);
	assert_false(heads.heads[MEMORY_HEAD_PROGRAMS].known);
	assert_false(heads.has_rest);
}

static void stacks_count_once(void **state __attribute__((unused)))
{
	struct memory_reading reading = host();
	struct memory_heads heads = heads_of(&reading);

	assert_head(&heads, MEMORY_HEAD_VMALLOC, 2000);
	assert_false(heads.heads[MEMORY_HEAD_STACKS].known);

	/* The list has none: they are not allocated by vmalloc(). */
	reading.has_vmalloc = true;
	reading.vmalloc[MEMORY_VMALLOC_MODULES] = 2000;
	heads = heads_of(&reading);
	assert_head(&heads, MEMORY_HEAD_STACKS, 500);

	/* Linux 4.4 to 5.2: VmallocUsed is 0, but root has the list. */
	memory_set(&reading.fields, MEMORY_VMALLOC_USED, 0);
	heads = heads_of(&reading);
	assert_head(&heads, MEMORY_HEAD_VMALLOC, 2000);
	reading.has_vmalloc = false;
	heads = heads_of(&reading);
	assert_false(heads.heads[MEMORY_HEAD_VMALLOC].known);
	assert_head(&heads, MEMORY_HEAD_STACKS, 500);

	/* Before that, it is the size of address space. */
	memory_set(&reading.fields, MEMORY_VMALLOC_USED, 2000);
	memory_set(&reading.fields, MEMORY_VMALLOC_CHUNK, 1);
	heads = heads_of(&reading);
	assert_false(heads.heads[MEMORY_HEAD_VMALLOC].known);
}

static void zswap_counts_once(void **state __attribute__((unused)))
{
	struct memory_reading reading = host();
	struct memory_heads heads;

	/* In zsmalloc, beside zram. */
	memory_set(&reading.fields, MEMORY_NR_ZSPAGES, 5000);
	memory_set(&reading.fields, MEMORY_ZRAM, 3000);
	memory_set(&reading.fields, MEMORY_ZSWAP, 2000);
	heads = heads_of(&reading);
	assert_head(&heads, MEMORY_HEAD_COMPRESSED, 5000);
	/* In another allocator. */
	memory_set(&reading.fields, MEMORY_NR_ZSPAGES, 3000);
	heads = heads_of(&reading);
	assert_head(&heads, MEMORY_HEAD_COMPRESSED, 5000);
}

static void a_balloon_is_inside_or_outside(void **state __attribute__((unused)))
{
	struct memory_reading reading = host();
	struct memory_heads heads;

	/* Without its count nobody knows, and without vmstat not even if. */
	assert_int_equal(heads_of(&reading).missing_from_total, 0);
	reading.fields.is_of_meminfo[MEMORY_NR_FREE] = true;
	assert_int_equal(heads_of(&reading).missing_from_total, -1);
	reading.fields.is_of_meminfo[MEMORY_NR_FREE] = false;
	reading.balloon = MEMORY_BALLOON_OUTSIDE;
	assert_int_equal(heads_of(&reading).missing_from_total, -1);
	memory_set(&reading.fields, MEMORY_BALLOON_INFLATE, 9000);
	memory_set(&reading.fields, MEMORY_BALLOON_DEFLATE, 1000);
	heads = heads_of(&reading);
	assert_false(heads.heads[MEMORY_HEAD_BALLOON].known);
	assert_int_equal(heads.missing_from_total, 8000);
	reading.balloon = MEMORY_BALLOON_INSIDE;
	heads = heads_of(&reading);
	assert_head(&heads, MEMORY_HEAD_BALLOON, 8000);
	assert_int_equal(heads.missing_from_total, 0);
}

static void pools_have_every_size(void **state __attribute__((unused)))
{
	struct memory_reading reading = host();
	struct memory_heads heads;

	reading.pools[0] = (struct memory_pool){
		.size_kib = 2048, .total = 10, .free = 6, .reserved = 2
	};
	reading.pools[1] = (struct memory_pool){ .size_kib = 1048576,
						 .total = 1,
						 .free = 1 };
	reading.pool_count = 2;
	heads = heads_of(&reading);
	assert_head(&heads, MEMORY_HEAD_HUGE_PAGES, 10 * 512 + 262144);
	assert_int_equal(heads.heads[MEMORY_HEAD_HUGE_PAGES].reclaimable,
			 4 * 512 + 262144);
	assert_string_equal(heads.heads[MEMORY_HEAD_HUGE_PAGES].parts[0].label,
			    "2M pages: used");
	assert_int_equal(heads.heads[MEMORY_HEAD_HUGE_PAGES].parts[0].pages,
			 4 * 512);
	assert_int_equal(heads.heads[MEMORY_HEAD_HUGE_PAGES].parts[1].pages,
			 2 * 512);
	/* What is reserved is not free, though no page is used for it yet. */
	assert_int_equal(heads.heads[MEMORY_HEAD_HUGE_PAGES].parts[2].pages,
			 4 * 512);
}

static const struct give_back *find(const struct give_backs *table,
				    const char *key)
{
	for (size_t i = 0; i < table->count; i++) {
		if (strcmp(give_back_key(table->actions[i].id), key) == 0)
			return &table->actions[i];
	}
	fail_msg("no action %s", key);
	return NULL;
}

static void make_table(struct give_backs *table,
		       const struct memory_reading *reading)
{
	struct memory_heads heads;

	memory_heads_init(&heads, reading);
	give_backs_init(table, reading, &heads);
}

static void dropping_leaves_dirty_and_mapped_pages(void **state
						   __attribute__((unused)))
{
	struct memory_reading reading = host();
	const struct give_back *action;
	struct give_backs table;

	memory_set(&reading.fields, MEMORY_NR_DIRTY, 2000);
	memory_set(&reading.fields, MEMORY_NR_MAPPED, 8000);
	memory_set(&reading.fields, MEMORY_NR_MLOCK, 1000);
	/* A few pages of slab come with them. */
	memory_set(&reading.fields, MEMORY_SLAB_CACHE_TREES, 300);
	memory_set(&reading.fields, MEMORY_SWAP_FREE, 0);
	make_table(&table, &reading);
	/* 47,000 on the lists; 4,000 to 8,000 of them are mapped. */
	action = find(&table, "drop_1");
	assert_int_equal(action->low, 47000 - 8000 - 2000);
	assert_int_equal(action->high, 47000 - 4000 + 300);
	action = find(&table, "sync_drop_1");
	assert_int_equal(action->low, 47000 - 8000);
	assert_int_equal(action->high, 47000 - 4000 + 300);
	assert_string_equal(action->cost,
			    "writes 7.8M; what went is read again when used");
	action = find(&table, "swap");
	assert_int_equal(action->high, 0);
}

/* An action of which nothing is known is not one that frees nothing. */
static void unknown_actions_are_left_out(void **state __attribute__((unused)))
{
	struct memory_reading reading = { .page_size = 4096 };
	struct give_backs table;

	memory_set(&reading.fields, MEMORY_TOTAL, 1000);
	memory_set(&reading.fields, MEMORY_NR_MAPPED, 10);
	make_table(&table, &reading);
	assert_int_equal(table.count, 0);
}

/* 21 dentries are in a page. */
static void names_in_use_stay(void **state __attribute__((unused)))
{
	struct memory_reading reading = host();
	const struct give_back *action;
	struct give_backs table;

	memory_set(&reading.fields, MEMORY_DENTRY_COUNT, 22000);
	memory_set(&reading.fields, MEMORY_DENTRY_UNUSED, 1000);
	make_table(&table, &reading);
	action = find(&table, "drop_2");
	assert_int_equal(action->low, 1000 / 21);
	/* What security modules keep with inodes goes too. */
	assert_int_equal(action->high, (4000 - 21000 / 21) * 6 / 5);
	assert_string_equal(action->holds, "21000 of 22000 names are in use");
}

/* The fields are not of one instant: more names than slab has room for. */
static void least_is_never_above_most(void **state __attribute__((unused)))
{
	struct memory_reading reading = host();
	const struct give_back *action;
	struct give_backs table;

	memory_set(&reading.fields, MEMORY_DENTRY_COUNT, 210000);
	memory_set(&reading.fields, MEMORY_DENTRY_UNUSED, 210000);
	make_table(&table, &reading);
	action = find(&table, "drop_2");
	assert_int_equal(action->high, 4000 * 6 / 5);
	assert_int_equal(action->low, 4000);
	/* Nor is anything below nothing. */
	memory_set(&reading.fields, MEMORY_NR_DIRTY, 60000);
	make_table(&table, &reading);
	assert_int_equal(find(&table, "drop_1")->low, 0);
}

static void keeps_what_no_action_frees(void **state __attribute__((unused)))
{
	struct memory_reading reading = host();
	struct memory_heads heads;

	/* 10,000 of programs, 3,000 of tmpfs, 3,000 of slab, 2,100 others. */
	memory_set(&reading.fields, MEMORY_SWAP_FREE, 0);
	heads = heads_of(&reading);
	assert_int_equal(heads.kept, 10000 + 3000 + 3000 + 2000 + 100);
	/* Swap has room for both, once. */
	memory_set(&reading.fields, MEMORY_SWAP_FREE, 11000);
	heads = heads_of(&reading);
	assert_int_equal(heads.kept, 2000 + 3000 + 2000 + 100);
	/* Of 47,000 pages in two caches, 7,000 are locked or pinned. */
	memory_set(&reading.fields, MEMORY_NR_ACTIVE_FILE, 13000);
	memory_set(&reading.fields, MEMORY_NR_UNEVICTABLE, 7000);
	heads = heads_of(&reading);
	assert_int_equal(heads.kept, 7000 + 2000 + 3000 + 2000 + 100);
}

/* drop_caches leaves mapped pages; when memory is short, they go. */
static void reclaim_takes_mapped_pages(void **state __attribute__((unused)))
{
	struct memory_reading reading = host();
	struct memory_heads heads;
	struct give_backs table;

	memory_set(&reading.fields, MEMORY_NR_MAPPED, 20000);
	memory_set(&reading.fields, MEMORY_SWAP_FREE, 20000);
	heads = heads_of(&reading);
	assert_int_equal(heads.heads[MEMORY_HEAD_FILE_CACHE].reclaimable,
			 40000);
	assert_int_equal(heads.kept, 3000 + 2000 + 100);
	make_table(&table, &reading);
	assert_int_equal(find(&table, "drop_1")->low, 47000 - 20000);
}

/* 2,500 pages of tmpfs or a GPU driver are on the list that is not scanned. */
static void pinned_pages_stay(void **state __attribute__((unused)))
{
	struct memory_reading reading = host();
	int64_t lag = memory_overlap_bound(&reading);
	struct memory_heads heads;

	memory_set(&reading.fields, MEMORY_NR_ACTIVE_ANON, 13000 - 2500);
	memory_set(&reading.fields, MEMORY_NR_UNEVICTABLE, 2500);
	memory_set(&reading.fields, MEMORY_SWAP_FREE, 90000);
	heads = heads_of(&reading);
	assert_int_equal(heads.heads[MEMORY_HEAD_SHARED].reclaimable,
			 3000 - 2500 + lag);
	assert_int_equal(heads.kept, 2500 + 3000 + 2000 + 100);
	/* As many are locked by mlock(2): they may be the programs'. */
	memory_set(&reading.fields, MEMORY_NR_MLOCK, 2500);
	heads = heads_of(&reading);
	assert_int_equal(heads.heads[MEMORY_HEAD_SHARED].reclaimable, 3000);
}

static void a_page_in_the_swap_cache_has_its_place(void **state
						   __attribute__((unused)))
{
	struct memory_reading reading = host();
	struct memory_heads heads;
	struct give_backs table;

	memory_set(&reading.fields, MEMORY_NR_FILE, 54000);
	memory_set(&reading.fields, MEMORY_NR_SWAP_CACHED, 4000);
	memory_set(&reading.fields, MEMORY_SWAP_FREE, 1000);
	heads = heads_of(&reading);
	assert_int_equal(heads.heads[MEMORY_HEAD_PROGRAMS].reclaimable, 5000);
	assert_int_equal(heads.kept, 13000 - 5000 + 3000 + 2000 + 100);
	make_table(&table, &reading);
	assert_int_equal(find(&table, "swap")->high, 5000);
}

/* MADV_FREE puts pages of programs on the lists of file pages. */
static void lazily_freed_pages_need_no_swap(void **state
					    __attribute__((unused)))
{
	struct memory_reading reading = host();
	struct memory_heads heads;
	struct give_backs table;

	memory_set(&reading.fields, MEMORY_NR_ACTIVE_ANON, 13000 - 6000);
	memory_set(&reading.fields, MEMORY_NR_ACTIVE_FILE, 20000 + 6000);
	memory_set(&reading.fields, MEMORY_SWAP_FREE, 0);
	heads = heads_of(&reading);
	assert_int_equal(heads.heads[MEMORY_HEAD_PROGRAMS].reclaimable, 6000);
	assert_int_equal(heads.kept, 7000 + 3000 + 2000 + 100);
	make_table(&table, &reading);
	/* drop_caches leaves them. */
	assert_int_equal(find(&table, "drop_1")->low, 47000);
}

static const struct memory_part *part_of(const struct memory_part *parts,
					 size_t count, const char *key)
{
	for (size_t i = 0; i < count; i++) {
		if (strcmp(parts[i].key, key) == 0)
			return &parts[i];
	}
	fail_msg("no part %s", key);
	return NULL;
}

/* Caches outside slab that drop_caches=2 empties, too. */
static void every_shrinker_is_in_the_bound(void **state __attribute__((unused)))
{
	struct memory_reading reading = host();
	const int64_t slab = 4000 * 6 / 5;
	const struct memory_part *part;
	struct memory_heads heads;
	struct give_backs table;

	memory_set(&reading.fields, MEMORY_SWAP_FREE, 90000);
	memory_set(&reading.fields, MEMORY_NR_GPU_ACTIVE, 500);
	memory_set(&reading.fields, MEMORY_NR_GPU_RECLAIM, 700);
	memory_set(&reading.fields, MEMORY_DM_BUFIO, 30);
	make_table(&table, &reading);
	assert_int_equal(find(&table, "drop_2")->high, slab + 700 + 30);
	/* All of ZFS's cache but its least; 1,500 pages of that in slab. */
	memory_set(&reading.fields, MEMORY_TOTAL, 1100000);
	memory_set(&reading.fields, MEMORY_ZONE_MANAGED, 1100000);
	memory_set(&reading.fields, MEMORY_ZFS, 78500);
	memory_set(&reading.fields, MEMORY_ARC_SIZE, 100000);
	memory_set(&reading.fields, MEMORY_ARC_MIN, 20000);
	make_table(&table, &reading);
	assert_int_equal(find(&table, "drop_2")->high, slab + 700 + 30 + 80000);
	assert_int_equal(find(&table, "shrink_zfs")->high, 79999);
	heads = heads_of(&reading);
	assert_int_equal(heads.heads[MEMORY_HEAD_ZFS].reclaimable, 78500);
	assert_int_equal(heads.heads[MEMORY_HEAD_GPU].reclaimable, 700);
	assert_int_equal(heads.kept, 3000 + 2000 + 100 + 500 - 1500);
	/* How much of its cache it would keep may be unknown. */
	reading.fields.known[MEMORY_ARC_SIZE] = false;
	make_table(&table, &reading);
	assert_int_equal(find(&table, "drop_2")->high, -1);
	reading.fields.known[MEMORY_ARC_SIZE] = true;
	/* An older ZFS does not say what it has outside slab. */
	reading.fields.known[MEMORY_ZFS] = false;
	heads = heads_of(&reading);
	assert_int_equal(heads.kept, 100 + 500);
	part = part_of(heads.rest_parts, heads.rest_part_count, "zfs");
	assert_int_equal(part->pages, 100000);
	assert_int_equal(part->bound, MEMORY_AT_MOST);
	/* A cache that is not above the smallest limit cannot be limited. */
	memory_set(&reading.fields, MEMORY_ARC_SIZE, 16384);
	make_table(&table, &reading);
	for (size_t i = 0; i < table.count; i++)
		assert_int_not_equal(table.actions[i].id, GIVE_BACK_SHRINK_ZFS);
}

/* Nobody counts XFS's buffers, but they are in what is unaccounted. */
static void the_rest_bounds_what_xfs_has(void **state __attribute__((unused)))
{
	struct memory_reading reading = host();
	const int64_t slab = 4000 * 6 / 5;
	const struct give_back *action;
	struct give_backs table;

	memory_set(&reading.fields, MEMORY_XFS_MOUNTS, 1);
	make_table(&table, &reading);
	action = find(&table, "drop_2");
	assert_int_equal(action->high, slab + 25900 + 50);
	assert_non_null(strstr(action->cost, "XFS metadata"));
	/* Where that is not known either, there is no bound. */
	memory_set(&reading.fields, MEMORY_ZONE_MANAGED, 2000000);
	make_table(&table, &reading);
	assert_int_equal(find(&table, "drop_2")->high, -1);
	memory_set(&reading.fields, MEMORY_XFS_MOUNTS, 0);
	make_table(&table, &reading);
	action = find(&table, "drop_2");
	assert_int_equal(action->high, slab);
	assert_null(strstr(action->cost, "XFS metadata"));
}

static void what_a_store_holds_is_said(void **state __attribute__((unused)))
{
	struct memory_reading reading = host();
	const struct memory_head *head;
	struct memory_heads heads;

	memory_set(&reading.fields, MEMORY_NR_ZSPAGES, 2048);
	memory_set(&reading.fields, MEMORY_ZRAM, 1024);
	memory_set(&reading.fields, MEMORY_ZRAM_STORED, 2560);
	memory_set(&reading.fields, MEMORY_ZSWAP, 1024);
	memory_set(&reading.fields, MEMORY_DENTRY_NEGATIVE, 42000);
	heads = heads_of(&reading);
	head = &heads.heads[MEMORY_HEAD_COMPRESSED];
	assert_string_equal(
		part_of(head->parts, head->part_count, "zram")->label,
		"zram, holding 10M (2.5 to 1)");
	/* Before Linux 5.19 what zswap holds is not known. */
	assert_string_equal(
		part_of(head->parts, head->part_count, "zswap")->label,
		"zswap");
	head = &heads.heads[MEMORY_HEAD_SLAB_RECLAIMABLE];
	assert_int_equal(part_of(head->parts, head->part_count,
				 "negative_dentries")
				 ->pages,
			 42000 * 192 / 4096);
}

/* What else may be in the rest: a line of a vendor, a balloon of unknown size. */
static void the_rest_is_named(void **state __attribute__((unused)))
{
	struct memory_reading reading = host();
	const struct memory_part *part;
	struct memory_heads heads;

	parse_meminfo(&reading.fields,
		      "Active: 9 kB\nDirectMap2M: 9 kB\nIonHeap: 0 kB\n"
		      "KgslPages: 8200 kB\nHugePages_Total: 9\n",
		      4096);
	reading.balloon = MEMORY_BALLOON_INSIDE;
	heads = heads_of(&reading);
	part = part_of(heads.rest_parts, heads.rest_part_count, "meminfo_line");
	assert_string_equal(part->label, "KgslPages of /proc/meminfo");
	assert_int_equal(part->pages, 2050);
	assert_int_equal(reading.fields.stray_count, 1);
	part = part_of(heads.rest_parts, heads.rest_part_count, "balloon");
	assert_int_equal(part->bound, MEMORY_UNKNOWN);
	/* It may be elsewhere, but no more of it is here than there is. */
	reading.fields.strays[0].pages = 25901;
	heads = heads_of(&reading);
	part = part_of(heads.rest_parts, heads.rest_part_count, "meminfo_line");
	assert_int_equal(part->pages, 25900);
	memory_set(&reading.fields, MEMORY_BALLOON, 900);
	heads = heads_of(&reading);
	assert_head(&heads, MEMORY_HEAD_BALLOON, 900);
	assert_int_equal(heads.rest_part_count, 1);
}

/* Lines that older kernels have, for what no later one counts so. */
static void lines_of_older_kernels_are_named(void **state
					     __attribute__((unused)))
{
	static const char *const texts[] = {
		"Quicklists: 40 kB\nSlab: 9 kB\nSUnreclaim: 9 kB\n",
		"MmapCopy: 40 kB\n", "Slab: 40 kB\n"
	};
	static const char *const names[] = { "Quicklists", "MmapCopy", "Slab" };

	for (size_t i = 0; i < COUNT_OF(texts); i++) {
		struct memory_fields fields = { 0 };

		parse_meminfo(&fields, texts[i], 4096);
		assert_int_equal(fields.stray_count, 1);
		assert_string_equal(fields.strays[0].name, names[i]);
		assert_int_equal(fields.strays[0].pages, 10);
	}
}

static void available_is_the_kernels_sum(void **state __attribute__((unused)))
{
	struct memory_reading reading = host();
	struct available available;

	memory_available(&available, &reading);
	assert_false(available.known);
	memory_set(&reading.fields, MEMORY_ZONE_RESERVE, 20000);
	memory_set(&reading.fields, MEMORY_ZONE_LOW, 10000);
	memory_available(&available, &reading);
	assert_true(available.known);
	/* Of 47,000 file pages 10,000 are kept, of 4,000 in slab half. */
	assert_int_equal(available.result,
			 900000 - 20000 + 47000 - 10000 + 4000 - 2000);
}

/* Since Linux 4.5 the reserve is taken off, before only the low watermarks. */
static void what_available_takes_off(void **state __attribute__((unused)))
{
	static const struct {
		int64_t said, reserve;
	} kernels[] = {
		{ 919000, 20000 },
		{ 919000 + 9000, 10000 },
		{ 919000 + 10100, 10000 },
		/* It is neither. */
		{ 919000 + 5000, 20000 },
		{ 919000 + 40000, 20000 },
		{ 0, 20000 },
	};

	for (size_t i = 0; i < COUNT_OF(kernels); i++) {
		struct memory_reading reading = host();

		memory_set(&reading.fields, MEMORY_ZONE_RESERVE, 20000);
		memory_set(&reading.fields, MEMORY_ZONE_LOW, 10000);
		if (kernels[i].said)
			memory_set(&reading.fields, MEMORY_AVAILABLE,
				   kernels[i].said);
		available_find_reserve(&reading);
		assert_int_equal(memory_get(&reading.fields,
					    MEMORY_ZONE_RESERVE),
				 kernels[i].reserve);
	}
}

static int64_t row_pages(const struct memory_rows *rows, const char *key)
{
	for (size_t i = 0; i < rows->count; i++) {
		if (strcmp(rows->rows[i].key, key) == 0)
			return rows->rows[i].pages.number;
	}
	fail_msg("no row %s", key);
	return 0;
}

/* The terms add up to what is recomputed, and with the difference to the rest. */
static void available_is_explained_to_the_page(void **state
					       __attribute__((unused)))
{
	static const char *const terms[] = {
		"free",	     "reserve",	    "file",
		"file_kept", "reclaimable", "reclaimable_kept"
	};
	struct memory_reading reading = host();
	struct memory_heads heads = heads_of(&reading);
	const struct memory_rows_of of = { .reading = &reading,
					   .heads = &heads };
	struct memory_rows rows;
	int64_t sum = 0;

	memory_set(&reading.fields, MEMORY_ZONE_RESERVE, 20000);
	memory_set(&reading.fields, MEMORY_ZONE_LOW, 10000);
	memory_set(&reading.fields, MEMORY_AVAILABLE, 919000 + 123);
	assert_int_equal(memory_rows_init(&rows, &of, MEMORY_VIEW_AVAILABLE),
			 0);
	for (size_t i = 0; i < COUNT_OF(terms); i++)
		sum += row_pages(&rows, terms[i]);
	assert_int_equal(sum, 919000);
	assert_int_equal(row_pages(&rows, "recomputed"), 919000);
	assert_int_equal(row_pages(&rows, "available"), 919123);
	assert_int_equal(row_pages(&rows, "difference"), 123);
	memory_rows_deinit(&rows);
}

static void both_files_have_names_of_their_own(void **state
					       __attribute__((unused)))
{
	struct memory_fields fields = { 0 };

	parse_vmstat(&fields, "nr_free_pages 7\nnr_anon_pages x\n"
			      "nr_shmem 99999999999999999999\nnr_dirty 3");
	assert_int_equal(memory_get(&fields, MEMORY_NR_FREE), 7);
	assert_int_equal(memory_get(&fields, MEMORY_NR_DIRTY), 3);
	assert_false(memory_has(&fields, MEMORY_NR_ANON));
	assert_false(memory_has(&fields, MEMORY_NR_SHMEM));
	/* What vmstat has counts; what it lacks comes from here. */
	parse_meminfo(&fields,
		      "MemTotal: 64000 kB\nMemFree: 640 kB\n"
		      "AnonPages: 1280 kB\nHugePages_Total: 5\n",
		      65536);
	assert_int_equal(memory_get(&fields, MEMORY_TOTAL), 1000);
	assert_int_equal(memory_get(&fields, MEMORY_NR_FREE), 7);
	assert_int_equal(memory_get(&fields, MEMORY_NR_ANON), 20);
	/* Of two lines the last counts, as in free. */
	parse_meminfo(&fields, "AnonPages: 1280 kB\nAnonPages: 640 kB\n",
		      65536);
	assert_int_equal(memory_get(&fields, MEMORY_NR_ANON), 10);
}

static int64_t field_of(const char *vmstat, const char *meminfo,
			enum memory_field field)
{
	struct memory_fields fields = { 0 };

	parse_vmstat(&fields, vmstat);
	parse_meminfo(&fields, meminfo, 4096);
	return memory_get(&fields, field);
}

/* The rows of the table in docs/how-it-works.md, each on both sides. */
static void the_same_name_may_mean_something_else(void **state
						  __attribute__((unused)))
{
	static const char huge[] = "AnonPages: 4800 kB\n"
				   "AnonHugePages: 4096 kB\n";
	static const char kernel[] = "SReclaimable: 400 kB\n"
				     "KReclaimable: 520 kB\n";

	/* 3.11 and older: without huge pages; later with them. */
	assert_int_equal(field_of("nr_anon_pages 176\n", huge, MEMORY_NR_ANON),
			 1200);
	assert_int_equal(field_of("nr_anon_pages 1200\n", huge, MEMORY_NR_ANON),
			 1200);
	/* Some were freed or allocated between the two files. */
	assert_int_equal(field_of("nr_anon_pages 150\n", huge, MEMORY_NR_ANON),
			 1174);
	assert_int_equal(field_of("nr_anon_pages 900\n", huge, MEMORY_NR_ANON),
			 900);
	/* Nor is AnonHugePages needed to see it. */
	assert_int_equal(field_of("nr_anon_pages 176\n", "AnonPages: 4800 kB\n",
				  MEMORY_NR_ANON),
			 1200);
	assert_int_equal(field_of("nr_anon_pages 1190\n",
				  "AnonPages: 4800 kB\n", MEMORY_NR_ANON),
			 1190);
	/* A container's AnonPages says nothing of the host. */
	assert_int_equal(
		field_of("nr_anon_pages 90000\n", huge, MEMORY_NR_ANON), 90000);
	/* 5.7 and older: NFS_Unstable is beside Writeback. */
	assert_int_equal(field_of("nr_writeback 3\nnr_unstable 5\n",
				  "NFS_Unstable: 20 kB\n", MEMORY_NR_WRITEBACK),
			 8);
	assert_int_equal(field_of("", "Writeback: 12 kB\nNFS_Unstable: 0 kB\n",
				  MEMORY_NR_WRITEBACK),
			 3);
	/* KReclaimable (4.20) has what vmstat has under a name of its own. */
	assert_int_equal(field_of("", kernel, MEMORY_NR_MISC_RECLAIMABLE), 30);
	assert_int_equal(field_of("nr_kernel_misc_reclaimable 7\n", kernel,
				  MEMORY_NR_MISC_RECLAIMABLE),
			 7);
	assert_int_equal(field_of("", "SReclaimable: 400 kB\n",
				  MEMORY_NR_MISC_RECLAIMABLE),
			 0);
}

static void assert_contradiction(const struct memory_heads *heads,
				 const struct memory_reading *reading,
				 const char *expected)
{
	char text[CONTRADICTION_TEXT] = "";

	assert_int_equal(contradiction_text(heads, reading, text),
			 *expected != '\0');
	assert_string_equal(text, expected);
}

static void a_head_that_cannot_be(void **state __attribute__((unused)))
{
	struct memory_reading reading = host();
	struct memory_heads heads;
	struct give_backs table;

	/* The rest is 25,900. */
	memory_set(&reading.fields, MEMORY_NR_GPU_ACTIVE, 900);
	memory_set(&reading.fields, MEMORY_NR_GPU_RECLAIM, 25050);
	heads = heads_of(&reading);
	assert_int_equal(heads.rest, -50);
	assert_contradiction(&heads, &reading, "");
	assert_int_equal(heads.heads[MEMORY_HEAD_GPU].reclaimable, 25050);

	memory_set(&reading.fields, MEMORY_NR_GPU_RECLAIM, 3000000);
	heads = heads_of(&reading);
	assert_int_equal(heads.contradiction, CONTRADICTION_HEAD);
	assert_int_equal(heads.wrong, MEMORY_HEAD_GPU);
	assert_head(&heads, MEMORY_HEAD_GPU, 3000900);
	assert_int_equal(heads.heads[MEMORY_HEAD_GPU].reclaimable, -1);
	assert_int_equal(heads.rest, 25900);
	assert_contradiction(&heads, &reading,
			     "nr_gpu_reclaim (11.4G) cannot be right: all "
			     "others leave at most 101.2M");
	/* Nor can the pools give back more than that. */
	assert_int_equal(give_back_of_gpu(&heads, &reading), 25900);
	make_table(&table, &reading);
	assert_int_equal(find(&table, "drop_2")->high, 4000 * 6 / 5 + 25900);

	/* Of two, nobody knows which. */
	memory_set(&reading.fields, MEMORY_ZFS, 4000000);
	heads = heads_of(&reading);
	assert_int_equal(heads.contradiction, CONTRADICTION_SUM);
	assert_int_equal(heads.wrong, MEMORY_HEADS);
	assert_int_equal(heads.rest, 25900 - 3000900 - 4000000);
	assert_contradiction(&heads, &reading,
			     "the counts add up to 26.6G more than MemTotal");

	/* Elsewhere they are about other memory, which is said instead. */
	memory_set(&reading.fields, MEMORY_ZONE_MANAGED, 500000);
	heads = heads_of(&reading);
	assert_contradiction(&heads, &reading, "");
}

static void a_part_that_is_more_than_its_whole(void **state
					       __attribute__((unused)))
{
	struct memory_reading reading = host();
	struct memory_heads heads;

	/* As much may come between two files, and less between two lines. */
	memory_set(&reading.fields, MEMORY_ANON_HUGE, 10000 + 1000000 / 128);
	heads = heads_of(&reading);
	assert_contradiction(&heads, &reading, "");
	reading.fields.is_of_meminfo[MEMORY_NR_ANON] = true;
	heads = heads_of(&reading);
	assert_contradiction(&heads, &reading,
			     "AnonHugePages (69.6M) cannot be more than "
			     "AnonPages");
	reading.fields.is_of_meminfo[MEMORY_NR_ANON] = false;
	memory_set(&reading.fields, MEMORY_ANON_HUGE, 20000);
	heads = heads_of(&reading);
	assert_contradiction(&heads, &reading,
			     "AnonHugePages (78.1M) cannot be more than "
			     "nr_anon_pages");
	memory_set(&reading.fields, MEMORY_ANON_HUGE, 0);
	memory_set(&reading.fields, MEMORY_NR_DIRTY, 60000);
	heads = heads_of(&reading);
	assert_contradiction(&heads, &reading,
			     "nr_dirty (234.4M) cannot be more than "
			     "nr_file_pages");
	/* Which part of it is dirty may be wrong, but not the sum. */
	assert_int_equal(heads.rest, 25900);
}

/* Of the figures of a pool one is wrong, and nobody knows which. */
static void a_pool_that_cannot_be(void **state __attribute__((unused)))
{
	static const struct {
		struct memory_pool pool;
		const char *said;
	} cases[] = {
		{ { 2048, 3, 5, 0, 0 },
		  "huge pages of 2M cannot be 5 free and 3 in all" },
		{ { 2048, 9, 5, 6, 0 },
		  "huge pages of 2M cannot be 6 reserved and 5 free" },
		{ { 1048576, 1, 1, 0, 2 },
		  "huge pages of 1G cannot be 2 surplus and 1 in all" },
		{ { 2048, INT64_MAX / 8, 0, 0, 0 },
		  "1152921504606846975 huge pages of 2M are more than memory "
		  "can be" },
	};

	for (size_t i = 0; i < COUNT_OF(cases); i++) {
		struct memory_reading reading = host();
		struct memory_heads heads;

		reading.wrong_pool = cases[i].pool;
		reading.has_wrong_pool = true;
		heads = heads_of(&reading);
		assert_contradiction(&heads, &reading, cases[i].said);
		assert_string_equal(contradiction_file(&heads, &reading),
				    "/sys/kernel/mm/hugepages");
		reading.default_pool = cases[i].pool;
		assert_string_equal(contradiction_file(&heads, &reading),
				    "/proc/meminfo");
		/* All others are in the sum. */
		assert_int_equal(heads.rest, 25900);
	}
}

/* Of memory that there is nobody can lock, map or keep back more. */
static void no_count_is_more_than_memory(void **state __attribute__((unused)))
{
	static const enum memory_field fields[] = { MEMORY_NR_MLOCK,
						    MEMORY_NR_MAPPED,
						    MEMORY_ARC_SIZE,
						    MEMORY_MIN_FREE };

	for (size_t i = 0; i < COUNT_OF(fields); i++) {
		struct memory_reading reading = host();
		struct memory_heads heads;
		char expected[CONTRADICTION_TEXT];

		memory_set(&reading.fields, fields[i], 1000000);
		heads = heads_of(&reading);
		assert_contradiction(&heads, &reading, "");
		memory_set(&reading.fields, fields[i], 1048576);
		heads = heads_of(&reading);
		snprintf(expected, sizeof(expected),
			 "%s (4G) cannot be more than MemTotal",
			 memory_field_name(fields[i]));
		assert_contradiction(&heads, &reading, expected);
	}
}

/* No single count is more than all cached pages, but some together are. */
static void no_cache_is_less_than_nothing(void **state __attribute__((unused)))
{
	struct memory_reading reading = host();
	struct memory_heads heads = heads_of(&reading);
	int64_t cache = heads.heads[MEMORY_HEAD_FILE_CACHE].pages;
	int64_t shared = heads.heads[MEMORY_HEAD_SHARED].pages;

	memory_set(&reading.fields, MEMORY_NR_SHMEM, shared + cache + 900);
	heads = heads_of(&reading);
	assert_contradiction(&heads, &reading, "");
	memory_set(&reading.fields, MEMORY_NR_SHMEM, shared + cache + 1000);
	heads = heads_of(&reading);
	assert_head(&heads, MEMORY_HEAD_FILE_CACHE, -1000);
	assert_contradiction(&heads, &reading,
			     "Buffers, shared memory and the swap cache "
			     "together cannot be more than nr_file_pages");
}

/* In pages of 4 KiB. Before Linux 4.16 there is no sum of all sizes. */
static void a_pool_of_meminfo_alone(void **state __attribute__((unused)))
{
	static const char text[] = "HugePages_Total: 50\nHugePages_Free: 20\n"
				   "HugePages_Rsvd: 5\nHugePages_Surp: 0\n"
				   "Hugepagesize: 2048 kB\n";
	struct memory_reading reading = host();
	const struct memory_head *head;
	struct memory_heads heads;

	memory_set(&reading.fields, MEMORY_NR_FREE, 870000);
	memory_set(&reading.fields, MEMORY_ZONE_FREE, 870000);
	memory_parse_pool(&reading.default_pool, text, strlen(text));
	reading.pools[reading.pool_count++] = reading.default_pool;
	reading.has_default_pool_only = true;
	heads = heads_of(&reading);
	assert_head(&heads, MEMORY_HEAD_HUGE_PAGES, 25600);
	head = &heads.heads[MEMORY_HEAD_HUGE_PAGES];
	assert_int_equal(head->part_count, 4);
	assert_int_equal(head->parts[0].pages, 30 * 512);
	assert_int_equal(head->parts[1].pages, 5 * 512);
	assert_int_equal(head->parts[2].pages, 15 * 512);
	assert_int_equal(head->parts[3].bound, MEMORY_UNKNOWN);
	assert_int_equal(head->reclaimable, 15 * 512);
	assert_int_equal(heads.rest, 25900 + 30000 - 25600);

	/* The line has all sizes. */
	memory_set(&reading.fields, MEMORY_HUGETLB, 30000);
	heads = heads_of(&reading);
	assert_head(&heads, MEMORY_HEAD_HUGE_PAGES, 30000);
	assert_int_equal(head->part_count, 4);
	assert_string_equal(head->parts[3].label, "pages of other sizes");
	assert_int_equal(head->parts[3].pages, 4400);
	/* They may be free, and nobody says so. */
	assert_int_equal(head->reclaimable, 15 * 512 + 4400);

	reading.has_default_pool_only = false;
	reading.pool_count = 0;
	heads = heads_of(&reading);
	assert_int_equal(head->parts[0].pages, 30000);
	assert_int_equal(head->reclaimable, 30000);
}

/* Before Linux 4.8 only zram says what it has; CMA is in what is free. */
static void older_files_and_parts_of_free(void **state __attribute__((unused)))
{
	struct memory_reading reading = host();
	struct memory_heads heads;

	memory_set(&reading.fields, MEMORY_ZRAM, 4000);
	memory_set(&reading.fields, MEMORY_CMA_FREE, 600);
	memory_set(&reading.fields, MEMORY_UNACCEPTED, 70);
	heads = heads_of(&reading);
	assert_head(&heads, MEMORY_HEAD_COMPRESSED, 4000);
	assert_head(&heads, MEMORY_HEAD_FREE, 900000);
	assert_int_equal(heads.heads[MEMORY_HEAD_FREE].part_count, 2);
	assert_int_equal(heads.heads[MEMORY_HEAD_FREE].parts[0].pages, 600);
	assert_int_equal(heads.heads[MEMORY_HEAD_FREE].parts[1].pages, 70);
	memory_set(&reading.fields, MEMORY_NR_ZSPAGES, 4100);
	heads = heads_of(&reading);
	assert_head(&heads, MEMORY_HEAD_COMPRESSED, 4100);
}

static void every_field_is_found_under_its_name(void **state
						__attribute__((unused)))
{
	for (enum memory_field field = 0; field < MEMORY_FIELDS; field++) {
		const char *name = memory_field_name(field);

		assert_non_null(memory_field_path(field));
		assert_int_equal(memory_field_find(memory_field_file(field),
						   name, strlen(name)),
				 field);
	}
	assert_int_equal(memory_field_find(MEMORY_VMSTAT, "MemTotal", 8),
			 MEMORY_FIELDS);
}

static void changes_need_both_samples(void **state __attribute__((unused)))
{
	struct memory_reading reading = host();
	struct memory_heads heads = heads_of(&reading);
	struct memory_heads before = { 0 };
	int64_t pages;

	assert_false(memory_heads_change(&before, &heads, MEMORY_HEAD_PROGRAMS,
					 &pages));
	before = heads;
	memory_set(&reading.fields, MEMORY_NR_ANON, 10700);
	memory_set(&reading.fields, MEMORY_NR_ACTIVE_ANON, 13700);
	heads = heads_of(&reading);
	assert_true(memory_heads_change(&before, &heads, MEMORY_HEAD_PROGRAMS,
					&pages));
	assert_int_equal(pages, 700);
	assert_true(memory_heads_change(&before, &heads, MEMORY_HEADS, &pages));
	assert_int_equal(pages, -700);
	assert_false(
		memory_heads_change(&before, &heads, MEMORY_HEAD_GPU, &pages));
	before.page_size = 65536;
	assert_false(memory_heads_change(&before, &heads, MEMORY_HEAD_PROGRAMS,
					 &pages));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(cached_pages_are_split_without_rest),
		cmocka_unit_test(what_is_mapped_and_in_swap_counts_once),
		cmocka_unit_test(what_is_in_no_cache_is_a_head),
		cmocka_unit_test(what_a_dump_lacks_is_not_known),
		cmocka_unit_test(a_negative_rest_is_shown),
		cmocka_unit_test(what_moved_meanwhile_is_uncertain),
		cmocka_unit_test(another_total_has_no_rest),
		cmocka_unit_test(absent_is_not_zero),
		cmocka_unit_test(stacks_count_once),
		cmocka_unit_test(zswap_counts_once),
		cmocka_unit_test(a_balloon_is_inside_or_outside),
		cmocka_unit_test(pools_have_every_size),
		cmocka_unit_test(dropping_leaves_dirty_and_mapped_pages),
		cmocka_unit_test(unknown_actions_are_left_out),
		cmocka_unit_test(names_in_use_stay),
		cmocka_unit_test(least_is_never_above_most),
		cmocka_unit_test(keeps_what_no_action_frees),
		cmocka_unit_test(reclaim_takes_mapped_pages),
		cmocka_unit_test(pinned_pages_stay),
		cmocka_unit_test(a_page_in_the_swap_cache_has_its_place),
		cmocka_unit_test(lazily_freed_pages_need_no_swap),
		cmocka_unit_test(every_shrinker_is_in_the_bound),
		cmocka_unit_test(the_rest_bounds_what_xfs_has),
		cmocka_unit_test(what_a_store_holds_is_said),
		cmocka_unit_test(the_rest_is_named),
		cmocka_unit_test(lines_of_older_kernels_are_named),
		cmocka_unit_test(available_is_the_kernels_sum),
		cmocka_unit_test(what_available_takes_off),
		cmocka_unit_test(available_is_explained_to_the_page),
		cmocka_unit_test(both_files_have_names_of_their_own),
		cmocka_unit_test(every_field_is_found_under_its_name),
		cmocka_unit_test(the_same_name_may_mean_something_else),
		cmocka_unit_test(a_head_that_cannot_be),
		cmocka_unit_test(a_part_that_is_more_than_its_whole),
		cmocka_unit_test(a_pool_that_cannot_be),
		cmocka_unit_test(no_count_is_more_than_memory),
		cmocka_unit_test(no_cache_is_less_than_nothing),
		cmocka_unit_test(a_pool_of_meminfo_alone),
		cmocka_unit_test(older_files_and_parts_of_free),
		cmocka_unit_test(changes_need_both_samples),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
