// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What is unread in pipes and Unix sockets: a copy of the process's descriptor
 * tells. To open a pipe anew, by /proc/PID/fd, would change who reads and
 * writes it, and to ask UNIX_DIAG makes the kernel load a module.
 *
 * As long as a copy exists, whoever is at the other end does not see that the
 * process closed its own. So it is closed at once, and of a pipe it never is
 * the writing end: nobody waits for the end of the data. FIONREAD waits for the
 * lock of a pipe alone, and meanwhile its users wait, too. No other sockets are
 * copied: that would change their class (net_cls), and a last close may linger.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "lib/cleanup.h"
#include "owners/owner_lists.h"
#include "worker/ask.h"
#include "worker/patience.h"

#ifndef SYS_pidfd_open
#define SYS_pidfd_open 434
#endif
#ifndef SYS_pidfd_getfd
#define SYS_pidfd_getfd 438
#endif

int owner_copy(const struct owner_place *place)
{
	_cleanup_(closep) int process =
		(int)syscall(SYS_pidfd_open, place->pid, 0);
	int fd = process < 0 ?
			 -1 :
			 (int)syscall(SYS_pidfd_getfd, process, place->fd, 0);

	return fd < 0 ? -errno : fd;
}

static int unread_of(const struct owner_queue *queue)
{
	_cleanup_(closep) int fd = owner_copy(&queue->place);
	struct stat status;
	int bytes;

	if (fd < 0)
		return fd == -ESRCH || fd == -EBADF ? 0 : fd;
	/* It may be of another file by now. */
	if (fstat(fd, &status) < 0 || status.st_ino != queue->place.number ||
	    !(queue->is_pipe ? S_ISFIFO(status.st_mode) :
			       S_ISSOCK(status.st_mode)))
		return 0;
	return ioctl(fd, FIONREAD, &bytes) < 0 ? -errno : bytes;
}

struct batch {
	const struct owner_queue *queues;
	const struct patience *patience;
};

static size_t answer_unread(const void *data, size_t index, void *answer)
{
	const struct batch *batch = data;
	int *bytes = answer;

	if (!patience_walk(batch->patience))
		*bytes = unread_of(&batch->queues[index]);
	return sizeof(*bytes);
}

/* A worker that is left behind has the pipe, too, and is asked by later runs. */
static void object_of(const void *data, size_t index, char text[STUCK_OBJECT])
{
	const struct batch *batch = data;
	const struct owner_queue *queue = &batch->queues[index];

	*text = '\0';
	if (queue->is_pipe)
		snprintf(text, STUCK_OBJECT, "pipe %" PRIu64,
			 queue->place.number);
}

int owner_queues_ask(struct owner_queue *queues, size_t count,
		     struct patience *patience)
{
	const struct batch batch = { queues, patience };
	const struct ask question = {
		.answer = answer_unread,
		.data = &batch,
		.count = count,
		.answer_size = sizeof(int),
		.kept = -1,
		.what = "pipes and Unix sockets",
		.object = object_of,
		.patience = patience,
	};
	struct asked *asked = NULL;
	int ret = count ? ask(&question, &asked, NULL) : 0;

	for (size_t i = 0; asked && i < count; i++) {
		const int *bytes = asked_answer(asked, i);

		queues[i].bytes = bytes ? *bytes : asked_error(asked, i);
	}
	asked_destroy(asked);
	return ret == -ENOMEM ? ret : 0;
}
