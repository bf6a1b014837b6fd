// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "lib/sysroot.h"
#include "memory/available.h"
#include "memory/memory_details.h"
#include "memory/memory_heads.h"
#include "memory/memory_reading.h"
#include "memory/zone_sums.h"
#include "test.h"
#include "tree.h"

static int open_tree(void **state)
{
	static struct tree_fixture fixture;
	struct error err;

	tree_create(&fixture.tree);
	assert_int_equal(sysroot_init(&fixture.root, fixture.tree.path, &err),
			 0);
	*state = &fixture;
	return 0;
}

/* Two zones with pages on two nodes, and one without. */
static const char zoneinfo[] = "Node 0, zone    DMA32\n"
			       "  pages free     1000\n"
			       "        boost    0\n"
			       "        min      10\n"
			       "        low      20\n"
			       "        high     30\n"
			       "        spanned  4095\n"
			       "        present  4000\n"
			       "        managed  3900\n"
			       "        protection: (0, 813, 900, 813)\n"
			       "      nr_free_pages 1000\n"
			       "  pagesets\n"
			       "    cpu: 0\n"
			       "              count:    5\n"
			       "              high:     378\n"
			       "  vm stats threshold: 4\n"
			       "    cpu: 1\n"
			       "              count: 7\n"
			       "  vm stats threshold: 6\n"
			       "Node 0, zone  Movable\n"
			       "  pages free     0\n"
			       "        min      0\n"
			       "        low      0\n"
			       "        high     0\n"
			       "        spanned  0\n"
			       "        present  0\n"
			       "        managed  0\n"
			       "        protection: (0, 0, 0, 0)\n"
			       "Node 1, zone   Normal\n"
			       "  pages free     50\n"
			       "        min      100\n"
			       "        low      200\n"
			       "        high     300\n"
			       "        spanned  200\n"
			       "        present  200\n"
			       "        managed  100\n"
			       "        protection: (0, 0, 0, 0)\n"
			       "    cpu: 0\n"
			       "              count: 1\n"
			       "  vm stats threshold: 3\n";

static void zones_are_added_up(void **state __attribute__((unused)))
{
	struct memory_fields fields = { 0 };
	struct zoneinfo zones;

	assert_int_equal(zoneinfo_parse(&zones, zoneinfo), 0);
	assert_int_equal(zones.count, 3);
	assert_string_equal(zones.zones[0].name, "DMA32");
	assert_int_equal(zones.zones[0].high_pages, 30);
	assert_int_equal(zones.zones[0].reserve_pages, 900);
	assert_int_equal(zones.zones[2].node, 1);
	memory_zones_add_up(&zones, &fields);
	assert_int_equal(memory_get(&fields, MEMORY_ZONE_FREE), 1050);
	assert_int_equal(memory_get(&fields, MEMORY_ZONE_PER_CPU), 13);
	assert_int_equal(memory_get(&fields, MEMORY_ZONE_MANAGED), 4000);
	assert_int_equal(memory_get(&fields, MEMORY_ZONE_LOW), 220);
	/* 900 + 30, and what the second zone has: no more than it manages. */
	assert_int_equal(memory_get(&fields, MEMORY_ZONE_RESERVE), 930 + 100);
	assert_int_equal(memory_get(&fields, MEMORY_ZONE_LAG), 10 + 3);
	zoneinfo_deinit(&zones);
}

static void damaged_zones_are_not_known(void **state __attribute__((unused)))
{
	static const char *const texts[] = {
		"",
		"\n",
		"Node",
		"Node 0, zone",
		"Node 0, zone DMA\n",
		"Node 0, zone DMA\nprotection: (",
		"Node 0, zone DMA\n  pages free x\n  managed \n",
	};

	for (size_t i = 0; i < COUNT_OF(texts); i++) {
		struct memory_fields fields = { 0 };
		struct zoneinfo zones;

		assert_int_equal(zoneinfo_parse(&zones, texts[i]), 0);
		memory_zones_add_up(&zones, &fields);
		assert_false(memory_has(&fields, MEMORY_ZONE_FREE));
		assert_false(memory_has(&fields, MEMORY_ZONE_MANAGED));
		assert_false(memory_has(&fields, MEMORY_ZONE_PER_CPU));
		zoneinfo_deinit(&zones);
	}
}

