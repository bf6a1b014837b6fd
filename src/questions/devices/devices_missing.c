// SPDX-License-Identifier: GPL-2.0-or-later
#include "devices/devices.h"
#include "lib/error.h"

void devices_missing(const struct devices *devices, bool each_device,
		     error_tell_fn *tell, void *data)
{
	struct error err;

	if (devices->collected < 0)
		tell(data, &devices->why);
	if (devices->failed_source) {
		error_doing(&err, ERROR_PARTIAL, "measuring", NULL, "%s",
			    devices->failed_source);
		tell(data, &err);
	}
	if (devices->unsettled && devices->doubt != BUFFERS_FOREIGN) {
		error_doing(&err, ERROR_PARTIAL, "measuring", devices->source,
			    "unsettled: no reading added up to Buffers");
		tell(data, &err);
	}
	if (devices->doubt == BUFFERS_FOREIGN ||
	    devices->doubt == BUFFERS_EXCEEDED) {
		error_doing(&err, ERROR_PARTIAL, "adding up", NULL, "%s",
			    buffers_doubt_text(devices->doubt));
		tell(data, &err);
	}
	if (each_device && !devices->collected && devices->source &&
	    !meminfo_has(&devices->meminfo, MEMINFO_BUFFERS)) {
		error_doing(
			&err, ERROR_PARTIAL, "reading Buffers", "/proc/meminfo",
			"no such field, so the unattributed part is not known");
		tell(data, &err);
	}
	for (size_t i = 0; each_device && i < devices->count; i++) {
		if (!devices->devices[i].sample.refused)
			continue;
		error_set(&err, ERROR_PARTIAL, "%s",
			  devices->devices[i].sample.refused);
		tell(data, &err);
	}
}
