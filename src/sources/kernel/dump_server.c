// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

#include "kernel/dump_file.h"
#include "kernel/dump_server.h"
#include "lib/error.h"

/* Bytes of address space, many times what the largest dump needs. */
#define MAX_MEMORY (UINT64_C(4) << 30)

/* Sends the head and what follows it. Ends if nobody reads it any more. */
static void answer(int socket, int status, const void *data, size_t size)
{
	struct dump_answer head = {
		.status = status,
		.size = (uint32_t)size,
	};
	struct iovec parts[] = {
		{ &head, sizeof(head) },
		/* The cast is safe: it is only sent. */
		{ (void *)data, size },
	};
	struct msghdr message = { .msg_iov = parts, .msg_iovlen = 2 };

	while (parts[0].iov_len + parts[1].iov_len) {
		ssize_t sent = sendmsg(socket, &message, MSG_NOSIGNAL);

		if (sent < 0 && errno != EINTR)
			_exit(EXIT_FAILURE);
		for (int i = 0; i < 2 && sent > 0; i++) {
			size_t part = (size_t)sent < parts[i].iov_len ?
					      (size_t)sent :
					      parts[i].iov_len;

			parts[i].iov_base = (char *)parts[i].iov_base + part;
			parts[i].iov_len -= part;
			sent -= (ssize_t)part;
		}
	}
}

/* Returns false if nobody asks any more. */
static bool answer_question(const struct physmem *physical, int socket)
{
	struct dump_question question;
	char memory[DUMP_PAGE] = { 0 };
	int ret;

	if (recv(socket, &question, sizeof(question), MSG_WAITALL) !=
		    sizeof(question) ||
	    question.size > sizeof(memory))
		return false;
	ret = physical->read(physical->memory, question.address, memory,
			     question.size);
	answer(socket, ret, memory, question.size);
	return true;
}

static void give_up(int signal __attribute__((unused)))
{
	_exit(EXIT_FAILURE);
}

/*
 * If the library crashes, it must leave no messages and no core. It must not
 * use unlimited memory.
 */
static void isolate(void)
{
	static const int crashes[] = { SIGSEGV, SIGBUS, SIGABRT, SIGFPE,
				       SIGILL };
	const struct rlimit memory = { MAX_MEMORY, MAX_MEMORY };
	const struct sigaction end = { .sa_handler = give_up };

	prctl(PR_SET_DUMPABLE, 0);
	for (size_t i = 0; i < sizeof(crashes) / sizeof(*crashes); i++)
		sigaction(crashes[i], &end, NULL);
	setrlimit(RLIMIT_AS, &memory);
}

_Noreturn void dump_serve(const char *path, int socket)
{
	struct error err = { 0 };
	struct dump_file file;
	int ret;

	isolate();
	ret = dump_file_open(&file, path, &err);
	if (ret < 0) {
		answer(socket, ret, &err, sizeof(err));
		_exit(EXIT_SUCCESS);
	}
	answer(socket, 0, file.vmcoreinfo, strlen(file.vmcoreinfo));
	while (answer_question(&file.physical, socket))
		;
	_exit(EXIT_SUCCESS);
}
