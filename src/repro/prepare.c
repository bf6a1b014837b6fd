// SPDX-License-Identifier: GPL-2.0-or-later
/* What an experiment finds in its file system. */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "actions.h"
#include "cleanup.h"
#include "experiment.h"
#include "progress.h"
#include "stop.h"

#define FILES_PER_DIRECTORY 100

static int make_directory(int mount, uint64_t number, int *dir)
{
	char name[32];

	snprintf(name, sizeof(name), "d%" PRIu64, number);
	if (mkdirat(mount, name, 0700) < 0)
		return -errno;
	if (*dir >= 0)
		close(*dir);
	*dir = openat(mount, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	return *dir < 0 ? -errno : 0;
}

static int make_file(int dir, uint64_t number)
{
	char name[32];
	int fd;

	snprintf(name, sizeof(name), "f%" PRIu64, number);
	fd = openat(dir, name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	if (fd < 0)
		return -errno;
	close(fd);
	return 0;
}

int prepare_tree(struct experiment *experiment, struct error *err)
{
	const char *path = experiment->lab.mount_point;
	_cleanup_(closep) int mount =
		open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	_cleanup_(closep) int dir = -1;
	uint64_t files = experiment->outcome->files;
	int ret = mount < 0 ? -errno : 0;

	for (uint64_t i = 0; !ret && i < files; i++) {
		if (i % FILES_PER_DIRECTORY == 0)
			ret = make_directory(mount, i / FILES_PER_DIRECTORY,
					     &dir);
		if (!ret)
			ret = make_file(dir, i);
		if (stop_check(experiment->stop, err) < 0)
			return -EINTR;
		progress_show(experiment->progress, i, files);
	}
	return ret < 0 ? error_errno(err, -ret, "making files", path) : 0;
}

static int open_file(struct experiment *experiment, struct error *err)
{
	if (asprintf(&experiment->file, "%s/file",
		     experiment->lab.mount_point) < 0) {
		experiment->file = NULL;
		return error_errno(err, ENOMEM, "making a file", "file");
	}
	experiment->file_fd =
		open(experiment->file, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
	if (experiment->file_fd < 0)
		return error_errno(err, errno, "making a file",
				   experiment->file);
	return 0;
}

/* Its blocks are allocated but hold nothing: no disk is written for it. */
int prepare_file(struct experiment *experiment, struct error *err)
{
	int ret = open_file(experiment, err), error;

	if (ret < 0)
		return ret;
	error = posix_fallocate(experiment->file_fd, 0,
				(off_t)experiment_bytes(experiment));
	return error ? error_errno(err, error, "making a file",
				   experiment->file) :
		       0;
}

int prepare_empty_file(struct experiment *experiment, struct error *err)
{
	return open_file(experiment, err);
}
