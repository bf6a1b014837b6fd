/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a worker says to the program, through a pipe or a socket: pieces of any
 * size, each after a head.
 */
#ifndef BUFSTAT_FRAMES_H
#define BUFSTAT_FRAMES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The head. Both sides are of one build of this program. */
struct frame {
	uint32_t kind; /* what it is, as the two agree */
	uint32_t size; /* bytes that follow */
};

/* Returns 0 or a negative errno: nobody reads it any more. */
int frame_send(int fd, unsigned int kind, const void *data, size_t size);

/* What has come. The caller frees the bytes. */
struct frames {
	char *bytes; /* or NULL, if it grows */
	size_t room; /* bytes */
	size_t used;
	bool grows; /* else the caller made the room, and nothing is allocated */
};

/*
 * Reads what is there, from @fd, which does not block. Returns 0 at the end,
 * -EAGAIN if there may be more later, -ENOBUFS if there is no more room, or
 * -ENOMEM.
 */
int frames_read(struct frames *frames, int fd);

/*
 * Calls @take for each frame that is complete, as long as that returns 0, and
 * leaves what is not. The data is aligned like characters. Returns 0, or what
 * @take returned for the last one that it had. Allocates nothing.
 */
typedef int frames_take_fn(void *data, unsigned int kind, const char *text,
			   size_t size);
int frames_take(struct frames *frames, frames_take_fn *take, void *data);

#endif