/* The kernel computed MemAvailable from the same figures. */
static void captured_hosts_add_up(void **state __attribute__((unused)))
{
	static const struct {
		const char *path;
		int64_t rest;
	} hosts[] = {
		{ FIXTURE("memory/5.10"), 7770 },
		{ FIXTURE("memory/6.1"), 1193 },
		{ FIXTURE("memory/6.12"), 1128 },
		{ FIXTURE("memory/7.3"), 2145 },
	};

	for (size_t i = 0; i < COUNT_OF(hosts); i++) {
		struct memory_reading reading;
		struct available available;
		struct memory_heads heads;
		struct sysroot root;
		struct error err;

		assert_int_equal(sysroot_init(&root, hosts[i].path, &err), 0);
		assert_int_equal(memory_read(&reading, &root, &err), 0);
		assert_int_equal(reading.page_size, 4096);
		assert_int_equal(reading.processors, 2);
		assert_true(reading.settled);
		assert_false(reading.estimated_first_chunk);
		assert_true(memory_is_whole_host(&reading));
		memory_heads_init(&heads, &reading);
		assert_int_equal(memory_heads_sum(&heads) + heads.rest,
				 heads.total);
		assert_int_equal(heads.rest, hosts[i].rest);
		memory_available(&available, &reading);
		assert_int_equal(available.result,
				 memory_get(&reading.fields, MEMORY_AVAILABLE));
		memory_reading_deinit(&reading);
		sysroot_deinit(&root);
	}
}

static struct memory_reading read_tree(const struct tree_fixture *fixture)
{
	struct memory_reading reading;
	struct error err = { 0 };
	int ret = memory_read(&reading, &fixture->root, &err);

	if (ret)
		fail_msg("%s", text_of(&err));
	return reading;
}

static void details_are_found(void **state)
{
	const struct tree_fixture *fixture = *state;
	const struct tree *tree = &fixture->tree;
	struct memory_reading reading;

	tree_add_text(tree, "proc/meminfo", "MemTotal: 64000 kB\n");
	tree_add_text(tree, "sys/devices/system/cpu/possible", "0-1,4-7\n");
	tree_add_text(tree, "proc/kallsyms",
		      "0000000000000000 A __per_cpu_start\n"
		      "0000000000000000 A fixed_percpu_data\n"
		      "0000000000036000 A __per_cpu_end\n");
	tree_add_text(tree, "sys/block/zram0/mm_stat",
		      "   81920    40960    65536        0 0 0 0 0 0\n");
	tree_add_text(tree, "sys/block/vda/size", "4\n");
	tree_add_text(tree, "sys/bus/virtio/devices/virtio3/features",
		      "01100101000\n");
	tree_add_link(tree, "sys/bus/virtio/devices/virtio3/driver",
		      "../../drivers/virtio_balloon");
	tree_add_text(tree, "proc/spl/kstat/zfs/abdstats",
		      "7 1 0x01 21 5712 111 222\n"
		      "name                            type data\n"
		      "scatter_data_size               4    409600\n"
		      "scatter_chunk_waste             4    4096\n");
	tree_add_text(tree, "proc/spl/kstat/zfs/arcstats",
		      "6 1 0x01 91 4368 111 222\n"
		      "name                            type data\n"
		      "c                               4    900000\n"
		      "c_min                           4    81920\n"
		      "size                            4    819200\n");
	tree_add_text(tree, "proc/sys/fs/dentry-state",
		      "3000 2000 45 0 1500 0\n");
	tree_add_text(tree, "proc/sys/vm/min_free_kbytes", "4000\n");
	tree_add_text(tree,
		      "sys/module/dm_bufio/parameters/"
		      "current_allocated_bytes",
		      "40960\n");
	tree_add_text(tree, "sys/module/ttm/refcnt", "1\n");
	tree_add_text(tree, "sys/kernel/debug/ttm/page_pool",
		      "wc\t:        7\n\ntotal\t:       35 of     1000\n");
	tree_add_text(tree, "sys/fs/xfs/stats/stats", "");
	tree_add_text(tree, "sys/fs/xfs/dm-3/log/reserve_grant_head", "");
	tree_add_text(
		tree, "proc/vmallocinfo",
		"0x0-0x1   20480 kernel_clone+0xda/0x4a0 pages=4 vmalloc\n"
		"0x1-0x2   20480 acpi_os_map_iomem+0x1 phys=0x0 ioremap\n"
		"0x2-0x3    8192 bpf_prog_alloc+0x3f/0x240 pages=3 vmalloc\n");
	reading = read_tree(fixture);
	assert_int_equal(reading.processors, 8);
	/* 54 pages of variables, 9 reserved, on 8 processors. */
	assert_int_equal(memory_get(&reading.fields, MEMORY_FIRST_CHUNK),
			 63 * 8);
	assert_int_equal(memory_get(&reading.fields, MEMORY_ZRAM), 16);
	assert_int_equal(memory_get(&reading.fields, MEMORY_ZRAM_STORED), 20);
	assert_int_equal(memory_get(&reading.fields, MEMORY_ZFS), 101);
	assert_int_equal(memory_get(&reading.fields, MEMORY_ARC_SIZE), 200);
	assert_int_equal(memory_get(&reading.fields, MEMORY_ARC_MIN), 20);
	assert_int_equal(memory_get(&reading.fields, MEMORY_DENTRY_NEGATIVE),
			 1500);
	assert_int_equal(memory_get(&reading.fields, MEMORY_MIN_FREE), 1000);
	assert_int_equal(memory_get(&reading.fields, MEMORY_DM_BUFIO), 10);
	assert_int_equal(memory_get(&reading.fields, MEMORY_XFS_MOUNTS), 1);
	assert_int_equal(memory_get(&reading.fields, MEMORY_TTM_POOL), 35);
	assert_int_equal(reading.balloon, MEMORY_BALLOON_INSIDE);
	assert_true(reading.has_vmalloc);
	assert_int_equal(reading.vmalloc[MEMORY_VMALLOC_STACKS], 4);
	assert_int_equal(reading.vmalloc[MEMORY_VMALLOC_BPF], 3);
	assert_int_equal(reading.vmalloc[MEMORY_VMALLOC_OTHER], 0);
	memory_reading_deinit(&reading);
}

