// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Not with fts(3): glibc's takes a directory that could not be read to its end
 * for one that ends there, and the verdict would be about a part of the tree;
 * and fts_open() without memory dereferences NULL. Both seen in 2.36.
 */
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <sys/stat.h>

#include "actions.h"
#include "cleanup.h"
#include "error.h"
#include "experiment.h"
#include "progress.h"
#include "stop.h"
#include "sysroot.h"

static int walk(struct experiment *experiment, const char *directory,
		uint64_t *seen, struct error *err);

/* The inode is read, and what is below it. */
static int look_at(struct experiment *experiment, const char *directory,
		   const char *name, uint64_t *seen, struct error *err)
{
	_cleanup_(freep) char *path = NULL;
	struct stat about;
	int ret;

	if (asprintf(&path, "%s/%s", directory, name) < 0) {
		path = NULL;
		return error_errno(err, ENOMEM, "walking", directory);
	}
	if (lstat(path, &about) < 0)
		return error_errno(err, errno, "walking", path);
	progress_show(experiment->progress, ++*seen,
		      experiment->outcome->files);
	ret = stop_check(experiment->stop, err);
	if (!ret && S_ISDIR(about.st_mode))
		ret = walk(experiment, path, seen, err);
	return ret;
}

static int walk(struct experiment *experiment, const char *directory,
		uint64_t *seen, struct error *err)
{
	_cleanup_(closedirp) DIR *dir = opendir(directory);
	const char *name;
	int ret;

	if (!dir)
		return error_errno(err, errno, "walking", directory);
	/* None begins with a dot: prepare_tree made them. */
	while ((ret = sysroot_next_name(dir, &name)) > 0) {
		ret = look_at(experiment, directory, name, seen, err);
		if (ret < 0)
			return ret;
	}
	return ret < 0 ? error_errno(err, -ret, "walking", directory) : 0;
}

int act_walk(struct experiment *experiment, struct error *err)
{
	uint64_t seen = 0;

	return walk(experiment, experiment->lab.mount_point, &seen, err);
}
