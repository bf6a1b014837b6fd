// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "lib/whole.h"
#include "record/frames.h"

static void send_all(int fd, const void *data, size_t size)
{
	/* The recorder is gone. */
	if (write_whole(fd, data, size) < 0)
		_exit(1);
}

void frame_send(int fd, unsigned int kind, const void *data, size_t size)
{
	const struct frame head = { kind, (uint32_t)size };

	send_all(fd, &head, sizeof(head));
	send_all(fd, data, size);
}

int frames_read(struct frames *frames, int fd)
{
	for (;;) {
		ssize_t length = read(fd, frames->bytes + frames->used,
				      frames->room - frames->used);

		if (length < 0 && errno == EAGAIN)
			return -EAGAIN;
		if (length <= 0)
			return 0;
		frames->used += (size_t)length;
	}
}

void frames_take(struct frames *frames,
		 void (*take)(void *data, unsigned int kind, const char *text,
			      size_t size),
		 void *data)
{
	const char *at = frames->bytes, *end = at + frames->used;
	struct frame head;

	while ((size_t)(end - at) >= sizeof(head)) {
		memcpy(&head, at, sizeof(head));
		if (head.size > (size_t)(end - at) - sizeof(head))
			break;
		take(data, head.kind, at + sizeof(head), head.size);
		at += sizeof(head) + head.size;
	}
	frames->used = (size_t)(end - at);
	memmove(frames->bytes, at, frames->used);
}
