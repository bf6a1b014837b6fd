// SPDX-License-Identifier: GPL-2.0-or-later
#include <stdio.h>
#include <string.h>

#include "lib/lesser.h"
#include "measure/zoneinfo.h"
#include "memory/available.h"
#include "memory/give_back.h"
#include "memory/memory_heads.h"
#include "memory/memory_reading.h"
#include "memory/reserve.h"
#include "memory/zone_sums.h"
#include "test.h"

enum { ZONES = 4 };

/* 16 GiB, of which 6 can be moved only. */
static const struct {
	const char *name;
	long long managed, protection;
} machine[ZONES] = {
	{ "DMA", 3840, 16289 },
	{ "DMA32", 760000, 13320 },
	{ "Normal", 1830000, 49375 },
	{ "Movable", 1580000, 0 },
};

static const long long sharing = 3840 + 760000 + 1830000;

/* In pages, pages, and 1/10,000; beyond what the ratios are usually. */
struct settings {
	long long min_free, extra_free, scale;
	long long lowmem; /* pages for each zone but the last */
};

/* What Linux makes of the settings, in whole numbers as it does. */
static void write_zone(char *text, size_t size, size_t i,
		       const struct settings *settings, long long boost)
{
	long long managed = machine[i].managed;
	long long share = settings->min_free * managed / sharing;
	long long gap = greater(share / 4, managed * settings->scale / 10000);
	bool is_movable = strcmp(machine[i].name, "Movable") == 0;
	long long min = is_movable ? 128 : share;
	long long low = min + gap + settings->extra_free * managed / sharing;
	long long kept =
		machine[i].protection + (is_movable ? 0 : settings->lowmem);

	snprintf(text, size,
		 "Node 0, zone %8s\n  pages free     %lld\n"
		 "        boost    %lld\n"
		 "        min      %lld\n        low      %lld\n"
		 "        high     %lld\n        spanned  %lld\n"
		 "        present  %lld\n        managed  %lld\n"
		 "        protection: (0, %lld, %lld)\n",
		 machine[i].name, managed / 3 * 2, boost, min + boost,
		 low + boost, low + gap + boost, managed, managed, managed,
		 kept / 2, kept);
}

static void make(struct memory_reading *reading,
		 const struct settings *settings, long long boost)
{
	char text[4096] = "";
	struct available is;

	for (size_t i = 0; i < ZONES; i++)
		write_zone(text + strlen(text), sizeof(text) - strlen(text), i,
			   settings, i == 2 ? boost : 0);
	*reading = (struct memory_reading){ .page_size = 4096 };
	assert_int_equal(zoneinfo_parse(&reading->zones, text), 0);
	memory_zones_add_up(&reading->zones, &reading->fields);
	memory_set(&reading->fields, MEMORY_TOTAL, sharing + 1580000);
	memory_set(&reading->fields, MEMORY_NR_FREE, 2600000);
	memory_set(&reading->fields, MEMORY_NR_ACTIVE_FILE, 300000);
	memory_set(&reading->fields, MEMORY_NR_INACTIVE_FILE, 200000);
	memory_set(&reading->fields, MEMORY_NR_SLAB_RECLAIMABLE, 90000);
	memory_set(&reading->fields, MEMORY_MIN_FREE, settings->min_free);
	memory_set(&reading->fields, MEMORY_EXTRA_FREE, settings->extra_free);
	memory_set(&reading->fields, MEMORY_WATERMARK_SCALE, settings->scale);
	memory_set(&reading->fields, MEMORY_LOWMEM_RATIO,
		   settings->lowmem ? 1 : 32);
	memory_available(&is, reading);
	assert_true(is.known);
}

