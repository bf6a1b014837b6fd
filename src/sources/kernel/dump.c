// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include "kernel/dump.h"
#include "kernel/dump_server.h"
#include "lib/absolute_path.h"
#include "lib/cleanup.h"
#include "lib/error.h"
#include "lib/monotonic.h"
#include "worker/patience.h"
#include "worker/stuck.h"
#include "worker/worker.h"

/* A dump may be large and far away, and the library shows no progress. */
#define SILENCE_NS INT64_C(30000000000)
#define GLANCE_US 50000L
/* How long the worker may take to end. */
#define END_NS 50000000
#define LOCK_MS 100
#define MAX_VMCOREINFO (1U << 20)

/* The socket's timeout makes recv(2) look up every GLANCE_US. */
static int receive(const struct dump *dump, void *data, size_t size)
{
	int64_t until_ns = monotonic_ns() + SILENCE_NS;
	char *place = data;
	int ret = 0;

	while (size && !ret) {
		ssize_t got = recv(dump->socket, place, size, 0);

		if (!got)
			return -EPIPE;
		if (got < 0 && errno != EAGAIN && errno != EINTR)
			return -errno;
		if (got > 0) {
			place += got;
			size -= (size_t)got;
		} else if (monotonic_ns() > until_ns) {
			ret = -EBUSY;
		} else {
			ret = patience_look(dump->patience);
		}
	}
	return ret;
}

/* After one bad answer or none, the worker is not asked again. */
static int lose(struct dump *dump, int ret)
{
	if (ret == -ETIMEDOUT)
		dump->is_over = true;
	else if (ret == -EBUSY)
		dump->lost = "no answer for half a minute (its disk hangs, or "
			     "it is damaged)";
	else
		dump->lost = "what reads it crashes; it is damaged";
	return ret == -ETIMEDOUT ? ret : -EIO;
}

/* Asks for @size bytes into @page. Returns 0 if the worker answered. */
static int ask_worker(struct dump *dump, uint64_t address, size_t size,
		      struct dump_page *page)
{
	const struct dump_question question = { address, size };
	int ret = -EPIPE;

	page->is_asked = false;
	if (send(dump->socket, &question, sizeof(question), MSG_NOSIGNAL) ==
	    sizeof(question))
		ret = receive(dump, &page->answer, sizeof(page->answer) + size);
	if (!ret &&
	    (page->answer.kind > MAX_ERRNO || page->answer.size != size))
		ret = -EPIPE;
	if (ret < 0)
		return lose(dump, ret);
	page->address = address;
	page->is_asked = size == DUMP_PAGE;
	return 0;
}

/*
 * Reads @size bytes at @within in the part of the dump at @address. Some of the
 * part may not be in the dump; then it asks for just these bytes.
 */
static int read_page(struct dump *dump, uint64_t address, size_t within,
		     void *buffer, size_t size)
{
	struct dump_page *page = &dump->pages[address / DUMP_PAGE % DUMP_PAGES];
	int ret = 0;

	if (!page->is_asked || page->address != address)
		ret = ask_worker(dump, address, DUMP_PAGE, page);
	if (!ret && page->answer.kind == ENODATA && size < DUMP_PAGE) {
		page = &dump->pages[DUMP_PAGES];
		ret = ask_worker(dump, address + within, size, page);
		within = 0;
	}
	if (!ret)
		ret = -(int)page->answer.kind;
	if (!ret)
		memcpy(buffer, page->bytes + within, size);
	return ret;
}

static int read_physical(void *memory, uint64_t address, void *buffer,
			 size_t size)
{
	struct dump *dump = memory;
	char *place = buffer;

	while (size) {
		size_t within = (size_t)(address % DUMP_PAGE);
		size_t piece = DUMP_PAGE - within;
		int ret = dump->is_over ? -ETIMEDOUT :
			  dump->lost	? -EIO :
					  patience_step(dump->patience);

		if (piece > size)
			piece = size;
		if (!ret)
			ret = read_page(dump, address - within, within, place,
					piece);
		if (ret < 0)
			return ret == -ENODATA || ret == -ETIMEDOUT ? ret :
								      -EIO;
		place += piece;
		address += piece;
		size -= piece;
	}
	return 0;
}

/*
 * Makes @path one that leads a worker to the same file: it is in another
 * directory and has other descriptors.
 */
