// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "lib/cleanup.h"
#include "lib/error.h"
#include "lib/sysroot.h"
#include "measure/saved.h"
#include "memory/available.h"
#include "memory/memory_details.h"
#include "memory/memory_reading.h"
#include "memory/memory_saved.h"
#include "memory/zone_sums.h"

#define MAX_SIZE (1U << 20)
/* 4,096 processors and 5 zones on each of 64 nodes are far below that. */
#define MAX_ZONEINFO (64U << 20)
#define SAMPLES 3
#define BETWEEN_NS 300000000
/*
 * Pages that a processor may hold in its batches before it adds them to an LRU
 * list: 31 a batch since Linux 6.12, 15 before, for a file and an anonymous one.
 */
#define BATCHES_PAGES 62

static int read_file(const struct sysroot *root, const char *path, size_t limit,
		     char **text, size_t *size, struct error *err)
{
	int ret = sysroot_read(root, path, limit, text, size);

	return ret < 0 ? error_errno(err, -ret, "reading", path) : 0;
}

/* Only the first is always there: the others are parts of other kernels. */
struct texts {
	char *meminfo, *vmstat, *zoneinfo;
	size_t meminfo_size, vmstat_size;
	int vmstat_failed, zoneinfo_failed; /* errno */
};

static void texts_deinit(struct texts *texts)
{
	free(texts->meminfo);
	free(texts->vmstat);
	free(texts->zoneinfo);
}

/* The same for a file that a kernel may lack: its text stays NULL. */
static int read_if_any(const struct sysroot *root, const char *path,
		       size_t limit, char **text, size_t *size, int *failed)
{
	int ret = sysroot_read(root, path, limit, text, size);

	*failed = ret < 0 ? -ret : 0;
	return only_enomem(ret);
}

/* Reads all three before it parses any: they should be of one instant. */
static int read_texts(struct texts *texts, const struct sysroot *root,
		      struct error *err)
{
	int ret = read_file(root, "/proc/meminfo", MAX_SIZE, &texts->meminfo,
			    &texts->meminfo_size, err);

	if (!ret)
		ret = read_if_any(root, "/proc/zoneinfo", MAX_ZONEINFO,
				  &texts->zoneinfo, NULL,
				  &texts->zoneinfo_failed);
	if (!ret)
		ret = read_if_any(root, "/proc/vmstat", MAX_SIZE,
				  &texts->vmstat, &texts->vmstat_size,
				  &texts->vmstat_failed);
	return ret == -ENOMEM ? error_errno(err, ENOMEM, "reading", "/proc") :
				ret;
}

static int64_t distance(int64_t a, int64_t b)
{
	return a > b ? a - b : b - a;
}

/* The sizes of pages that there are: 4 KiB to 64 KiB. */
#define PAGE_SIZES 5

/* A count in both units speaks for the size that makes one of the other. */
static void vote(unsigned int votes[PAGE_SIZES], int64_t kib, int64_t pages)
{
	for (int i = 0; pages > 0 && i < PAGE_SIZES; i++)
		votes[i] += distance(pages * (INT64_C(4) << i), kib) <=
			    kib / 16;
}

/*
 * The page size of a captured host: that for which most counts are the same in
 * /proc/meminfo and in the files that count pages. A container may have made up
 * some of the former, but not all. 4 KiB if nothing says otherwise. A huge page
 * has one entry for each 8 bytes of a page.
 */
static uint64_t find_page_size(const struct texts *texts,
			       const struct memory_reading *reading)
{
	const struct memory_fields *pages = &reading->fields;
	unsigned int votes[PAGE_SIZES] = { 0 };
	struct memory_fields kib = { 0 };
	int most = 0;

	/* Pages of 1 KiB: the numbers of the file as they are. */
	memory_parse_meminfo(&kib, texts->meminfo, texts->meminfo_size, 1024);
	for (enum memory_field field = 0; field < MEMORY_FIELDS; field++) {
		if (memory_has(&kib, field))
			vote(votes, memory_get(&kib, field),
			     memory_get(pages, field));
	}
	vote(votes, memory_get(&kib, MEMORY_TOTAL),
	     memory_get(pages, MEMORY_ZONE_MANAGED));
	vote(votes, memory_get(&kib, MEMORY_NR_FREE),
	     memory_get(pages, MEMORY_ZONE_FREE));
	for (int i = 0; i < PAGE_SIZES; i++) {
		votes[i] += reading->default_pool.size_kib == UINT64_C(2048)
								      << 2 * i;
		most = votes[i] > votes[most] ? i : most;
	}
	return UINT64_C(4096) << most;
}

