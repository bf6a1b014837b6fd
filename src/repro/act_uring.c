// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * io_uring, Linux 5.1, by its system calls: one request at a time, as there is
 * nothing to be gained here by more. IORING_OP_READV is as old as io_uring.
 */
#include <errno.h>
#include <linux/io_uring.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#include "actions.h"
#include "cleanup.h"
#include "experiment.h"
#include "progress.h"
#include "stop.h"

#define CHUNK (1U << 20)

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
	if (!ret)
		ret = map_part(ring, ENTRIES,
			       params->sq_entries * sizeof(struct io_uring_sqe),
			       IORING_OFF_SQES);
	return ret;
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

/* The bytes read, or a negative errno. */
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
		error_set(err, ENOSYS,
			  "io_uring: needs Linux 5.1 or newer, and a kernel "
			  "built with it");
	else if (ret == -EPERM)
		error_set(err, EPERM,
			  "io_uring: refused (see "
			  "/proc/sys/kernel/io_uring_disabled)");
	else if (ret < 0)
		error_errno(err, -ret, "io_uring", "setting up");
	else
		ret = read_all(experiment, &ring, &where, err);
	ring_deinit(&ring);
	return ret;
}
