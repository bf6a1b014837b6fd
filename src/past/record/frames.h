/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Documents on their way from a child to the recorder, through a pipe. */
#ifndef BUFSTAT_FRAMES_H
#define BUFSTAT_FRAMES_H

#include <stddef.h>
#include <stdint.h>

/* Comes before the @size bytes of a document. */
struct frame {
	uint32_t kind; /* enum store_kind, or one of those below */
	uint32_t size;
};

/* Kinds that are not recorded. */
enum {
	FRAME_WALK_NS = 0, /* how long the filesystems took: an int64_t, ns */
	FRAME_TOTALS = 256, /* filled_totals.h, as JSON */
};

/* Ends the process if the recorder is gone. */
void frame_send(int fd, unsigned int kind, const void *data, size_t size);

/* What has come, in room that the caller owns. */
struct frames {
	char *bytes;
	size_t room;
	size_t used;
};

/*
 * Reads what is there, from @fd, which does not block. Returns -EAGAIN if
 * there may be more later, or 0 at the end, or where there is no more room:
 * then @used is @room.
 */
int frames_read(struct frames *frames, int fd);

/*
 * Calls @take for each frame that is complete, and leaves the rest. Allocates
 * nothing.
 */
void frames_take(struct frames *frames,
		 void (*take)(void *data, unsigned int kind, const char *text,
			      size_t size),
		 void *data);

#endif
