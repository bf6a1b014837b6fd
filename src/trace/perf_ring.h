/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The buffer into which the kernel writes the records of one processor. */
#ifndef BUFSTAT_PERF_RING_H
#define BUFSTAT_PERF_RING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct perf_event_header;

struct perf_ring {
	void *memory; /* the kernel's page, then the records; or NULL */
	size_t size; /* bytes of records, a power of two */
	char *record; /* room for one that goes over the end */
};

/*
 * Maps the buffer of @fd, an event, with room for @size bytes. Returns 0 or a
 * negative errno; the caller deinits @ring in either case.
 */
int perf_ring_init(struct perf_ring *ring, int fd, size_t size);
void perf_ring_deinit(struct perf_ring *ring);

/*
 * Calls @take for each record, in order, and gives its room back. Returns
 * whether there was no room for another record.
 */
bool perf_ring_drain(struct perf_ring *ring,
		     void (*take)(void *data,
				  const struct perf_event_header *record),
		     void *data);

#endif
