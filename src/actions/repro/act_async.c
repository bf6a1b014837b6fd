// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Reads with Linux AIO (io_setup(2) and friends) and with io_uring, both
 * through raw system calls.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/aio_abi.h>
#include <linux/io_uring.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#include "lib/cleanup.h"
#include "repro/actions.h"
#include "repro/experiment.h"
#include "repro/progress.h"
#include "repro/stop.h"

#define CHUNK (1U << 20)
#define DEPTH 4 /* AIO requests in flight */

/* ---- Linux AIO ----------------------------------------------------------- */

struct queue {
	aio_context_t context;
	int fd;
	char *buffers; /* DEPTH buffers of CHUNK bytes */
	uint64_t next; /* offset of the next request */
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

/*
 * Waits for one request. Returns its length, 0 at the end of the device, or a
 * negative errno.
 */
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

static int read_queued(struct experiment *experiment, struct queue *queue,
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
		return error_doing(err, errno, "reading directly", "io_setup",
				   "%s (Linux AIO)", strerror(errno));
	ret = read_queued(experiment, &queue, err);
	/* Waits for requests that may still write into the buffers. */
	syscall(SYS_io_destroy, queue.context);
	return ret;
}

/* ---- io_uring ------------------------------------------------------------ */

/*
 * Needs Linux 5.1. Runs one request at a time, because more gain nothing here.
 * IORING_OP_READV is as old as io_uring.
 */

struct ring {
	int fd;
	void *maps[3];
	size_t sizes[3];
	struct io_uring_params params;
};

static int map_part(struct ring *ring, unsigned int part, size_t size,
		    off_t offset)
{
	void *map = mmap(NULL, size, PROT_READ | PROT_WRITE,
			 MAP_SHARED | MAP_POPULATE, ring->fd, offset);

	if (map == MAP_FAILED)
		return -errno;
	ring->maps[part] = map;
	ring->sizes[part] = size;
	return 0;
}

enum { SUBMISSIONS, COMPLETIONS, ENTRIES };

static int ring_init(struct ring *ring)
{
	const struct io_uring_params *params = &ring->params;
	int ret;

	*ring = (struct ring){ 0 };
	ring->fd = (int)syscall(SYS_io_uring_setup, 1L, &ring->params);
	if (ring->fd < 0)
		return -errno;
	ret = map_part(ring, SUBMISSIONS,
		       params->sq_off.array +
			       params->sq_entries * sizeof(uint32_t),
		       IORING_OFF_SQ_RING);
	if (!ret)
		ret = map_part(ring, COMPLETIONS,
			       params->cq_off.cqes +
				       params->cq_entries *
					       sizeof(struct io_uring_cqe),
			       IORING_OFF_CQ_RING);
	return ret   ?:
		       map_part(ring, ENTRIES,
				params->sq_entries *
					sizeof(struct io_uring_sqe),
				IORING_OFF_SQES);
}

static void ring_deinit(struct ring *ring)
{
	for (unsigned int i = 0; i < 3; i++) {
		if (ring->maps[i])
			munmap(ring->maps[i], ring->sizes[i]);
	}
	if (ring->fd >= 0)
		close(ring->fd);
}

static uint32_t *word(const struct ring *ring, unsigned int part,
		      uint32_t offset)
{
	return (uint32_t *)((char *)ring->maps[part] + offset);
}

static void put_request(struct ring *ring, int fd, const struct iovec *where,
			uint64_t offset)
{
	const struct io_sqring_offsets *at = &ring->params.sq_off;
	uint32_t *tail = word(ring, SUBMISSIONS, at->tail);
	uint32_t slot = *tail & *word(ring, SUBMISSIONS, at->ring_mask);
	struct io_uring_sqe *entry =
		(struct io_uring_sqe *)ring->maps[ENTRIES] + slot;

	*entry = (struct io_uring_sqe){
		.opcode = IORING_OP_READV,
		.fd = fd,
		.off = offset,
		.addr = (uint64_t)(uintptr_t)where,
		.len = 1,
	};
	word(ring, SUBMISSIONS, at->array)[slot] = slot;
	atomic_store_explicit((_Atomic uint32_t *)tail, *tail + 1,
			      memory_order_release);
}

static bool take_result(struct ring *ring, int *result)
{
	const struct io_cqring_offsets *at = &ring->params.cq_off;
	uint32_t *head = word(ring, COMPLETIONS, at->head);
	uint32_t tail = atomic_load_explicit(
		(_Atomic uint32_t *)word(ring, COMPLETIONS, at->tail),
		memory_order_acquire);
	uint32_t slot = *head & *word(ring, COMPLETIONS, at->ring_mask);
	const struct io_uring_cqe *entries =
		(const void *)word(ring, COMPLETIONS, at->cqes);

	if (*head == tail)
		return false;
	*result = entries[slot].res;
	atomic_store_explicit((_Atomic uint32_t *)head, *head + 1,
			      memory_order_release);
	return true;
}

/* Returns the bytes read, or a negative errno. */
static int read_once(struct ring *ring, int fd, const struct iovec *where,
		     uint64_t offset)
{
	unsigned int to_submit = 1;
	int result = 0;
	long ret;

	put_request(ring, fd, where, offset);
	while (!take_result(ring, &result)) {
		ret = syscall(SYS_io_uring_enter, ring->fd, to_submit, 1U,
			      IORING_ENTER_GETEVENTS, NULL, 0UL);
		if (ret < 0 && errno != EINTR)
			return -errno;
		if (ret > 0)
			to_submit = 0;
	}
	return result;
}

static int read_all(struct experiment *experiment, struct ring *ring,
		    struct iovec *where, struct error *err)
{
	uint64_t done = 0, total = experiment_bytes(experiment);
	int fd = experiment_held(experiment);

	while (done < total) {
		int got, ret;

		where->iov_len = total - done < CHUNK ? (size_t)(total - done) :
							CHUNK;
		got = read_once(ring, fd, where, done);
		ret = stop_check(experiment->stop, err);
		if (ret < 0)
			return ret;
		if (got == -EINTR || got == -EAGAIN)
			continue;
		if (got <= 0)
			return error_errno(err, got ? -got : EIO,
					   "reading with io_uring",
					   experiment->node);
		done += (uint64_t)got;
		progress_show(experiment->progress, done, total);
	}
	return 0;
}

int act_read_uring(struct experiment *experiment, struct error *err)
{
	_cleanup_(freep) char *buffer = malloc(CHUNK);
	struct iovec where = { .iov_base = buffer };
	struct ring ring;
	int ret;

	if (!buffer)
		return error_errno(err, ENOMEM, "reading with io_uring",
				   experiment->node);
	ret = ring_init(&ring);
	if (ret == -ENOSYS)
		error_doing(err, ENOSYS, "io_uring", NULL,
			    "needs Linux 5.1 or newer with CONFIG_IO_URING");
	else if (ret == -EPERM)
		error_remedy(err,
			     error_doing(err, EPERM, "io_uring", NULL,
					 "refused"),
			     URING_REMEDY);
	else if (ret < 0)
		error_errno(err, -ret, "io_uring", "setting up");
	else
		ret = read_all(experiment, &ring, &where, err);
	ring_deinit(&ring);
	return ret;
}