static int take_sample(struct memory_reading *reading,
		       const struct sysroot *root, struct error *err)
{
	_cleanup_(texts_deinit) struct texts texts = { 0 };
	struct memory_fields *fields = &reading->fields;
	int ret = read_texts(&texts, root, err);

	if (ret < 0)
		return ret;
	if (texts.vmstat)
		memory_parse_vmstat(fields, texts.vmstat, texts.vmstat_size);
	reading->zoneinfo_failed = texts.zoneinfo_failed;
	if (texts.zoneinfo)
		ret = zoneinfo_parse(&reading->zones, texts.zoneinfo);
	if (ret < 0)
		return error_errno(err, -ret, "reading", "/proc/zoneinfo");
	reading->lacks_zones =
		texts.vmstat &&
		zoneinfo_missing_pages(&reading->zones, texts.vmstat);
	memory_zones_add_up(&reading->zones, fields);
	memory_parse_pool(&reading->default_pool, texts.meminfo,
			  texts.meminfo_size);
	if (sysroot_is_live(root))
		reading->page_size = (uint64_t)sysconf(_SC_PAGESIZE);
	else if (!reading->page_size)
		reading->page_size = find_page_size(&texts, reading);
	memory_parse_meminfo(fields, texts.meminfo, texts.meminfo_size,
			     reading->page_size);
	if (!memory_has(fields, MEMORY_TOTAL))
		return error_doing(err, ERROR_UNUSABLE, "reading",
				   "/proc/meminfo", "no MemTotal in it");
	available_find_reserve(reading);
	return 0;
}

bool memory_overlap(const struct memory_reading *reading, int64_t *pages)
{
	static const enum memory_field lists[] = {
		MEMORY_NR_ACTIVE_ANON, MEMORY_NR_INACTIVE_ANON,
		MEMORY_NR_ACTIVE_FILE, MEMORY_NR_INACTIVE_FILE,
		MEMORY_NR_UNEVICTABLE,
	};
	const struct memory_fields *fields = &reading->fields;

	if (!memory_has(fields, MEMORY_NR_FILE) ||
	    !memory_has(fields, MEMORY_NR_ANON))
		return false;
	*pages = memory_get(fields, MEMORY_NR_FILE) +
		 memory_get(fields, MEMORY_NR_ANON) -
		 memory_get(fields, MEMORY_NR_ISOLATED_ANON) -
		 memory_get(fields, MEMORY_NR_ISOLATED_FILE);
	for (size_t i = 0; i < sizeof(lists) / sizeof(*lists); i++) {
		if (!memory_has(fields, lists[i]))
			return false;
		*pages -= memory_get(fields, lists[i]);
	}
	return true;
}

int64_t memory_overlap_bound(const struct memory_reading *reading)
{
	if (!memory_has(&reading->fields, MEMORY_ZONE_LAG))
		return INT64_MAX;
	return 2 * memory_get(&reading->fields, MEMORY_ZONE_LAG) +
	       (int64_t)BATCHES_PAGES * reading->processors;
}

/* How far the counts contradict each other: what no swap cache explains. */
static int64_t contradiction(const struct memory_reading *reading)
{
	int64_t overlap, most;

	if (!memory_overlap(reading, &overlap))
		return 0;
	most = memory_get(&reading->fields, MEMORY_NR_SWAP_CACHED);
	if (overlap < 0)
		return -overlap;
	return overlap > most ? overlap - most : 0;
}

/*
 * What makes up most of the heads, and moves: free pages, and those of programs
 * and caches, each counted once.
 */
static int64_t sum_of_moving(const struct memory_reading *reading)
{
	const struct memory_fields *fields = &reading->fields;
	int64_t overlap = 0, most;

	memory_overlap(reading, &overlap);
	most = memory_get(fields, MEMORY_NR_SWAP_CACHED);
	return memory_get(fields, MEMORY_ZONE_FREE) +
	       memory_get(fields, MEMORY_ZONE_PER_CPU) +
	       memory_get(fields, MEMORY_NR_FILE) +
	       memory_get(fields, MEMORY_NR_ANON) -
	       (overlap > most ? most : overlap);
}

static void move_sample(struct memory_reading *to, struct memory_reading *from)
{
	zoneinfo_deinit(&to->zones);
	*to = *from;
	from->zones = (struct zoneinfo){ 0 };
}

