/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The buffers that ftrace records into, one for each processor, of tracefs or
 * of one of its instances.
 */
#ifndef BUFSTAT_RING_BUFFERS_H
#define BUFSTAT_RING_BUFFERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct error;

struct ring_buffers {
	int directory; /* the caller's */
	int *files; /* a descriptor for each processor, or -1; NULL: not open */
	size_t count; /* processors that there may be */
	size_t page_size; /* of a buffer's pages, bytes */
	void *page;
};

/* Those of @directory, which the caller keeps open. None is opened yet. */
void ring_buffers_init(struct ring_buffers *buffers, int directory);
void ring_buffers_deinit(struct ring_buffers *buffers);

/* Sets how much they hold. Returns 0 or a negative errno. */
int ring_buffers_set_size(const struct ring_buffers *buffers,
			  struct error *err);

/* Opens them to be read. Returns 0 or a negative errno. */
int ring_buffers_open(struct ring_buffers *buffers, struct error *err);

/*
 * Hands out what was recorded, page by page, and each processor's in the order
 * of time. With @all, goes on to the end, so nothing may be recorded meanwhile.
 */
void ring_buffers_read(struct ring_buffers *buffers, bool all,
		       void (*take)(void *data, uint32_t processor, void *page),
		       void *data);

/*
 * Sets *@lost to how many records were lost since the buffers are there.
 * Returns 0 or a negative errno.
 */
int ring_buffers_lost(const struct ring_buffers *buffers, uint64_t *lost);

#endif
