// SPDX-License-Identifier: GPL-2.0-or-later
/* Linux AIO by its system calls: io_setup(2) and the others. */
#include <errno.h>
#include <fcntl.h>
#include <linux/aio_abi.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "actions.h"
#include "cleanup.h"
#include "experiment.h"
#include "progress.h"
#include "stop.h"

#define DEPTH 4
#define CHUNK (1U << 20)

struct queue {
	aio_context_t context;
	int fd;
	char *buffers; /* DEPTH of CHUNK */
	uint64_t next; /* offset to ask for */
	uint64_t total;
	unsigned int busy;
};

static int submit(struct queue *queue, unsigned int slot)
{
	char *buffer = queue->buffers + (size_t)slot * CHUNK;
	uint64_t left = queue->total - queue->next;
	struct iocb request = {
		.aio_data = slot,
		.aio_lio_opcode = IOCB_CMD_PREAD,
		.aio_fildes = (uint32_t)queue->fd,
		.aio_buf = (uint64_t)(uintptr_t)buffer,
		.aio_nbytes = left < CHUNK ? left : CHUNK,
		.aio_offset = (int64_t)queue->next,
	};
	struct iocb *requests[] = { &request };

	if (syscall(SYS_io_submit, queue->context, 1L, requests) != 1)
		return -errno;
	queue->next += request.aio_nbytes;
	queue->busy++;
	return 0;
}

/* Waits for one. Its length, 0 if the device ended, or a negative errno. */
static int64_t reap(struct queue *queue, unsigned int *slot)
{
	struct io_event event;
	long got;

	do
		got = syscall(SYS_io_getevents, queue->context, 1L, 1L, &event,
			      NULL);
	while (got < 0 && errno == EINTR);
	if (got < 0)
		return -errno;
	queue->busy--;
	*slot = (unsigned int)event.data;
	return event.res;
}

static int run(struct experiment *experiment, struct queue *queue,
	       struct error *err)
{
	uint64_t done = 0;
	int ret = 0;

	for (unsigned int i = 0;
	     !ret && i < DEPTH && queue->next < queue->total; i++)
		ret = submit(queue, i);
	while (!ret && queue->busy) {
		unsigned int slot = 0;
		int64_t got = reap(queue, &slot);

		if (got < 0) {
			ret = (int)got;
			break;
		}
		done += (uint64_t)got;
		progress_show(experiment->progress, done, queue->total);
		if (stop_check(experiment->stop, err) < 0)
			return -EINTR;
		if (queue->next < queue->total)
			ret = submit(queue, slot);
	}
	if (!ret && done < queue->total)
		ret = -EIO;
	return ret < 0 ? error_errno(err, -ret, "reading directly",
				     experiment->node) :
			 0;
}

int act_read_direct(struct experiment *experiment, struct error *err)
{
	_cleanup_(closep) int fd =
		open(experiment->node, O_RDONLY | O_DIRECT | O_CLOEXEC);
	_cleanup_(freep) void *buffers = NULL;
	struct queue queue = {
		.fd = fd,
		.total = experiment_bytes(experiment),
	};
	int ret;

	if (fd < 0)
		return error_errno(err, errno, "opening for direct reading",
				   experiment->node);
	ret = posix_memalign(&buffers, CHUNK, (size_t)DEPTH * CHUNK);
	if (ret)
		return error_errno(err, ret, "reading directly",
				   experiment->node);
	queue.buffers = buffers;
	if (syscall(SYS_io_setup, (long)DEPTH, &queue.context) < 0)
		return error_set(err, errno,
				 "reading directly: io_setup: %s (Linux AIO)",
				 strerror(errno));
	ret = run(experiment, &queue, err);
	/* Waits for what is still on its way into the buffers. */
	syscall(SYS_io_destroy, queue.context);
	return ret;
}
