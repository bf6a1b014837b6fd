// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Every reason that explain, memory and the summary give in words is a value.
 * Each has a host where it holds and one where it does not.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "devices/devices.h"
#include "lib/cleanup.h"
#include "measure/zoneinfo.h"
#include "memory/available.h"
#include "memory/reserve.h"
#include "memory/memory_heads.h"
#include "memory/memory_reading.h"
#include "test.h"
#include "tree.h"

/* 40,000 pages, in one zone of a host without huge pages. */
#define TOTAL "MemTotal: 160000 kB\n"
#define FREE "MemFree: 100000 kB\n"
#define PROGRAMS "AnonPages: 16000 kB\n"
#define CACHES "Cached: 8000 kB\nBuffers: 4000 kB\nSReclaimable: 800 kB\n"
#define LISTS                                                                  \
	"Active(anon): 16000 kB\nInactive(anon): 0 kB\nUnevictable: 0 kB\n"    \
	"Active(file): 12000 kB\nInactive(file): 0 kB\n"
#define WHOLE TOTAL FREE PROGRAMS CACHES LISTS

/* The zones manage @managed pages, of which they keep back @high and more. */
static void add_zones(const struct tree *tree, unsigned int managed,
		      unsigned int high, const char *protection)
{
	char text[512];

	snprintf(text, sizeof(text),
		 "Node 0, zone   Normal\n  pages free     25000\n"
		 "        min      100\n        low      200\n"
		 "        high     %u\n        spanned  %u\n"
		 "        present  %u\n        managed  %u\n"
		 "        protection: (0, %s)\n  pagesets\n    cpu: 0\n"
		 "              count:    5\n  vm stats threshold: 4\n",
		 high, managed, managed, managed, protection);
	tree_add_text(tree, "proc/zoneinfo", text);
}

static void open_host(struct tree_fixture *host, const char *meminfo,
		      unsigned int managed)
{
	struct error err;

	tree_create(&host->tree);
	assert_int_equal(sysroot_init(&host->root, host->tree.path, &err), 0);
	tree_add_text(&host->tree, "proc/meminfo", meminfo);
	if (managed)
		add_zones(&host->tree, managed, 300, "0");
}

static void close_host(struct tree_fixture *host)
{
	sysroot_deinit(&host->root);
	tree_destroy(&host->tree);
}

static enum memory_unknown find_unknown(const char *meminfo,
					unsigned int managed, bool is_dump,
					const char *vmstat)
{
	struct memory_reading reading;
	struct memory_heads heads;
	struct tree_fixture host;

	open_host(&host, meminfo, managed);
	if (vmstat)
		tree_add_text(&host.tree, "proc/vmstat", vmstat);
	assert_int_equal(memory_read(&reading, &host.root, NULL), 0);
	reading.is_dump = is_dump;
	memory_heads_init(&heads, &reading);
	assert_int_equal(heads.has_rest, heads.why_no_rest == MEMORY_KNOWN);
	memory_reading_deinit(&reading);
	close_host(&host);
	return heads.why_no_rest;
}

static void what_is_unaccounted_is_not_known(void **state
					     __attribute__((unused)))
{
	static const struct {
		const char *meminfo;
		unsigned int managed;
		bool is_dump;
		const char *vmstat;
	} hosts[MEMORY_UNKNOWNS] = {
		[MEMORY_KNOWN] = { WHOLE, 40000, false },
		[MEMORY_TOTAL_IS_0] = { "MemTotal: 0 kB\n" FREE PROGRAMS CACHES,
					0, false },
		[MEMORY_OTHER_MEMORY] = { WHOLE, 90000, false,
					  "nr_free_pages 25000\n" },
		[MEMORY_LACKS_ZONES] = { WHOLE, 30000, false,
					 "nr_free_pages 60000\n" },
		[MEMORY_DUMP_LACKS] = { TOTAL FREE CACHES, 40000, true },
		[MEMORY_LACKS_FREE] = { TOTAL PROGRAMS CACHES, 40000, false },
		[MEMORY_LACKS_PROGRAMS] = { TOTAL FREE CACHES, 40000, false },
		[MEMORY_LACKS_CACHES] = { TOTAL FREE PROGRAMS, 40000, false },
	};

	for (enum memory_unknown why = 0; why < MEMORY_UNKNOWNS; why++) {
		assert_int_equal(
			find_unknown(hosts[why].meminfo, hosts[why].managed,
				     hosts[why].is_dump, hosts[why].vmstat),
			why);
		/* The host of the next value is one where it does not hold. */
		assert_int_not_equal(
			find_unknown(hosts[(why + 1) % MEMORY_UNKNOWNS].meminfo,
				     hosts[(why + 1) % MEMORY_UNKNOWNS].managed,
				     hosts[(why + 1) % MEMORY_UNKNOWNS].is_dump,
				     hosts[(why + 1) % MEMORY_UNKNOWNS].vmstat),
			why);
		assert_int_equal(*memory_unknown_text(why) == '\0',
				 why == MEMORY_KNOWN);
	}
}