/* Only where no count has it, and where the file is what it should be. */
static void what_graphics_drivers_keep(void **state)
{
	static const struct {
		const char *text;
		int ret;
		int64_t pages;
	} files[] = {
		{ "\t  ---0--- ---1---\n"
		  "wc\t:       10       20\nuc\t:        0        0\n"
		  "\ntotal\t:     4711 of  2022233\n",
		  1, 4711 },
		{ "wc\t:        0\n\ntotal\t:        0 of       12\n", 1, 0 },
		{ "wc\t:        7\n\ntotal node0\t:        7 of       12\n", 0,
		  0 },
		{ "wc\t:        7\n\ntotal\t: none\n", -EBADMSG, 0 },
		{ "wc\t:        7\n", -EBADMSG, 0 },
		{ "\ntotal\t: 99999999999999999999 of 1\n", -EBADMSG, 0 },
	};
	struct tree_fixture *fixture = *state;
	int64_t pages = -1;

	assert_int_equal(memory_read_ttm_pool(&fixture->root, &pages), 0);
	assert_int_equal(pages, 0);
	tree_add_text(&fixture->tree, "sys/module/ttm/refcnt", "1\n");
	assert_int_equal(memory_read_ttm_pool(&fixture->root, &pages), -ENOENT);
	for (size_t i = 0; i < COUNT_OF(files); i++) {
		tree_add_text(&fixture->tree, "sys/kernel/debug/ttm/page_pool",
			      files[i].text);
		assert_int_equal(memory_read_ttm_pool(&fixture->root, &pages),
				 files[i].ret);
		assert_int_equal(pages, files[i].pages);
	}
}

/* The drivers of balloons that say it themselves, each in its own unit. */
static void a_driver_says_what_its_balloon_has(void **state)
{
	static const struct {
		const char *path, *text;
		enum memory_balloon where;
		int64_t pages;
	} drivers[] = {
		{ "sys/kernel/debug/vmmemctl",
		  "target:                9000 pages\n"
		  "current:               7000 pages\nrateSleepAlloc: 9\n",
		  MEMORY_BALLOON_INSIDE, 7000 },
		{ "sys/kernel/debug/hv-balloon",
		  "state                 : 2\n"
		  "pages_ballooned       : 6000\n",
		  MEMORY_BALLOON_OUTSIDE, 6000 },
		{ "sys/devices/system/cmm/cmm0/loaned_kb", "20000\n",
		  MEMORY_BALLOON_OUTSIDE, 5000 },
		{ "proc/sys/vm/cmm_pages", "4000\n", MEMORY_BALLOON_INSIDE,
		  4000 },
	};
	struct tree_fixture *fixture = *state;
	const struct tree *tree = &fixture->tree;
	struct memory_reading reading;
	char path[512];

	tree_add_text(tree, "proc/meminfo", "MemTotal: 64000 kB\n");
	for (size_t i = 0; i < COUNT_OF(drivers); i++) {
		tree_add_text(tree, drivers[i].path, drivers[i].text);
		reading = read_tree(fixture);
		assert_int_equal(reading.balloon, drivers[i].where);
		assert_int_equal(memory_get(&reading.fields, MEMORY_BALLOON),
				 drivers[i].pages);
		memory_reading_deinit(&reading);
		snprintf(path, sizeof(path), "%s/%s", tree->path,
			 drivers[i].path);
		assert_int_equal(remove(path), 0);
	}
	/* Where the kernel counts it, that is it. */
	tree_add_text(tree, drivers[0].path, drivers[0].text);
	tree_add_text(tree, "proc/vmstat", "balloon_inflate 70\n");
	reading = read_tree(fixture);
	assert_false(memory_has(&reading.fields, MEMORY_BALLOON));
	memory_reading_deinit(&reading);
}

