// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "actions.h"
#include "cleanup.h"
#include "experiment.h"
#include "progress.h"
#include "stop.h"

#define CHUNK (1U << 20)
#define PATTERN 0xb5

/* Only of a lab: a file in it, or a device of its own. */
static int write_from_start(struct experiment *experiment, const char *path,
			    int flags, struct error *err)
{
	_cleanup_(closep) int fd = open(path, O_WRONLY | O_CLOEXEC | flags);
	_cleanup_(freep) char *buffer = malloc(CHUNK);
	uint64_t done = 0, total = experiment_bytes(experiment);

	if (fd < 0 || !buffer)
		return error_errno(err, errno, "writing", path);
	memset(buffer, PATTERN, CHUNK);
	while (done < total) {
		ssize_t put = pwrite(fd, buffer, CHUNK, (off_t)done);
		int ret = stop_check(experiment->stop, err);

		if (ret < 0)
			return ret;
		if (put < 0 && errno == EINTR)
			continue;
		if (put < 0)
			return error_errno(err, errno, "writing", path);
		done += (uint64_t)put;
		progress_show(experiment->progress, done, total);
	}
	return 0;
}

int act_write_device(struct experiment *experiment, struct error *err)
{
	return write_from_start(experiment, experiment->lab.devices[0].node, 0,
				err);
}

int act_write_file(struct experiment *experiment, struct error *err)
{
	return write_from_start(experiment, experiment->file, 0, err);
}

int act_write_file_sync(struct experiment *experiment, struct error *err)
{
	return write_from_start(experiment, experiment->file, O_SYNC, err);
}

int act_fsync_device(struct experiment *experiment, struct error *err)
{
	const struct loop_device *device = &experiment->lab.devices[0];

	if (fsync(device->held) < 0)
		return error_errno(err, errno, "fsync", device->node);
	return 0;
}
