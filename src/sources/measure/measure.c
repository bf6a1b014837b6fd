// SPDX-License-Identifier: GPL-2.0-or-later
#include <string.h>

#include "lib/cleanup.h"
#include "lib/fields.h"
#include "lib/json_out.h"
#include "lib/lesser.h"
#include "lib/number.h"
#include "lib/sysroot.h"
#include "measure/measure.h"
#include "measure/saved.h"
#include "measure/source.h"
#include "measure/zoneinfo.h"

#define ATTEMPTS 3
/* A count may move by SETTLED_PAGES plus 1/SETTLED_PART of itself. */
#define SETTLED_PAGES 32
#define SETTLED_PART 1000
#define MAX_VMSTAT (1U << 20)
#define FILE_PAGES "nr_file_pages "

int64_t settled_allowance(uint64_t pages)
{
	return SETTLED_PAGES + (int64_t)(pages / SETTLED_PART);
}

bool settled_is_near(uint64_t pages, uint64_t others)
{
	int64_t apart = (int64_t)pages - (int64_t)others;
	int64_t allowed = settled_allowance(pages);

	return apart >= -allowed && apart <= allowed;
}

/*
 * Whether both readings show the same Buffers, or measuring again cannot help.
 */
static bool is_settled(const struct measurement *measurement)
{
	const struct snapshot *snapshot = &measurement->snapshot;
	uint64_t pages;

	if (!snapshot_is_whole(snapshot) ||
	    !meminfo_has(&measurement->meminfo, MEMINFO_BUFFERS) ||
	    !snapshot_sum(snapshot, &pages))
		return true;
	return pages * (snapshot->page_size / 1024) ==
	       measurement->meminfo.kib[MEMINFO_BUFFERS];
}

const char *buffers_doubt_text(enum buffers_doubt doubt)
{
	static const char *const texts[BUFFERS_DOUBTS] = {
		[BUFFERS_SOUND] = "",
		[BUFFERS_FOREIGN] = "Buffers is not this kernel's: "
				    "/proc/meminfo is a container's own",
		[BUFFERS_MOVED] = "Buffers changed while it was measured",
		[BUFFERS_EXCEEDED] = "the devices have more than Buffers says; "
				     "why, is not known",
	};

	return texts[doubt];
}

static bool is_about(uint64_t pages, uint64_t other)
{
	return less(pages, other) + less(other, pages) <= other / 128;
}

/*
 * Whether /proc/meminfo has the kernel's own caches: they add up to the
 * kernel's count of file pages.
 */
static bool has_own_caches(const struct measurement *measurement,
			   const struct sysroot *root)
{
	const uint64_t *kib = measurement->meminfo.kib;
	_cleanup_(freep) char *text = NULL;
	const char *at = NULL;
	uint64_t pages;

	if (sysroot_read(root, "/proc/vmstat", MAX_VMSTAT, &text, NULL) == 0)
		at = strstr(text, FILE_PAGES);
	if (!at)
		return false;
	at += strlen(FILE_PAGES);
	return number_scan(&at, INT64_MAX / measurement->snapshot.page_size,
			   &pages) &&
	       is_about((kib[MEMINFO_CACHED] + kib[MEMINFO_BUFFERS] +
			 kib[MEMINFO_SWAP_CACHED]) *
				1024 / measurement->snapshot.page_size,
			pages);
}

/* Whether the zones manage about as much as MemTotal, as far as it is known. */
static bool is_own_memory(const struct measurement *measurement,
			  const struct sysroot *root)
{
	struct zoneinfo zones;
	uint64_t total;
	bool is_own = true;

	if (zoneinfo_read(&zones, root, NULL) == 0 &&
	    meminfo_pages(&measurement->meminfo, MEMINFO_MEM_TOTAL,
			  measurement->snapshot.page_size, &total))
		is_own = is_about(zoneinfo_managed_pages(&zones,
							 ZONEINFO_ALL_NODES),
				  total);
	zoneinfo_deinit(&zones);
	return is_own;
}

enum buffers_doubt measurement_doubt(const struct measurement *measurement,
				     const struct sysroot *root)
{
	const struct meminfo *meminfo = &measurement->meminfo;
	struct meminfo again;
	int64_t rest;

	if (measurement->collected < 0 ||
	    !measurement_rest(measurement, &rest) || rest >= 0)
		return BUFFERS_SOUND;
	if (!is_own_memory(measurement, root) &&
	    !has_own_caches(measurement, root))
		return BUFFERS_FOREIGN;
	if (sysroot_is_live(root) && meminfo_read(&again, root, NULL) == 0 &&
	    again.kib[MEMINFO_BUFFERS] != meminfo->kib[MEMINFO_BUFFERS])
		return BUFFERS_MOVED;
	/* What is less is said beside the rest. */
	return rest < -settled_allowance(meminfo->kib[MEMINFO_BUFFERS] * 1024 /
					 measurement->snapshot.page_size) ?
		       BUFFERS_EXCEEDED :
		       BUFFERS_SOUND;
}

int measure(const struct sysroot *root, const char *source,
	    struct measurement *measurement, struct error *err)
{
	int attempts = sysroot_is_live(root) ? ATTEMPTS : 1;
	int ret;

	*measurement = (struct measurement){ 0 };
	do {
		snapshot_deinit(&measurement->snapshot);
		ret = meminfo_read(&measurement->meminfo, root, err);
		if (ret < 0)
			return ret;
		measurement->collected = source_collect(root, source,
							&measurement->snapshot,
							&measurement->why);
	} while (measurement->collected == 0 && !is_settled(measurement) &&
		 --attempts);
	measurement->meminfo.doubt = measurement_doubt(measurement, root);
	return 0;
}

void measurement_deinit(struct measurement *measurement)
{
	snapshot_deinit(&measurement->snapshot);
}

bool measurement_rest(const struct measurement *measurement, int64_t *pages)
{
	const struct snapshot *snapshot = &measurement->snapshot;
	uint64_t attributed, buffers;

	if (measurement->meminfo.doubt == BUFFERS_FOREIGN ||
	    !snapshot_sum(snapshot, &attributed) ||
	    !meminfo_pages(&measurement->meminfo, MEMINFO_BUFFERS,
			   snapshot->page_size, &buffers))
		return false;
	*pages = (int64_t)buffers - (int64_t)attributed;
	return true;
}

bool measurement_is_whole(const struct measurement *measurement)
{
	int64_t rest;

	return snapshot_is_whole(&measurement->snapshot) &&
	       measurement->meminfo.doubt != BUFFERS_EXCEEDED &&
	       measurement_rest(measurement, &rest);
}

void measurement_write(struct json_out *json,
		       const struct measurement *measurement)
{
	if (!measurement) {
		json_out_null(json, "meminfo_kib");
		json_out_null(json, "devices");
		return;
	}
	json_out_object(json, "meminfo_kib");
	fields_write(json, &meminfo_fields, &measurement->meminfo);
	json_out_object_end(json);
	if (measurement->collected < 0)
		json_out_null(json, "devices");
	else
		saved_write_snapshot(json, &measurement->snapshot);
}
