// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <fts.h>

#include "actions.h"
#include "experiment.h"
#include "progress.h"
#include "stop.h"

static int visit(struct experiment *experiment, FTS *walk, struct error *err)
{
	uint64_t seen = 0;
	int ret = 0;

	while (!ret) {
		/* fts asks for each inode, with lstat(2). */
		const FTSENT *entry = fts_read(walk);

		if (!entry)
			return errno ? error_errno(
					       err, errno, "walking",
					       experiment->lab.mount_point) :
				       0;
		if (entry->fts_info == FTS_ERR || entry->fts_info == FTS_DNR ||
		    entry->fts_info == FTS_NS)
			return error_errno(err, entry->fts_errno, "walking",
					   entry->fts_path);
		progress_show(experiment->progress, ++seen,
			      experiment->outcome->files);
		ret = stop_check(experiment->stop, err);
	}
	return ret;
}

int act_walk(struct experiment *experiment, struct error *err)
{
	char *paths[] = { experiment->lab.mount_point, NULL };
	FTS *walk =
		fts_open(paths, FTS_PHYSICAL | FTS_NOCHDIR | FTS_XDEV, NULL);
	int ret;

	if (!walk)
		return error_errno(err, errno, "walking", paths[0]);
	ret = visit(experiment, walk, err);
	fts_close(walk);
	return ret;
}
