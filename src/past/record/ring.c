// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <time.h>
#include <unistd.h>

#include "lib/cleanup.h"
#include "lib/error.h"
#include "record/ring.h"

#define ALL_SEGMENTS ((size_t)RING_SEGMENTS * RING_SEGMENT_SIZE)
#define BOOT_ID "/proc/sys/kernel/random/boot_id"

/* "c3e8b380-ec7e-40bc-95da-2f811198b5a1". All zero if it cannot be read. */
static void read_boot_id(uint8_t id[STORE_BOOT_ID])
{
	_cleanup_(closep) int fd = open(BOOT_ID, O_RDONLY | O_CLOEXEC);
	char text[40] = "";
	const char *at = text;

	memset(id, 0, STORE_BOOT_ID);
	if (fd < 0 || read(fd, text, sizeof(text) - 1) < 0)
		return;
	for (size_t i = 0; i < STORE_BOOT_ID; i++) {
		at += *at == '-';
		if (sscanf(at, "%2hhx", &id[i]) != 1)
			return;
		at += 2;
	}
}

int record_ring_init(struct record_ring *ring, struct error *err)
{
	*ring = (struct record_ring){ .fd = -1 };
	ring->fd = memfd_create("bufstat-recording", MFD_CLOEXEC);
	if (ring->fd < 0 || ftruncate(ring->fd, ALL_SEGMENTS) < 0)
		return error_errno(err, errno, "recording", "memory");
	ring->segments = mmap(NULL, ALL_SEGMENTS, PROT_READ | PROT_WRITE,
			      MAP_SHARED | MAP_POPULATE, ring->fd, 0);
	ring->shared = mmap(NULL, sizeof(*ring->shared), PROT_READ | PROT_WRITE,
			    MAP_SHARED | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
	if (ring->segments == MAP_FAILED)
		ring->segments = NULL;
	if (ring->shared == MAP_FAILED)
		ring->shared = NULL;
	if (!ring->segments || !ring->shared)
		return error_errno(err, ENOMEM, "recording", "memory");
	read_boot_id(ring->boot_id);
	return 0;
}

int record_ring_fill(struct record_ring *ring, struct error *err)
{
	ring->writer = segment_writer_create();
	return ring->writer ? 0 :
			      error_errno(err, ENOMEM, "recording", "memory");
}

void record_ring_deinit(struct record_ring *ring)
{
	if (ring->segments)
		munmap(ring->segments, ALL_SEGMENTS);
	if (ring->shared)
		munmap(ring->shared, sizeof(*ring->shared));
	if (ring->fd >= 0)
		close(ring->fd);
	segment_writer_destroy(ring->writer);
	*ring = (struct record_ring){ .fd = -1 };
}

uint8_t *record_ring_segment(const struct record_ring *ring, uint64_t number)
{
	return ring->segments + number % RING_SEGMENTS * RING_SEGMENT_SIZE;
}

struct store_time store_time_now(void)
{
	struct timespec boot, real;

	clock_gettime(CLOCK_BOOTTIME, &boot);
	clock_gettime(CLOCK_REALTIME, &real);
	return (struct store_time){
		.boot_ms = boot.tv_sec * INT64_C(1000) + boot.tv_nsec / 1000000,
		.real_ms = real.tv_sec * INT64_C(1000) + real.tv_nsec / 1000000,
	};
}

static uint64_t make_seed(const struct store_time *time)
{
	uint64_t seed;

	/* Early at boot there may be none; the time has never been before. */
	if (getrandom(&seed, sizeof(seed), GRND_NONBLOCK) != sizeof(seed))
		seed = (uint64_t)time->real_ms << 20 ^
		       (uint64_t)time->boot_ms << 4 ^ (uint64_t)getpid();
	return seed;
}

static void publish(struct record_ring *ring)
{
	atomic_store_explicit(
		&ring->shared->slots[ring->number % RING_SEGMENTS].used,
		segment_used(ring->writer), memory_order_release);
}

void record_ring_begin(struct record_ring *ring, uint64_t number,
		       uint64_t sequence, const struct store_time *time)
{
	struct segment_identity identity = {
		.number = number,
		.seed = make_seed(time),
		.sequence = sequence,
		.time = *time,
	};
	size_t slot = number % RING_SEGMENTS;

	memcpy(identity.boot_id, ring->boot_id, STORE_BOOT_ID);
	atomic_store(&ring->shared->slots[slot].number, 0);
	atomic_store(&ring->shared->slots[slot].used, 0);
	ring->number = number;
	ring->begun = *time;
	segment_begin(ring->writer, record_ring_segment(ring, number),
		      RING_SEGMENT_SIZE, &identity);
	publish(ring);
	atomic_store(&ring->shared->slots[slot].number, number);
	atomic_store(&ring->shared->newest, number);
}

int record_ring_append(struct record_ring *ring, enum store_kind kind,
		       const struct store_time *time, const char *text,
		       size_t size, bool key)
{
	bool is_set = store_time_is_set(&ring->begun, time, STORE_SET_MS);
	int ret = is_set ? -ENOSPC :
			   segment_append(ring->writer, kind, time, text, size,
					  key);

	if (ret == -ENOSPC) {
		record_ring_begin(ring, ring->number + 1,
				  segment_sequence(ring->writer), time);
		ret = segment_append(ring->writer, kind, time, text, size,
				     true);
	}
	publish(ring);
	return ret;
}

void record_ring_repeat_words(struct record_ring *ring,
			      const struct store_time *time)
{
	segment_repeat_words(ring->writer, time);
	publish(ring);
}

void record_ring_sync(struct record_ring *ring)
{
	segment_align(ring->writer);
	publish(ring);
	atomic_fetch_add(&ring->shared->sync_wanted, 1);
}