/* What all devices have is not known if one of them does not say. */
static void an_unreadable_zram_is_not_zero(void **state)
{
	const struct tree_fixture *fixture = *state;
	const struct tree *tree = &fixture->tree;
	struct memory_reading reading;

	tree_add_text(tree, "proc/meminfo", "MemTotal: 64000 kB\n");
	tree_add_text(tree, "sys/block/zram0/mm_stat",
		      "   81920    40960    65536        0 0 0 0 0 0\n");
	tree_add_text(tree, "sys/block/zram1/mm_stat", "   81920\n");
	reading = read_tree(fixture);
	assert_false(memory_has(&reading.fields, MEMORY_ZRAM));
	memory_reading_deinit(&reading);
	/* Linux 4.0 and older. */
	tree_add_text(tree, "sys/block/zram1/mm_stat", "0 0 0 0 0\n");
	tree_add_text(tree, "sys/block/zram2/mem_used_total", "409600\n");
	reading = read_tree(fixture);
	assert_int_equal(memory_get(&reading.fields, MEMORY_ZRAM),
			 (65536 + 409600) / 4096);
	memory_reading_deinit(&reading);
}

/* Since Linux 5.19 /proc/meminfo says it. */
static void zswap_before_it_was_in_meminfo(void **state)
{
	static const char *const meminfos[] = {
		"MemTotal: 64000 kB\n", "MemTotal: 64000 kB\nZswap: 400 kB\n"
	};
	const struct tree_fixture *fixture = *state;
	const struct tree *tree = &fixture->tree;

	tree_add_text(tree, "sys/kernel/debug/zswap/pool_total_size",
		      "2048000\n");
	tree_add_text(tree, "sys/kernel/debug/zswap/stored_pages", "900\n");
	for (size_t i = 0; i < COUNT_OF(meminfos); i++) {
		struct memory_reading reading;
		struct memory_heads heads;

		tree_add_text(tree, "proc/meminfo", meminfos[i]);
		reading = read_tree(fixture);
		assert_int_equal(memory_get(&reading.fields, MEMORY_ZSWAP),
				 i ? 100 : 500);
		assert_int_equal(memory_get(&reading.fields, MEMORY_ZSWAPPED),
				 i ? 0 : 900);
		/* Its allocator is not zsmalloc, which would count it. */
		memory_heads_init(&heads, &reading);
		assert_int_equal(heads.heads[MEMORY_HEAD_COMPRESSED].pages,
				 i ? 100 : 500);
		memory_reading_deinit(&reading);
	}
}

static void hidden_symbols_are_an_estimate(void **state)
{
	const struct tree_fixture *fixture = *state;
	struct memory_reading reading;

	tree_add_text(&fixture->tree, "proc/meminfo", "MemTotal: 64000 kB\n");
	tree_add_text(&fixture->tree, "sys/devices/system/cpu/possible", "0\n");
	tree_add_text(&fixture->tree, "proc/kallsyms",
		      "0000000000000000 A __per_cpu_start\n"
		      "0000000000000000 A __per_cpu_end\n");
	reading = read_tree(fixture);
	assert_true(reading.estimated_first_chunk);
	assert_int_equal(memory_get(&reading.fields, MEMORY_FIRST_CHUNK), 64);
	memory_reading_deinit(&reading);
}

static void the_page_size_is_the_hosts(void **state)
{
	const struct tree_fixture *fixture = *state;
	struct memory_reading reading;

	tree_add_text(&fixture->tree, "proc/meminfo",
		      "MemTotal: 6400000 kB\nMemFree: 640640 kB\n");
	tree_add_text(&fixture->tree, "proc/vmstat", "nr_free_pages 10000\n");
	reading = read_tree(fixture);
	assert_int_equal(reading.page_size, 65536);
	assert_int_equal(memory_get(&reading.fields, MEMORY_TOTAL), 100000);
	memory_reading_deinit(&reading);
}

