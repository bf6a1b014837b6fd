// SPDX-License-Identifier: GPL-2.0-or-later
#include "error.h"
#include "measure.h"
#include "refused.h"

void refused_print(const struct measurement *measurement, bool each_device)
{
	const struct snapshot *snapshot = &measurement->snapshot;
	struct error err;

	if (measurement->collected < 0)
		error_print(&measurement->why);
	if (snapshot->failed_source) {
		error_set(&err, 0, "measuring: %s", snapshot->failed_source);
		error_print(&err);
	}
	if (snapshot->unsettled) {
		error_set(&err, 0,
			  "measuring: %s: unsettled: the devices moved while "
			  "they were read, and no reading added up to Buffers",
			  snapshot->source);
		error_print(&err);
	}
	for (size_t i = 0; each_device && i < snapshot->count; i++) {
		if (!snapshot->devices[i].refused)
			continue;
		error_set(&err, 0, "%s", snapshot->devices[i].refused);
		error_print(&err);
	}
}