/*
 * Takes one more sample. Keeps the one that contradicts itself less. Two that
 * contradict themselves by the same amount show something that lasts.
 */
static int take_another(struct memory_reading *reading,
			const struct sysroot *root, struct error *err)
{
	struct memory_reading next = { .processors = reading->processors };
	const unsigned int samples = reading->samples + 1;
	int64_t moved, spread = reading->spread_pages;
	bool settled;
	int ret = take_sample(&next, root, err);

	if (ret < 0) {
		memory_reading_deinit(&next);
		return ret;
	}
	moved = distance(sum_of_moving(&next), sum_of_moving(reading));
	settled = distance(contradiction(&next), contradiction(reading)) <=
		  memory_overlap_bound(&next);
	if (contradiction(&next) <= memory_overlap_bound(&next))
		settled = true;
	if (contradiction(&next) <= contradiction(reading))
		move_sample(reading, &next);
	memory_reading_deinit(&next);
	reading->samples = samples;
	reading->spread_pages = moved > spread ? moved : spread;
	reading->settled = settled;
	return 0;
}

static void wait_a_moment(void)
{
	const struct timespec between = { .tv_nsec = BETWEEN_NS };

	nanosleep(&between, NULL);
}

static int settle(struct memory_reading *reading, const struct sysroot *root,
		  struct error *err)
{
	int ret = take_sample(reading, root, err);

	if (ret < 0)
		return ret;
	reading->samples = 1;
	reading->settled = contradiction(reading) <=
			   memory_overlap_bound(reading);
	/* A captured tree stays as it is. */
	while (!ret && !reading->settled && reading->samples < SAMPLES &&
	       sysroot_is_live(root)) {
		wait_a_moment();
		ret = take_another(reading, root, err);
	}
	return ret;
}

/* Returns as saved_open(). */
static int read_saved(struct memory_reading *reading,
		      const struct sysroot *root, struct error *err)
{
	struct saved saved;
	int ret = saved_open_part(&saved, root, SAVED_MEMORY, err);

	if (ret <= 0)
		return ret;
	return saved_end(&saved, memory_saved_read(&saved, reading), err);
}

int memory_read(struct memory_reading *reading, const struct sysroot *root,
		struct error *err)
{
	int ret;

	*reading = (struct memory_reading){ 0 };
	ret = read_saved(reading, root, err);
	if (ret)
		return ret < 0 ? ret : 0;
	if (!sysroot_is_live(root) && sysroot_exists(root, SAVED_PATH) &&
	    !sysroot_exists(root, "/proc/meminfo"))
		return error_set(err, ENODATA,
				 "the recording has none of "
				 "memory shortly before");
	reading->processors = memory_read_processors(root);
	ret = settle(reading, root, err);
	if (ret < 0)
		return ret;
	ret = memory_read_details(reading, root);
	return ret < 0 ? error_errno(err, -ret, "reading", "/proc") : 0;
}

void memory_reading_deinit(struct memory_reading *reading)
{
	zoneinfo_deinit(&reading->zones);
}

bool memory_is_whole_host(const struct memory_reading *reading)
{
	const struct memory_fields *fields = &reading->fields;
	int64_t total = memory_get(fields, MEMORY_TOTAL);

	/* They are equal, but for what a balloon moves between two reads. */
	return !memory_has(fields, MEMORY_ZONE_MANAGED) ||
	       distance(memory_get(fields, MEMORY_ZONE_MANAGED), total) <=
		       total / 128;
}

bool memory_has_variables(const struct memory_reading *reading)
{
	const struct memory_fields *fields = &reading->fields;

	return !reading->is_dump || (memory_has(fields, MEMORY_VMALLOC_USED) &&
				     memory_has(fields, MEMORY_PERCPU) &&
				     memory_has(fields, MEMORY_HUGETLB));
}

int memory_page_size(const struct sysroot *root, uint64_t *page_size,
		     struct error *err)
{
	struct memory_reading reading = { 0 };
	struct error why;
	int ret;

	*page_size = (uint64_t)sysconf(_SC_PAGESIZE);
	if (sysroot_is_live(root))
		return 0;
	ret = read_saved(&reading, root, &why);
	if (!ret)
		ret = take_sample(&reading, root, &why);
	/* A file that may be missing has an error, too. */
	if (ret < 0 && err)
		*err = why;
	*page_size = ret < 0 ? 0 : reading.page_size;
	memory_reading_deinit(&reading);
	return ret < 0 ? ret : 0;
}
