// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "measure/zoneinfo.h"
#include "test.h"
#include "tree.h"

/*
 * As Linux 6.12 prints it: a small, boosted zone with the node's counters, one
 * with what processors keep, one without memory, and a second node.
 */
static const char two_nodes[] = "Node 0, zone      DMA\n"
				"  per-node stats\n"
				"      nr_inactive_anon 700\n"
				"      nr_inactive_file 3000\n"
				"      nr_active_file 1000\n"
				"      nr_slab_reclaimable 500\n"
				"      nr_kernel_misc_reclaimable 20\n"
				"  pages free     3840\n"
				"        boost    16\n"
				"        min      83\n"
				"        low      99\n"
				"        high     115\n"
				"        promo    131\n"
				"        spanned  4095\n"
				"        present  3998\n"
				"        managed  3840\n"
				"        cma      0\n"
				"        protection: (0, 1938, 1938, 1938)\n"
				"      nr_free_pages 3840\n"
				"  pagesets\n"
				"    cpu: 0\n"
				"              count: 0\n"
				"              high:  0\n"
				"              batch: 1\n"
				"  node_unreclaimable:  0\n"
				"  start_pfn:           1\n"
				"Node 0, zone   Normal\n"
				"  pages free     20000\n"
				"        min      1000\n"
				"        low      1250\n"
				"        high     1500\n"
				"        managed  400000\n"
				"        protection: (0, 0, 0, 0)\n"
				"  pagesets\n"
				"    cpu: 0\n"
				"              count: 100\n"
				"              high:  4000\n"
				"              batch: 63\n"
				"    cpu: 1\n"
				"              count: 23\n"
				"              high:  4000\n"
				"              batch: 63\n"
				"Node 0, zone  Movable\n"
				"  pages free     0\n"
				"        min      32\n"
				"        low      32\n"
				"        high     32\n"
				"        managed  0\n"
				"        protection: (0, 0, 0, 0)\n"
				"Node 1, zone   Normal\n"
				"  per-node stats\n"
				"      nr_inactive_file 400\n"
				"      nr_active_file 0\n"
				"      nr_slab_reclaimable 0\n"
				"      nr_kernel_misc_reclaimable 0\n"
				"  pages free     700\n"
				"        min      1000\n"
				"        low      1250\n"
				"        high     1500\n"
				"        managed  400000\n"
				"        protection: (0, 0, 0, 0)\n";

static int set_up(void **state)
{
	static struct tree_fixture fixture;

	tree_create(&fixture.tree);
	assert_int_equal(sysroot_init(&fixture.root, fixture.tree.path, NULL),
			 0);
	*state = &fixture;
	return 0;
}

static int read_text(void **state, const char *text, struct zoneinfo *info,
		     struct error *err)
{
	struct tree_fixture *fixture = *state;

	tree_add_text(&fixture->tree, "proc/zoneinfo", text);
	return zoneinfo_read(info, &fixture->root, err);
}

static void test_zones(void **state)
{
	struct zoneinfo info;

	assert_int_equal(read_text(state, two_nodes, &info, NULL), 0);
	assert_int_equal(info.count, 4);
	assert_true(zone_has_memory(&info.zones[1]));
	assert_string_equal(info.zones[2].name, "Movable");
	assert_false(zone_has_memory(&info.zones[2]));
	assert_string_equal(info.zones[0].name, "DMA");
	assert_int_equal(info.zones[0].free_pages, 3840);
	assert_int_equal(info.zones[0].reserve_pages, 1938);
	assert_int_equal(info.zones[0].cpu_lists_pages, 0);
	assert_string_equal(info.zones[1].name, "Normal");
	assert_int_equal(info.zones[1].node, 0);
	assert_int_equal(info.zones[1].min_pages, 1000);
	assert_int_equal(info.zones[1].low_pages, 1250);
	/* Not the "high:" of a processor's list. */
	assert_int_equal(info.zones[1].high_pages, 1500);
	assert_int_equal(info.zones[1].managed_pages, 400000);
	assert_int_equal(info.zones[1].cpu_lists_pages, 123);
	/* It has no such line. */
	assert_int_equal(info.zones[2].spanned_pages, -1);
	assert_int_equal(info.zones[3].node, 1);
	assert_int_equal(info.node_count, 2);
	assert_int_equal(info.nodes[0].file_pages, 4000);
	assert_int_equal(info.nodes[0].reclaimable_pages, 520);
	assert_int_equal(info.nodes[1].node, 1);
	zoneinfo_deinit(&info);
}

