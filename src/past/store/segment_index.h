/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which segments a recording has, from their headers alone. */
#ifndef BUFSTAT_SEGMENT_INDEX_H
#define BUFSTAT_SEGMENT_INDEX_H

#include <stdint.h>

#include "store/segment_write.h"

enum {
	/* Of a recording: 4 GiB of segments of the smallest usual size. */
	STORE_MOST_SEGMENTS = 4096,
	STORE_SMALLEST_SEGMENT = 4096, /* bytes */
};

struct segment_place {
	struct segment_identity identity;
	uint64_t offset; /* in the file */
	uint64_t size; /* bytes; all segments of a file have the same */
};

/*
 * Reads the headers in the file @fd, with pread(2), into @places, which has
 * room for STORE_MOST_SEGMENTS, and sorts them by number. Places without a
 * header are left out. Returns how many there are, -EPROTO if a later version
 * of bufstat wrote one of them, or another negative errno.
 */
int segment_index_read(int fd, struct segment_place *places);

#endif