static void expect_page_size(const struct tree_fixture *fixture,
			     const char *meminfo, const char *vmstat,
			     const char *zones, uint64_t expected)
{
	uint64_t page_size;

	tree_add_text(&fixture->tree, "proc/meminfo", meminfo);
	tree_add_text(&fixture->tree, "proc/vmstat", vmstat);
	tree_add_text(&fixture->tree, "proc/zoneinfo", zones);
	assert_int_equal(memory_page_size(&fixture->root, &page_size, NULL), 0);
	assert_int_equal(page_size, expected);
}

/* One rule for all, which a meminfo that a container makes up does not change. */
static void the_page_size_by_one_rule(void **state)
{
	static const char vmstat[] = "nr_free_pages 1000\nnr_mapped 70\n"
				     "nr_page_table_pages 30\n"
				     "nr_slab_unreclaimable 110\n";
	const struct tree_fixture *fixture = *state;
	uint64_t page_size;

	expect_page_size(fixture,
			 "MemTotal: 64000 kB\nMemFree: 4004 kB\n"
			 "Mapped: 280 kB\nPageTables: 120 kB\n",
			 vmstat, "", 4096);
	/* Sixteen times as much free, by a container with a larger limit. */
	expect_page_size(fixture,
			 "MemTotal: 6400000 kB\nMemFree: 64000 kB\n"
			 "Mapped: 4480 kB\nPageTables: 120 kB\n"
			 "SUnreclaim: 440 kB\nHugepagesize: 2048 kB\n",
			 vmstat, "", 4096);
	/* And a host that has large ones. */
	expect_page_size(fixture,
			 "MemTotal: 6400000 kB\nMemFree: 4000 kB\n"
			 "Mapped: 280 kB\nPageTables: 1920 kB\n"
			 "SUnreclaim: 7040 kB\nHugepagesize: 524288 kB\n",
			 vmstat, "", 65536);
	/* The zones alone. */
	expect_page_size(fixture, "MemTotal: 128000 kB\n", "",
			 "Node 0, zone Normal\n  pages free 10\n"
			 "        managed 8000\n",
			 16384);
	/* Nothing says anything. */
	expect_page_size(fixture, "MemTotal: 128000 kB\n", "", "", 4096);
	expect_page_size(fixture,
			 "MemTotal: 128000 kB\nHugepagesize: 32768 kB\n", "",
			 "", 16384);
	/* A capture says it. */
	tree_add_text(&fixture->tree, "bufstat/reading.json",
		      "{\"bufstat\": \"1\", \"reading\": {\"version\": 1, "
		      "\"devices\": {\"page_size_bytes\": 65536}}}\n");
	assert_int_equal(memory_page_size(&fixture->root, &page_size, NULL), 0);
	assert_int_equal(page_size, 65536);
}

static void no_total_is_unusable(void **state)
{
	const struct tree_fixture *fixture = *state;
	struct memory_reading reading;
	struct error err;

	tree_add_text(&fixture->tree, "proc/meminfo", "MemFree: 64000 kB\n");
	assert_int_equal(memory_read(&reading, &fixture->root, &err),
			 -EOPNOTSUPP);
	memory_reading_deinit(&reading);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(zones_are_added_up),
		cmocka_unit_test(damaged_zones_are_not_known),
		cmocka_unit_test(captured_hosts_add_up),
		cmocka_unit_test_setup_teardown(details_are_found, open_tree,
						tree_fixture_tear_down),
		cmocka_unit_test_setup_teardown(what_graphics_drivers_keep,
						open_tree,
						tree_fixture_tear_down),
		cmocka_unit_test_setup_teardown(
			a_driver_says_what_its_balloon_has, open_tree,
			tree_fixture_tear_down),
		cmocka_unit_test_setup_teardown(an_unreadable_zram_is_not_zero,
						open_tree,
						tree_fixture_tear_down),
		cmocka_unit_test_setup_teardown(zswap_before_it_was_in_meminfo,
						open_tree,
						tree_fixture_tear_down),
		cmocka_unit_test_setup_teardown(hidden_symbols_are_an_estimate,
						open_tree,
						tree_fixture_tear_down),
		cmocka_unit_test_setup_teardown(the_page_size_is_the_hosts,
						open_tree,
						tree_fixture_tear_down),
		cmocka_unit_test_setup_teardown(the_page_size_by_one_rule,
						open_tree,
						tree_fixture_tear_down),
		cmocka_unit_test_setup_teardown(no_total_is_unusable, open_tree,
						tree_fixture_tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