/* What there is to gain is what there is once somebody has done it. */
static void what_is_gained_when_it_is_done(void **state __attribute__((unused)))
{
	static const struct {
		struct settings settings;
		enum reserve_cause cause;
		long long boost;
	} hosts[] = {
		{ { 500000, 0, 10, 0 }, RESERVE_MIN_FREE, 0 },
		{ { 500000, 0, 10, 0 }, RESERVE_MIN_FREE, 3000 },
		{ { 90000, 0, 900, 0 }, RESERVE_MIN_FREE, 0 },
		{ { 90000, 0, 900, 0 }, RESERVE_WATERMARK_SCALE, 0 },
		{ { 90000, 0, 900, 0 }, RESERVE_WATERMARK_SCALE, 3000 },
		{ { 16896, 0, 300, 0 }, RESERVE_WATERMARK_SCALE, 0 },
		{ { 40000, 0, 3000, 0 }, RESERVE_WATERMARK_SCALE, 0 },
		{ { 16896, 200000, 10, 0 }, RESERVE_EXTRA_FREE, 0 },
		{ { 90000, 200000, 500, 0 }, RESERVE_EXTRA_FREE, 0 },
		{ { 16896, 0, 10, 400000 }, RESERVE_LOWMEM, 0 },
		{ { 90000, 0, 10, 900000 }, RESERVE_LOWMEM, 3000 },
	};

	for (size_t i = 0; i < sizeof(hosts) / sizeof(*hosts); i++) {
		struct settings then = hosts[i].settings;
		struct memory_reading before, after;
		struct available was, is;
		struct reserve reserve;
		long long *set =
			hosts[i].cause == RESERVE_MIN_FREE ? &then.min_free :
			hosts[i].cause == RESERVE_EXTRA_FREE ?
							     &then.extra_free :
			hosts[i].cause == RESERVE_LOWMEM ? &then.lowmem :
							   &then.scale;

		make(&before, &hosts[i].settings, hosts[i].boost);
		assert_true(reserve_has(&reserve, &before, hosts[i].cause));
		assert_int_equal(reserve.cause, hosts[i].cause);
		/* Each zone keeps so much. */
		assert_in_range(
			reserve.setting - *set, 0,
			hosts[i].cause == RESERVE_LOWMEM ? 2 * *set + 100 : 0);
		*set = reserve.usual;
		make(&after, &then, hosts[i].boost);
		memory_available(&was, &before);
		memory_available(&is, &after);
		/* A page for the low, and two for the high mark of a zone. */
		assert_in_range(reserve.gain - (is.result - was.result) +
					3 * ZONES,
				0, 2 * 3 * ZONES);
		assert_true(reserve.gain > 0);
		assert_false(reserve_has(&reserve, &after, hosts[i].cause));
		memory_reading_deinit(&before);
		memory_reading_deinit(&after);
	}
}

/* Each keeps back its own part, and none what belongs to the zones below. */
static void each_keeps_its_own_part(void **state __attribute__((unused)))
{
	const struct settings settings = { 90000, 0, 900, 0 };
	struct memory_reading reading;
	struct reserve of_min, of_scale;
	struct available is;
	char text[256];

	make(&reading, &settings, 0);
	memory_available(&is, &reading);
	assert_true(reserve_has(&of_min, &reading, RESERVE_MIN_FREE));
	assert_true(reserve_has(&of_scale, &reading, RESERVE_WATERMARK_SCALE));
	/* DMA is kept back whole, whatever is set. The gap is of the scale. */
	assert_in_range(of_min.pages, 90000 * 99 / 100, 90000);
	assert_in_range(of_scale.pages, 4170000 / 10000 * 2 * 900 * 90 / 100,
			4170000 / 10000 * 2 * 900);
	assert_true(of_min.pages + of_scale.pages < is.reserve);
	reserve_find(&of_min, &reading);
	assert_int_equal(of_min.cause, RESERVE_WATERMARK_SCALE);
	reserve_text(&of_min, &reading, text, sizeof(text));
	assert_non_null(strstr(text, "vm.watermark_scale_factor is 900 (usual "
				     "is 10), which keeps 2."));
	memory_reading_deinit(&reading);
}

static void each_has_an_action(void **state __attribute__((unused)))
{
	const struct settings settings = { 90000, 0, 900, 0 };
	struct memory_reading reading;
	struct memory_heads heads;
	struct give_backs table;
	size_t found = 0;

	make(&reading, &settings, 0);
	memory_heads_init(&heads, &reading);
	give_backs_init(&table, &reading, &heads);
	for (size_t i = 0; i < table.count; i++) {
		const struct give_back *action = &table.actions[i];

		if (action->id != GIVE_BACK_LOWER_RESERVE)
			continue;
		assert_string_equal(action->command,
				    found++ ? "sysctl "
					      "vm.watermark_scale_factor=10" :
					      "sysctl "
					      "vm.min_free_kbytes=90112");
	}
	assert_int_equal(found, 2);
	memory_reading_deinit(&reading);
}

