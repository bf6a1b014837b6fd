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
#define DROP_ROUNDS 5
#define DROP_MS 20

/* @name is only for the error. A device that is shorter is read to its end. */
static int read_from_start(struct experiment *experiment, int fd,
			   const char *name, struct error *err)
{
	_cleanup_(freep) char *buffer = malloc(CHUNK);
	uint64_t done = 0, total = experiment_bytes(experiment);

	if (!buffer)
		return error_errno(err, ENOMEM, "reading", name);
	while (done < total) {
		size_t wanted = total - done < CHUNK ? (size_t)(total - done) :
						       CHUNK;
		ssize_t got = pread(fd, buffer, wanted, (off_t)done);
		int ret = stop_check(experiment->stop, err);

		if (ret < 0)
			return ret;
		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0)
			return error_errno(err, errno, "reading", name);
		if (!got)
			return 0;
		done += (uint64_t)got;
		progress_show(experiment->progress, done, total);
	}
	return 0;
}

int act_read_device(struct experiment *experiment, struct error *err)
{
	return read_from_start(experiment, experiment_held(experiment),
			       experiment->node, err);
}

int act_read_witness(struct experiment *experiment, struct error *err)
{
	const struct loop_device *witness = &experiment->lab.devices[1];

	return read_from_start(experiment, witness->held, witness->node, err);
}

int act_read_file(struct experiment *experiment, struct error *err)
{
	return read_from_start(experiment, experiment->file_fd,
			       experiment->file, err);
}

int act_close_device(struct experiment *experiment,
		     struct error *err __attribute__((unused)))
{
	loop_device_release(&experiment->lab.devices[0]);
	return 0;
}

/* Pages that are still being read ahead stay, until they have come in. */
static int drop(struct experiment *experiment, int fd, const char *name,
		struct error *err)
{
	int error = posix_fadvise(fd, 0, 0, POSIX_FADV_DONTNEED);

	for (int i = 0; !error && i < DROP_ROUNDS; i++) {
		stop_wait_ms(experiment->stop, DROP_MS);
		error = posix_fadvise(fd, 0, 0, POSIX_FADV_DONTNEED);
	}
	return error ? error_errno(err, error, "releasing pages", name) : 0;
}

int act_drop_device(struct experiment *experiment, struct error *err)
{
	return drop(experiment, experiment_held(experiment), experiment->node,
		    err);
}

int act_drop_file(struct experiment *experiment, struct error *err)
{
	return drop(experiment, experiment->file_fd, experiment->file, err);
}