#define USUAL_RATIO "256\t256\t32\t0\t0\n"

static enum reserve_cause find_cause(const char *const settings[5])
{
	struct memory_reading reading;
	struct tree_fixture host;
	struct reserve reserve;
	char text[256];

	open_host(&host, WHOLE, 40000);
	tree_add_text(&host.tree, "proc/sys/vm/min_free_kbytes", settings[0]);
	tree_add_text(&host.tree, "proc/sys/vm/watermark_scale_factor",
		      settings[1]);
	tree_add_text(&host.tree, "proc/sys/vm/extra_free_kbytes", settings[2]);
	add_zones(&host.tree, 40000, 300, settings[3]);
	tree_add_text(&host.tree, "proc/sys/vm/lowmem_reserve_ratio",
		      settings[4]);
	assert_int_equal(memory_read(&reading, &host.root, NULL), 0);
	reserve_find(&reserve, &reading);
	reserve_text(&reserve, &reading, text, sizeof(text));
	assert_int_equal(*text == '\0', reserve.cause == RESERVE_USUAL);
	memory_reading_deinit(&reading);
	close_host(&host);
	return reserve.cause;
}

/* 160,000 KiB: the kernel takes 1,600, and khugepaged at most 8,000 KiB. */
static void the_reserve_is_large(void **state __attribute__((unused)))
{
	static const char *const hosts[RESERVE_CAUSES][5] = {
		[RESERVE_USUAL] = { "8000\n", "10\n", "0\n", "9000",
				    USUAL_RATIO },
		[RESERVE_MIN_FREE] = { "70000\n", "10\n", "0\n", "0",
				       USUAL_RATIO },
		[RESERVE_EXTRA_FREE] = { "8000\n", "10\n", "60000\n", "0",
					 USUAL_RATIO },
		[RESERVE_WATERMARK_SCALE] = { "8000\n", "900\n", "0\n", "0",
					      USUAL_RATIO },
		[RESERVE_LOWMEM] = { "8000\n", "10\n", "0\n", "9000",
				     "256\t1\t32\t0\t0\n" },
	};

	for (enum reserve_cause cause = 0; cause < RESERVE_CAUSES; cause++) {
		enum reserve_cause other = (cause + 1) % RESERVE_CAUSES;

		assert_int_equal(find_cause(hosts[cause]), cause);
		assert_int_not_equal(find_cause(hosts[other]), cause);
	}
}

static enum available_difference find_difference(const char *available,
						 unsigned int managed)
{
	enum available_difference difference;
	struct memory_reading reading;
	struct available is;
	struct tree_fixture host;
	char meminfo[512];

	snprintf(meminfo, sizeof(meminfo), WHOLE "MemAvailable: %s kB\n",
		 available);
	open_host(&host, meminfo, managed);
	tree_add_text(&host.tree, "sys/devices/system/cpu/possible", "0\n");
	assert_int_equal(memory_read(&reading, &host.root, NULL), 0);
	memory_available(&is, &reading);
	assert_true(is.known);
	/* 25,000 - 300 + 3,000 - 200 + 200 - 100 pages */
	assert_int_equal(is.result, 27600);
	difference = available_difference(&reading, &is);
	assert_int_equal(available_difference_text(difference) == NULL,
			 difference == AVAILABLE_SAME);
	memory_reading_deinit(&reading);
	close_host(&host);
	return difference;
}

static void available_is_not_what_it_adds_up_to(void **state
						__attribute__((unused)))
{
	static const struct {
		const char *available;
		unsigned int managed;
	} hosts[AVAILABLE_DIFFERENCES] = {
		[AVAILABLE_SAME] = { "110400", 40000 },
		[AVAILABLE_OF_OTHER_MEMORY] = { "110400", 90000 },
		[AVAILABLE_MOVED] = { "110360", 40000 },
		[AVAILABLE_UNEXPLAINED] = { "80000", 40000 },
	};

	for (enum available_difference why = 0; why < AVAILABLE_DIFFERENCES;
	     why++) {
		enum available_difference other =
			(why + 1) % AVAILABLE_DIFFERENCES;

		assert_int_equal(find_difference(hosts[why].available,
						 hosts[why].managed),
				 why);
		assert_int_not_equal(find_difference(hosts[other].available,
						     hosts[other].managed),
				     why);
	}
}

/* Cached and Buffers are 3,000 pages. */
#define OTHER "nr_file_pages 70000\n"

