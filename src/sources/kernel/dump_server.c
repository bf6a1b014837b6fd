// SPDX-License-Identifier: GPL-2.0-or-later
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include "kernel/dump_file.h"
#include "kernel/dump_server.h"
#include "lib/error.h"
#include "worker/frames.h"

/* Bytes of address space, many times what the largest dump needs. */
#define MAX_MEMORY (UINT64_C(4) << 30)

/* @ret is 0 or a negative errno. Ends if nobody reads it any more. */
static void answer(int socket, int ret, const void *data, size_t size)
{
	if (frame_send(socket, (unsigned int)-ret, data, size) < 0)
		_exit(EXIT_FAILURE);
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
	signal(SIGPIPE, SIG_IGN);
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
