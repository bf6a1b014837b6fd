// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/interval.h"
#include "devices/devices.h"
#include "lib/error.h"

void devices_refused_print(const struct devices *devices, bool each_device,
			   struct told *told)
{
	struct error err;

	if (devices->collected < 0)
		told_print(told, &devices->why);
	if (devices->failed_source) {
		error_doing(&err, ERROR_PARTIAL, "measuring", NULL, "%s",
			    devices->failed_source);
		told_print(told, &err);
	}
	if (devices->unsettled && devices->doubt != BUFFERS_FOREIGN) {
		error_doing(&err, ERROR_PARTIAL, "measuring", devices->source,
			    "unsettled: no reading added up to Buffers");
		told_print(told, &err);
	}
	if (devices->doubt == BUFFERS_FOREIGN ||
	    devices->doubt == BUFFERS_EXCEEDED) {
		error_doing(&err, ERROR_PARTIAL, "adding up", NULL, "%s",
			    buffers_doubt_text(devices->doubt));
		told_print(told, &err);
	}
	if (each_device && !devices->collected && devices->source &&
	    !meminfo_has(&devices->meminfo, MEMINFO_BUFFERS)) {
		error_doing(
			&err, ERROR_PARTIAL, "reading Buffers", "/proc/meminfo",
			"no such field, so the unattributed part is not known");
		told_print(told, &err);
	}
	for (size_t i = 0; each_device && i < devices->count; i++) {
		if (!devices->devices[i].sample.refused)
			continue;
		error_set(&err, ERROR_PARTIAL, "%s",
			  devices->devices[i].sample.refused);
		told_print(told, &err);
	}
}
