// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "lib/cleanup.h"
#include "lib/monotonic.h"
#include "record/disk.h"
#include "record/tracer.h"
#include "record/tracing.h"
#include "worker/worker.h"

#define STOP_NS INT64_C(1000000000)

int tracer_start(struct tracer *tracer)
{
	int ends[2];

	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) < 0)
		return -errno;
	tracer->pid = worker_start(ends[1], false, &tracer->pipe);
	if (!tracer->pid) {
		disk_outlive("bufstat-trace");
		_exit(tracing_run(WORKER_KEPT, WORKER_PIPE));
	}
	close(ends[1]);
	tracer->frames.used = 0;
	if (tracer->pid < 0) {
		int ret = tracer->pid;

		close(ends[0]);
		tracer->pid = 0;
		tracer->pipe = -1;
		return ret;
	}
	tracer->orders = ends[0];
	return 0;
}

void tracer_ask(const struct tracer *tracer, bool last)
{
	const char order = last ? TRACING_LAST : 0;

	/* If its queue is full, it has been asked already. */
	if (tracer->pid)
		(void)!send(tracer->orders, &order, 1,
			    MSG_DONTWAIT | MSG_NOSIGNAL);
}

void tracer_hear(struct tracer *tracer, frames_take_fn *take, void *data)
{
	struct frames *frames = &tracer->frames;
	int ret = frames_read(frames, tracer->pipe);

	frames_take(frames, take, data);
	/* One that is larger than all the room is nothing that it sends. */
	if (ret == -EAGAIN || (ret == -ENOBUFS && frames->used < frames->room))
		return;
	closep(&tracer->pipe);
	tracer->pipe = -1;
}

void tracer_forget(struct tracer *tracer, int status)
{
	tracer->refused = WIFEXITED(status) &&
			  WEXITSTATUS(status) == TRACING_REFUSED;
	tracer->pid = 0;
	closep(&tracer->orders);
	closep(&tracer->pipe);
	tracer->orders = tracer->pipe = -1;
}

void tracer_stop(struct tracer *tracer)
{
	closep(&tracer->orders);
	closep(&tracer->pipe);
	tracer->orders = tracer->pipe = -1;
	if (!tracer->pid)
		return;
	kill(tracer->pid, SIGKILL);
	worker_reap(tracer->pid, monotonic_ns() + STOP_NS);
	tracer->pid = 0;
}
