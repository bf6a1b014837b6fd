// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "kernel/kdump_server.h"
#include "kernel/kdumpfile.h"
#include "lib/cleanup.h"
#include "lib/error.h"

/* A dump may be large and far away, and the library shows no progress. */
#define PATIENCE_MS 30000
#define LAST_WAIT_MS 1000
#define MAX_VMCOREINFO (1U << 20)

static int receive(const struct kdumpfile *dump, void *data, size_t size)
{
	struct pollfd ready = { .fd = dump->socket, .events = POLLIN };
	char *place = data;
	ssize_t got;
	int count;

	while (size) {
		count = poll(&ready, 1, PATIENCE_MS);
		if (!count)
			return -ETIMEDOUT;
		got = count < 0 ? -1 : recv(dump->socket, place, size, 0);
		if (got < 0 && errno != EINTR)
			return -errno;
		if (!got)
			return -EPIPE;
		if (got > 0) {
			place += got;
			size -= (size_t)got;
		}
	}
	return 0;
}

/* Notes why: after one bad answer the process is not asked again. */
static int lose(struct kdumpfile *dump, int ret)
{
	dump->lost = ret == -ETIMEDOUT ? "libkdumpfile does not finish reading "
					 "it; it may be damaged" :
					 "libkdumpfile crashes on it; it is "
					 "damaged";
	return -EIO;
}

static int ask(struct kdumpfile *dump, const struct kdump_question *question,
	       void *buffer)
{
	struct kdump_answer head;
	int ret;

	if (send(dump->socket, question, sizeof(*question), MSG_NOSIGNAL) !=
	    sizeof(*question))
		return -EPIPE;
	ret = receive(dump, &head, sizeof(head));
	if (ret < 0)
		return ret;
	if (head.status < 0 && !head.size)
		return head.status == -ENODATA ? -ENODATA : -EIO;
	if (head.status || head.size != question->size)
		return -EPIPE;
	return receive(dump, buffer, head.size);
}

static int read_physical(void *memory, uint64_t address, void *buffer,
			 size_t size)
{
	const struct kdump_question question = { address, size };
	struct kdumpfile *dump = memory;
	int ret;

	if (dump->lost)
		return -EIO;
	ret = ask(dump, &question, buffer);
	return ret < 0 && ret != -ENODATA && ret != -EIO ? lose(dump, ret) :
							   ret;
}

static int start(struct kdumpfile *dump, int fd)
{
	_cleanup_(closep) int near = -1, far = -1;
	int ends[2];

	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) < 0)
		return -errno;
	near = ends[0];
	far = ends[1];
	dump->pid = fork();
	if (dump->pid < 0)
		return -errno;
	if (!dump->pid)
		kdump_serve(fd, far);
	dump->socket = steal_fd(&near);
	return 0;
}

/* Reads the first answer: VMCOREINFO, or why there will be no others. */
static int read_greeting(struct kdumpfile *dump, struct error *err)
{
	_cleanup_(freep) char *text = NULL;
	struct kdump_answer head;
	int ret = receive(dump, &head, sizeof(head));

	if (!ret && head.size > MAX_VMCOREINFO)
		ret = -EPIPE;
	if (!ret) {
		text = calloc(1, (size_t)head.size + 1);
		ret = text ? receive(dump, text, head.size) : -ENOMEM;
	}
	if (ret == -ENOMEM)
		return error_errno(err, ENOMEM, "reading", "VMCOREINFO");
	if (ret < 0) {
		lose(dump, ret);
		return error_set(err, EBADMSG, "%s", dump->lost);
	}
	if (head.status < 0)
		/* The server sends its errno but not the class. */
		return error_set(err,
				 head.status == -EOPNOTSUPP ? ERROR_UNUSABLE :
							      -head.status,
				 "%s", text);
	if (head.size)
		dump->vmcoreinfo = steal_ptr(text);
	return 0;
}

int kdumpfile_init(struct kdumpfile *dump, int fd, struct error *err)
{
	int ret;

	*dump = (struct kdumpfile){
		.socket = -1,
		.physical = { read_physical, dump },
	};
	ret = start(dump, fd);
	if (ret < 0)
		return error_errno(err, -ret, "starting", "a process for it");
	return read_greeting(dump, err);
}

/* Does not wait for a process that hangs in the kernel on the dump's disk. */
static void stop(const struct kdumpfile *dump)
{
	struct pollfd end = { .fd = dump->socket };

	kill(dump->pid, SIGKILL);
	poll(&end, 1, LAST_WAIT_MS);
	waitpid(dump->pid, NULL, end.revents & POLLHUP ? 0 : WNOHANG);
}

void kdumpfile_deinit(struct kdumpfile *dump)
{
	if (dump->pid > 0) {
		stop(dump);
		close(dump->socket);
	}
	free(dump->vmcoreinfo);
	*dump = (struct kdumpfile){ 0 };
}