static int path_for_worker(const char *path, char place[PATH_MAX])
{
	static const char descriptors[] = "/dev/fd/", self[] = "/proc/self/";
	int length;

	if (strcmp(path, "/dev/stdin") == 0)
		length = snprintf(place, PATH_MAX, "/proc/%d/fd/0", getpid());
	else if (strncmp(path, descriptors, strlen(descriptors)) == 0)
		length = snprintf(place, PATH_MAX, "/proc/%d/fd/%s", getpid(),
				  path + strlen(descriptors));
	else if (strncmp(path, self, strlen(self)) == 0)
		length = snprintf(place, PATH_MAX, "/proc/%d/%s", getpid(),
				  path + strlen(self));
	else
		return absolute_path(path, place);
	return length < PATH_MAX ? 0 : -ENAMETOOLONG;
}

/* An earlier run's worker may still be stuck on the same dump. */
static int check_stuck(const struct dump *dump, struct error *err)
{
	char why[STUCK_WHY];
	struct stuck stuck;

	if (!stuck_find(dump->object, &stuck))
		return 0;
	stuck_explain(&stuck, why);
	return error_set(err, EBUSY, "%s", why);
}

/* @path: for the worker. */
static int start(struct dump *dump, const char *path, struct error *err)
{
	const struct timeval glance = { .tv_usec = GLANCE_US };
	_cleanup_(closep) int near = -1, far = -1, unused = -1;
	int ends[2], ret;

	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) < 0)
		return error_errno(err, errno, NULL, NULL);
	near = ends[0];
	far = ends[1];
	dump->pid = worker_start(far, false, &unused);
	if (!dump->pid)
		dump_serve(path, WORKER_KEPT);
	if (dump->pid < 0) {
		ret = dump->pid;
		dump->pid = 0;
		return error_errno(err, -ret, "starting", "a worker");
	}
	dump->socket = steal_fd(&near);
	if (setsockopt(dump->socket, SOL_SOCKET, SO_RCVTIMEO, &glance,
		       sizeof(glance)) < 0)
		return error_errno(err, errno, NULL, NULL);
	return 0;
}

/* Reads the first answer: VMCOREINFO, or why there will be no others. */
static int read_greeting(struct dump *dump, struct error *err)
{
	struct frame head;
	int ret = receive(dump, &head, sizeof(head));

	if (!ret && head.kind && head.kind <= MAX_ERRNO &&
	    head.size == sizeof(*err)) {
		ret = receive(dump, err, sizeof(*err));
		if (!ret)
			return -(int)head.kind;
	}
	if (!ret && (head.kind || head.size > MAX_VMCOREINFO))
		ret = -EPIPE;
	if (!ret) {
		dump->vmcoreinfo = calloc(1, (size_t)head.size + 1);
		if (!dump->vmcoreinfo)
			return error_errno(err, ENOMEM, NULL, NULL);
		ret = receive(dump, dump->vmcoreinfo, head.size);
	}
	if (!ret)
		return 0;
	ret = lose(dump, ret);
	return dump->is_over ? error_set(err, -ret, PATIENCE_OVER) :
			       error_set(err, EBADMSG, "%s", dump->lost);
}

int dump_open(struct dump *dump, const char *path, struct patience *patience,
	      struct error *err)
{
	const struct physmem physical = { read_physical, dump };
	char place[PATH_MAX];
	int ret = path_for_worker(path, place);

	*dump = (struct dump){
		.socket = -1,
		.patience = patience,
		.pages = calloc(DUMP_PAGES + 1, sizeof(*dump->pages)),
		.kmem = { pagetable_read, &dump->table },
	};
	patience_set_about(patience, path);
	if (!ret && !dump->pages)
		ret = -ENOMEM;
	if (ret < 0) {
		error_errno(err, -ret, NULL, NULL);
	} else {
		stuck_name_path("read", place, dump->object);
		ret = check_stuck(dump, err);
	}
	if (!ret)
		ret = start(dump, place, err);
	if (!ret)
		ret = read_greeting(dump, err);
	if (!ret)
		ret = pagetable_init(&dump->table, &physical, dump->vmcoreinfo,
				     err);
	return ret < 0 ? error_within(err, ret, "reading a dump", path) : 0;
}

/* A worker that hangs in the kernel on the dump's disk stays behind. */
static void end_worker(const struct dump *dump)
{
	int lock;

	kill(dump->pid, SIGKILL);
	if (worker_reap(dump->pid, monotonic_ns() + END_NS))
		return;
	lock = stuck_lock(LOCK_MS);
	stuck_record(dump->object, dump->pid);
	stuck_unlock(&lock);
}

void dump_close(struct dump *dump)
{
	closep(&dump->socket);
	if (dump->pid > 0)
		end_worker(dump);
	free(dump->vmcoreinfo);
	free(dump->pages);
	*dump = (struct dump){ .socket = -1 };
}
