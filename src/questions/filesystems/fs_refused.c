// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/interval.h"
#include "filesystems/fs_refused.h"
#include "filesystems/measured_filesystems.h"
#include "lib/error.h"
#include "worker/file_text.h"

void fs_refused_print(const struct filesystems *filesystems, struct told *told)
{
	struct error err;

	for (size_t i = 0; i < filesystems->count; i++) {
		const struct filesystem *filesystem =
			&filesystems->filesystems[i];

		if (!filesystem->sample.refused)
			continue;
		error_doing(&err, ERROR_PARTIAL, "measuring",
			    filesystem_place(filesystem), "%s",
			    filesystem->sample.refused);
		told_print(told, &err);
	}
	if (filesystems->unsettled) {
		error_advise(&err, ERROR_PARTIAL, "measuring", "unsettled",
			     "try again",
			     "Cached changed during each measurement");
		told_print(told, &err);
	}
	if (filesystems->exceeds) {
		error_doing(&err, ERROR_PARTIAL, "adding up", NULL, "%s",
			    filesystems_rest_note(filesystems));
		told_print(told, &err);
	}
	if (filesystems->mounts_failed) {
		error_doing(&err, ERROR_PARTIAL, "looking for mounts", "/proc",
			    "%s (there may be more filesystems)",
			    file_text_why(-filesystems->mounts_failed));
		told_print(told, &err);
	}
	if (!meminfo_has(&filesystems->meminfo, MEMINFO_CACHED)) {
		error_doing(
			&err, ERROR_PARTIAL, "reading Cached",
			filesystems->lacks_mounts ? "the kernel in the dump" :
						    "/proc/meminfo",
			"no such field, so the unattributed part is not known");
		told_print(told, &err);
	}
}
