// SPDX-License-Identifier: GPL-2.0-or-later
#include "lib/json_out.h"
#include "lib/sysroot.h"
#include "measure/measure.h"
#include "measure/saved.h"
#include "measure/source.h"

#define ATTEMPTS 3

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

	if (!snapshot_sum(snapshot, &attributed) ||
	    !meminfo_pages(&measurement->meminfo, MEMINFO_BUFFERS,
			   snapshot->page_size, &buffers))
		return false;
	*pages = (int64_t)buffers - (int64_t)attributed;
	return true;
}

void measurement_write(struct json_out *json,
		       const struct measurement *measurement)
{
	if (!measurement) {
		json_out_null(json, "meminfo_kib");
		json_out_null(json, "devices");
		return;
	}
	meminfo_write(json, &measurement->meminfo);
	if (measurement->collected < 0)
		json_out_null(json, "devices");
	else
		saved_write_snapshot(json, &measurement->snapshot);
}
