// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "trace/perf_ring.h"

/* The size of a record has 16 bits. */
#define MAX_RECORD 65536
/* More than any that trace_perf.c asks for. */
#define USUAL_RECORD 512

static size_t page_size(void)
{
	return (size_t)sysconf(_SC_PAGESIZE);
}

int perf_ring_init(struct perf_ring *ring, int fd, size_t size)
{
	*ring = (struct perf_ring){ .size = size };
	ring->record = malloc(MAX_RECORD);
	if (!ring->record)
		return -ENOMEM;
	ring->memory = mmap(NULL, page_size() + size, PROT_READ | PROT_WRITE,
			    MAP_SHARED, fd, 0);
	if (ring->memory == MAP_FAILED) {
		ring->memory = NULL;
		return -errno;
	}
	return 0;
}

void perf_ring_deinit(struct perf_ring *ring)
{
	if (ring->memory)
		munmap(ring->memory, page_size() + ring->size);
	free(ring->record);
	*ring = (struct perf_ring){ 0 };
}

/* Copies a record that goes over the end of the buffer. */
static const struct perf_event_header *whole(const struct perf_ring *ring,
					     const char *records, size_t at)
{
	const struct perf_event_header *record =
		(const struct perf_event_header *)(records + at);
	size_t size = record->size, first = ring->size - at;

	if (size <= first)
		return record;
	memcpy(ring->record, records + at, first);
	memcpy(ring->record + first, records, size - first);
	return (const struct perf_event_header *)ring->record;
}

bool perf_ring_drain(struct perf_ring *ring,
		     void (*take)(void *data,
				  const struct perf_event_header *record),
		     void *data)
{
	struct perf_event_mmap_page *page = ring->memory;
	const char *records = (const char *)ring->memory + page_size();
	uint64_t head = __atomic_load_n(&page->data_head, __ATOMIC_ACQUIRE);
	uint64_t tail = page->data_tail;
	bool was_full = head - tail > ring->size - USUAL_RECORD;

	while (tail < head) {
		const struct perf_event_header *record =
			whole(ring, records, tail & (ring->size - 1));

		if (!record->size)
			break;
		tail += record->size;
		take(data, record);
	}
	__atomic_store_n(&page->data_tail, tail, __ATOMIC_RELEASE);
	return was_full;
}