/* The module's file says that a device has @pages; Buffers are 1,000. */
static enum buffers_doubt find_doubt(unsigned int pages, unsigned int managed,
				     const char *vmstat)
{
	_cleanup_(devices_deinit) struct devices devices = { 0 };
	struct tree_fixture host;
	char text[512];
	struct error err;

	open_host(&host, WHOLE, managed);
	tree_add_text(&host.tree, "proc/vmstat", vmstat);
	snprintf(text, sizeof(text),
		 "bufstat-devices 1.0\nmodule_version 0.1.0\npage_size 4096\n"
		 "devices 1\npages %u\nbufferram_pages 1000\n"
		 "file_pages 4000\ncolumns major minor name pages\n"
		 "8 0 sda %u\nend 1\n",
		 pages, pages);
	tree_add_text(&host.tree, "sys/kernel/debug/bufstat/devices", text);
	assert_int_equal(devices_init(&devices, &host.root, "module", &err), 0);
	if (devices.collected < 0)
		fail_msg("%s", text_of(&devices.why));
	assert_int_equal(devices.has_buffers, devices.doubt != BUFFERS_FOREIGN);
	assert_int_equal(devices.is_whole, devices.doubt == BUFFERS_SOUND);
	assert_int_equal(*buffers_doubt_text(devices.shown_doubt) == '\0',
			 devices.shown_doubt == BUFFERS_SOUND);
	close_host(&host);
	return devices.shown_doubt;
}

static void devices_have_more_than_buffers(void **state __attribute__((unused)))
{
	static const struct {
		unsigned int pages, managed;
	} hosts[BUFFERS_DOUBTS] = {
		[BUFFERS_SOUND] = { 900, 40000 },
		[BUFFERS_FOREIGN] = { 1100, 90000 },
		/* Only a running host can be read again: the next test. */
		[BUFFERS_MOVED] = { 0, 0 },
		[BUFFERS_EXCEEDED] = { 1100, 40000 },
	};

	for (enum buffers_doubt why = 0; why < BUFFERS_DOUBTS; why++) {
		if (!hosts[why].pages)
			continue;
		assert_int_equal(find_doubt(hosts[why].pages,
					    hosts[why].managed, OTHER),
				 why);
	}
	assert_int_equal(find_doubt(900, 90000, OTHER), BUFFERS_SOUND);
	assert_int_equal(find_doubt(1000, 40000, OTHER), BUFFERS_SOUND);
	/* MemTotal alone is another's; the caches are the kernel's. */
	assert_int_equal(find_doubt(1100, 90000, "nr_file_pages 3001\n"),
			 BUFFERS_EXCEEDED);
}

/* Expects what is found out where a device has a page more than Buffers. */
static bool is_doubted(const struct sysroot *live, uint64_t off_kib,
		       enum buffers_doubt doubt)
{
	_cleanup_(devices_deinit) struct devices devices = { 0 };
	_cleanup_(snapshot_deinit) struct snapshot snapshot = {
		.page_size = 4096,
	};
	struct sample *sample;
	struct error err;

	assert_int_equal(meminfo_read(&devices.meminfo, live, &err), 0);
	devices.meminfo.kib[MEMINFO_BUFFERS] += off_kib;
	sample = snapshot_add(&snapshot, 8, 0);
	assert_non_null(sample);
	sample_set(sample, FIGURE_PAGES,
		   devices.meminfo.kib[MEMINFO_BUFFERS] / 4 + 1);
	assert_int_equal(devices_take(&devices, &snapshot), 0);
	return devices_find_doubt(&devices, live) == doubt;
}

/* Somebody may read a device meanwhile, so quiet Buffers are tried for. */
static void buffers_of_a_running_host_moved(void **state
					    __attribute__((unused)))
{
	struct sysroot live;
	struct error err;
	bool is_quiet = false;

	assert_int_equal(sysroot_init(&live, NULL, &err), 0);
	if (is_doubted(&live, 4, BUFFERS_FOREIGN)) {
		sysroot_deinit(&live);
		SKIP_BECAUSE("/proc/meminfo is a container's own");
	}
	assert_true(is_doubted(&live, 4, BUFFERS_MOVED));
	for (int i = 0; !is_quiet && i < 100; i++)
		is_quiet = is_doubted(&live, 0, BUFFERS_SOUND);
	assert_true(is_quiet);
	sysroot_deinit(&live);
}

/* A file is named only if it was read. */
static void a_count_has_the_file_that_it_was_read_from(void **state
						       __attribute__((unused)))
{
	struct memory_reading reading;
	struct tree_fixture host;

	open_host(&host, WHOLE, 0);
	assert_int_equal(memory_read(&reading, &host.root, NULL), 0);
	assert_int_equal(reading.zoneinfo_failed, ENOENT);
	assert_true(reading.fields.is_of_meminfo[MEMORY_NR_ANON]);
	memory_reading_deinit(&reading);

	tree_add_text(&host.tree, "proc/vmstat", "nr_anon_pages 4000\n");
	add_zones(&host.tree, 40000, 300, "0");
	assert_int_equal(memory_read(&reading, &host.root, NULL), 0);
	assert_int_equal(reading.zoneinfo_failed, 0);
	assert_false(reading.fields.is_of_meminfo[MEMORY_NR_ANON]);
	memory_reading_deinit(&reading);
	close_host(&host);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_is_unaccounted_is_not_known),
		cmocka_unit_test(the_reserve_is_large),
		cmocka_unit_test(available_is_not_what_it_adds_up_to),
		cmocka_unit_test(devices_have_more_than_buffers),
		cmocka_unit_test(buffers_of_a_running_host_moved),
		cmocka_unit_test(a_count_has_the_file_that_it_was_read_from),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