static void test_available(void **state)
{
	struct available available;
	struct zoneinfo info;

	assert_int_equal(read_text(state, two_nodes, &info, NULL), 0);
	assert_int_equal(zoneinfo_managed_pages(&info, 0), 403840);
	assert_int_equal(zoneinfo_managed_pages(&info, ZONEINFO_ALL_NODES),
			 803840);
	/*
	 * free 23840, reserve (1938 + 115 - 16) + 1500 = 3537: no boost is kept
	 * back. low 1349, so of 4000 file pages 2651 and of 520 others 260.
	 */
	zoneinfo_available(&info, 0, &available);
	assert_true(available.known);
	assert_int_equal(available.reserve, 3537);
	assert_int_equal(available.result, 23840 - 3537 + 2651 + 260);
	/* The reserve of node 1 is more than it has. */
	zoneinfo_available(&info, 1, &available);
	assert_true(available.known);
	assert_int_equal(available.result, 0);
	zoneinfo_available(&info, ZONEINFO_ALL_NODES, &available);
	assert_int_equal(available.result, 24540 - 5037 + (4400 - 2200) + 260);
	/* Up to Linux 4.4 the low watermarks are taken off, on each node too. */
	zoneinfo_hold_available(&info, available.result);
	assert_false(info.takes_low);
	zoneinfo_hold_available(&info, 24540 - available.low + 2200 + 260);
	assert_true(info.takes_low);
	zoneinfo_available(&info, 0, &available);
	assert_int_equal(available.reserve, 1349);
	assert_int_equal(available.result, 23840 - 1349 + 2651 + 260);
	/* A figure that the file does not have is not 0. */
	for (size_t i = 0; i < info.count; i++)
		info.zones[i].low_pages = -1;
	zoneinfo_available(&info, ZONEINFO_ALL_NODES, &available);
	assert_false(available.known);
	assert_int_equal(available.result, 0);
	zoneinfo_deinit(&info);
}

/* As Linux 2.6.32 has it, without "managed". */
static void test_old(void **state)
{
	static const char old[] = "Node 0, zone   Normal\n"
				  "  pages free     700\n"
				  "        min      100\n"
				  "        low      120\n"
				  "        high     140\n"
				  "        scanned  0\n"
				  "        spanned  5000\n"
				  "        present  4000\n"
				  "    nr_inactive_file 50\n"
				  "    nr_active_file 30\n"
				  "    nr_slab_reclaimable 20\n"
				  "        protection: (0, 9)\n";
	struct available available;
	struct zoneinfo info;

	assert_int_equal(read_text(state, old, &info, NULL), 0);
	assert_int_equal(zoneinfo_managed_pages(&info, ZONEINFO_ALL_NODES),
			 4000);
	zoneinfo_available(&info, 0, &available);
	assert_true(available.known);
	assert_int_equal(available.result, 700 - 149 + 80 - 40 + 20 - 10);
	assert_int_equal(zone_usable_pages(&info.zones[0]), 700);
	zoneinfo_deinit(&info);
}

/* CMA is in what is free, and what the kernel has for itself is without. */
static void test_cma(void **state)
{
	static const char cma[] = "Node 0, zone   Normal\n"
				  "  pages free     700\n"
				  "        min      100\n"
				  "        low      120\n"
				  "        high     140\n"
				  "        managed  4000\n"
				  "        cma      650\n"
				  "        protection: (0, 0)\n"
				  "      nr_free_cma  610\n";
	struct available available;
	struct zoneinfo info;

	assert_int_equal(read_text(state, cma, &info, NULL), 0);
	assert_int_equal(info.zones[0].cma_pages, 610);
	assert_int_equal(zone_usable_pages(&info.zones[0]), 90);
	/* Neither count is behind by more than the processors have of it. */
	assert_true(zone_is_sound(&info.zones[0]));
	info.zones[0].free_pages = 600;
	info.zones[0].lag_pages = 10;
	assert_true(zone_is_sound(&info.zones[0]));
	info.zones[0].lag_pages = 9;
	assert_false(zone_is_sound(&info.zones[0]));
	/* No list of files: what is available is not known, rather than less. */
	zoneinfo_available(&info, 0, &available);
	assert_false(available.known);
	zoneinfo_deinit(&info);
}

static void test_not_there(void **state)
{
	struct tree_fixture *fixture = *state;
	struct zoneinfo info;
	struct error err;

	assert_int_equal(zoneinfo_read(&info, &fixture->root, &err), -ENOENT);
	assert_string_equal(text_of(&err),
			    "reading: /proc/zoneinfo: No such file or "
			    "directory");
	zoneinfo_deinit(&info);
}

static void test_damaged(void **state)
{
	static const char *const texts[] = {
		"",
		"Node 0, zone\n  pages free 1\n",
		"Node x, zone DMA\n        managed  1\n",
		"Node 0, zone a-name-that-is-too-long\n        managed  1\n",
		"        managed  1\n",
		"Node 0, zone DMA\n        managed  -1\n",
		"Node 0, zone DMA\n        managed  99999999999999999999\n",
	};
	struct zoneinfo info;
	struct error err;

	for (size_t i = 0; i < COUNT_OF(texts); i++) {
		assert_int_equal(read_text(state, texts[i], &info, &err),
				 -EBADMSG);
		assert_string_equal(text_of(&err),
				    "reading: /proc/zoneinfo: no zone in it");
		zoneinfo_deinit(&info);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_zones, set_up,
						tree_fixture_tear_down),
		cmocka_unit_test_setup_teardown(test_available, set_up,
						tree_fixture_tear_down),
		cmocka_unit_test_setup_teardown(test_old, set_up,
						tree_fixture_tear_down),
		cmocka_unit_test_setup_teardown(test_cma, set_up,
						tree_fixture_tear_down),
		cmocka_unit_test_setup_teardown(test_not_there, set_up,
						tree_fixture_tear_down),
		cmocka_unit_test_setup_teardown(test_damaged, set_up,
						tree_fixture_tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