static void what_a_ratio_keeps(void **state __attribute__((unused)))
{
	const struct settings settings = { 16896, 0, 10, 400000 };
	struct memory_reading reading;
	struct reserve reserve;
	char text[256];

	make(&reading, &settings, 0);
	reserve_find(&reserve, &reading);
	assert_int_equal(reserve.cause, RESERVE_LOWMEM);
	/* DMA is kept back whole, whatever is set. */
	assert_in_range(reserve.pages, 2 * 400000, 2 * 400000 + 3840);
	reserve_text(&reserve, &reading, text, sizeof(text));
	assert_string_equal(text, "vm.lowmem_reserve_ratio is lower than "
				  "usual, which keeps 3.1G from programs");
	reserve_usual_setting(&reserve, &reading, text, sizeof(text));
	assert_string_equal(text, "\"256 256 32 0\"");
	/* What a balloon has left of the higher zones is no setting. */
	memory_set(&reading.fields, MEMORY_LOWMEM_RATIO, 32);
	assert_false(reserve_has(&reserve, &reading, RESERVE_LOWMEM));
	reading.fields.known[MEMORY_LOWMEM_RATIO] = false;
	assert_false(reserve_has(&reserve, &reading, RESERVE_LOWMEM));
	memory_reading_deinit(&reading);
}

/* Without the lists, no more than all of memory. */
static void what_cannot_be_worked_out(void **state __attribute__((unused)))
{
	const struct settings settings = { 2500000, 0, 10, 0 };
	struct memory_reading reading;
	struct reserve reserve;

	make(&reading, &settings, 0);
	reading.fields.known[MEMORY_NR_ACTIVE_FILE] = false;
	assert_true(reserve_has(&reserve, &reading, RESERVE_MIN_FREE));
	assert_int_equal(reserve.gain,
			 memory_get(&reading.fields, MEMORY_TOTAL));
	memory_reading_deinit(&reading);
}

/* Before Linux 4.5 no more than the low watermarks are taken off. */
static void what_old_kernels_keep(void **state __attribute__((unused)))
{
	const struct settings settings = { 500000, 0, 0, 0 };
	struct memory_reading reading;
	struct reserve reserve;

	make(&reading, &settings, 0);
	memory_set(&reading.fields, MEMORY_ZONE_RESERVE,
		   memory_get(&reading.fields, MEMORY_ZONE_LOW));
	assert_true(reserve_has(&reserve, &reading, RESERVE_MIN_FREE));
	/* The quarter is of the zone that can be moved, too. */
	assert_in_range(reserve.pages, 500000 * 140 / 100, 500000 * 142 / 100);
	memory_reading_deinit(&reading);
}

/* Files that nobody's kernel has written. */
static void settings_beyond_all_memory(void **state __attribute__((unused)))
{
	const long long most = MEMORY_MOST_PAGES;
	const struct settings settings = { 500000, 0, 10, 0 };
	struct memory_reading reading;
	struct reserve reserve;

	make(&reading, &settings, 0);
	memory_set(&reading.fields, MEMORY_MIN_FREE, most);
	memory_set(&reading.fields, MEMORY_WATERMARK_SCALE, most);
	memory_set(&reading.fields, MEMORY_EXTRA_FREE, most);
	for (enum reserve_cause cause = RESERVE_USUAL + 1;
	     cause < RESERVE_CAUSES; cause++) {
		if (reserve_has(&reserve, &reading, cause))
			assert_true(reserve.pages <=
				    memory_get(&reading.fields, MEMORY_TOTAL));
	}
	memory_reading_deinit(&reading);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_is_gained_when_it_is_done),
		cmocka_unit_test(each_keeps_its_own_part),
		cmocka_unit_test(each_has_an_action),
		cmocka_unit_test(what_a_ratio_keeps),
		cmocka_unit_test(what_cannot_be_worked_out),
		cmocka_unit_test(what_old_kernels_keep),
		cmocka_unit_test(settings_beyond_all_memory),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
