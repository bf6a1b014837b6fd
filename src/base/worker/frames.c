// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lib/whole.h"
#include "worker/frames.h"

#define FRAMES_PIECE 65536 /* bytes to have room for, at least */

int frame_send(int fd, unsigned int kind, const void *data, size_t size)
{
	const struct frame head = { kind, (uint32_t)size };

	return write_both(fd, &head, sizeof(head), data, size);
}

static int frames_grow(struct frames *frames)
{
	size_t room = frames->room * 2 + FRAMES_PIECE;
	char *more = realloc(frames->bytes, room);

	if (!more)
		return -ENOMEM;
	frames->bytes = more;
	frames->room = room;
	return 0;
}

int frames_read(struct frames *frames, int fd)
{
	for (;;) {
		ssize_t length;

		if (frames->used == frames->room && !frames->grows)
			return -ENOBUFS;
		if (frames->used == frames->room && frames_grow(frames) < 0)
			return -ENOMEM;
		length = read(fd, frames->bytes + frames->used,
			      frames->room - frames->used);
		if (length < 0 && errno == EAGAIN)
			return -EAGAIN;
		if (length <= 0)
			return 0;
		frames->used += (size_t)length;
	}
}

int frames_take(struct frames *frames, frames_take_fn *take, void *data)
{
	size_t at = 0;
	struct frame head;
	int ret = 0;

	while (!ret && frames->used - at >= sizeof(head)) {
		const char *text = frames->bytes + at + sizeof(head);

		memcpy(&head, frames->bytes + at, sizeof(head));
		if (head.size > frames->used - at - sizeof(head))
			break;
		ret = take(data, head.kind, text, head.size);
		at += sizeof(head) + head.size;
	}
	frames->used -= at;
	if (at)
		memmove(frames->bytes, frames->bytes + at, frames->used);
	return ret;
}
