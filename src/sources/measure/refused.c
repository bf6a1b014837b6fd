// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/interval.h"
#include "lib/error.h"
#include "measure/measure.h"
#include "measure/refused.h"

void refused_print(const struct measurement *measurement, bool each_device,
		   struct told *told)
{
	const struct snapshot *snapshot = &measurement->snapshot;
	struct error err;

	if (measurement->collected < 0)
		told_print(told, &measurement->why);
	if (snapshot->failed_source) {
		error_doing(&err, ERROR_PARTIAL, "measuring", NULL, "%s",
			    snapshot->failed_source);
		told_print(told, &err);
	}
	if (snapshot->unsettled &&
	    measurement->meminfo.doubt != BUFFERS_FOREIGN) {
		error_doing(&err, ERROR_PARTIAL, "measuring", snapshot->source,
			    "unsettled: no reading added up to Buffers");
		told_print(told, &err);
	}
	if (measurement->meminfo.doubt == BUFFERS_FOREIGN ||
	    measurement->meminfo.doubt == BUFFERS_EXCEEDED) {
		error_doing(&err, ERROR_PARTIAL, "adding up", NULL, "%s",
			    buffers_doubt_text(measurement->meminfo.doubt));
		told_print(told, &err);
	}
	if (each_device && !measurement->collected && snapshot->source &&
	    !meminfo_has(&measurement->meminfo, MEMINFO_BUFFERS)) {
		error_doing(
			&err, ERROR_PARTIAL, "reading Buffers", "/proc/meminfo",
			"no such field, so the unattributed part is not known");
		told_print(told, &err);
	}
	for (size_t i = 0; each_device && i < snapshot->count; i++) {
		if (!snapshot->devices[i].refused)
			continue;
		error_set(&err, ERROR_PARTIAL, "%s",
			  snapshot->devices[i].refused);
		told_print(told, &err);
	}
}
