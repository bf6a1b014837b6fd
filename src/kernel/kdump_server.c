// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "kernel/kdump_server.h"
#include "lib/cleanup.h"
#include "lib/error.h"
#include "lib/library.h"

#define LIBKDUMPFILE "libkdumpfile"
#define PACKAGES "libkdumpfile10 or libkdumpfile"

/* Bytes of address space, many times what the largest dump needs. */
#define MAX_MEMORY (UINT64_C(4) << 30)
#define MAX_READ (16U << 20)

/* From <libkdumpfile/kdumpfile.h> (0.5), which may not be installed. */
enum { STATUS_OK = 0, STATUS_NO_DATA = 3 };
enum { MACHINE_PHYSICAL = 1 };
enum { ATTRIBUTE_STRING = 4 };

struct attribute {
	int type;
	union {
		uint64_t number;
		const char *string;
	};
};

struct server {
	void *handle; /* of the loaded library */
	void *context;
	void *(*create)(void);
	int (*open)(void *context, unsigned int count, const int *fds);
	int (*set)(void *context, const char *key,
		   const struct attribute *value);
	int (*read)(void *context, int space, uint64_t address, void *buffer,
		    size_t *length);
	int (*vmcoreinfo)(void *context, char **text);
	const char *(*error)(void *context);
};

static int load(struct server *server, struct error *err)
{
	const struct library_symbol symbols[] = {
		{ "kdump_new", &server->create },
		{ "kdump_open_fdset", &server->open },
		{ "kdump_set_attr", &server->set },
		{ "kdump_read", &server->read },
		{ "kdump_vmcoreinfo_raw", &server->vmcoreinfo },
		{ "kdump_get_err", &server->error },
	};

	/* Of 0.5.5, and of 0.5.0 to 0.5.4; both have the same functions. */
	static const char *const files[] = { "libkdumpfile.so.12",
					     "libkdumpfile.so.10" };
	int ret = -ENOENT;

	for (size_t i = 0; ret < 0 && i < sizeof(files) / sizeof(*files); i++)
		ret = library_open(files[i], PACKAGES, symbols,
				   sizeof(symbols) / sizeof(*symbols),
				   &server->handle, err);
	return ret;
}

static int open_dump(struct server *server, int dump, struct error *err)
{
	struct error reason;
	char text[ERROR_TEXT_SIZE];

	if (load(server, &reason) < 0)
		return error_set(err, ERROR_UNUSABLE,
				 "not an ELF dump, and for others: %s",
				 error_text(&reason, text));
	server->context = server->create();
	if (!server->context)
		return error_errno(err, ENOMEM, "loading", LIBKDUMPFILE);
	if (server->open(server->context, 1, &dump) != STATUS_OK)
		return error_set(err, EBADMSG,
				 "not an ELF dump, nor one that libkdumpfile "
				 "reads: %s",
				 server->error(server->context));
	return 0;
}

/* The library has VMCOREINFO only if it is told that the kernel is Linux. */
static char *read_vmcoreinfo(struct server *server)
{
	const struct attribute linux_kernel = { .type = ATTRIBUTE_STRING,
						.string = "linux" };
	char *text;

	server->set(server->context, "addrxlat.ostype", &linux_kernel);
	if (server->vmcoreinfo(server->context, &text) != STATUS_OK)
		return NULL;
	return text;
}

static void send_all(int socket, const void *data, size_t size)
{
	const char *rest = data;
	ssize_t sent;

	for (; size; size -= (size_t)sent, rest += sent) {
		sent = send(socket, rest, size, MSG_NOSIGNAL);
		if (sent < 0)
			_exit(EXIT_FAILURE);
	}
}

static void answer(int socket, int status, const void *data, size_t size)
{
	const struct kdump_answer head = {
		.status = status,
		.size = (uint32_t)size,
	};

	send_all(socket, &head, sizeof(head));
	if (size)
		send_all(socket, data, size);
}

static void answer_question(const struct server *server, int socket,
			    const struct kdump_question *question)
{
	_cleanup_(freep) char *buffer = NULL;
	size_t size = question->size;

	if (size <= MAX_READ)
		buffer = malloc(size + 1);
	if (!buffer) {
		answer(socket, -ENOMEM, NULL, 0);
		return;
	}
	switch (server->read(server->context, MACHINE_PHYSICAL,
			     question->address, buffer, &size)) {
	case STATUS_OK:
		answer(socket, 0, buffer, question->size);
		break;
	case STATUS_NO_DATA:
		answer(socket, -ENODATA, NULL, 0);
		break;
	default:
		answer(socket, -EIO, NULL, 0);
	}
}

static void give_up(int signal __attribute__((unused)))
{
	_exit(EXIT_FAILURE);
}

/*
 * If the library crashes, it must leave no messages and no core. It must not
 * use unlimited memory, nor hold other descriptors open, because somebody may
 * be waiting for them to be closed.
 */
static void isolate(int *dump, int *socket)
{
	static const int crashes[] = { SIGSEGV, SIGBUS, SIGABRT, SIGFPE,
				       SIGILL };
	const struct rlimit memory = { MAX_MEMORY, MAX_MEMORY };
	const struct sigaction end = { .sa_handler = give_up };
	enum { FIRST = 3, SECOND, OTHERS };

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	prctl(PR_SET_DUMPABLE, 0);
	for (size_t i = 0; i < sizeof(crashes) / sizeof(*crashes); i++)
		sigaction(crashes[i], &end, NULL);
	setrlimit(RLIMIT_AS, &memory);

	*dump = fcntl(*dump, F_DUPFD, OTHERS);
	*socket = fcntl(*socket, F_DUPFD, OTHERS);
	for (int fd = 0; fd < FIRST; fd++)
		close(fd);
	for (int fd = 0; fd < FIRST; fd++)
		open("/dev/null", O_RDWR);
	*dump = dup2(*dump, FIRST);
	*socket = dup2(*socket, SECOND);
#ifdef SYS_close_range
	syscall(SYS_close_range, OTHERS, ~0U, 0);
#endif
	if (*dump < 0 || *socket < 0)
		_exit(EXIT_FAILURE);
}

_Noreturn void kdump_serve(int dump, int socket)
{
	struct kdump_question question;
	struct server server = { 0 };
	char text[ERROR_TEXT_SIZE];
	struct error err;
	char *vmcoreinfo;
	int ret;

	isolate(&dump, &socket);
	ret = open_dump(&server, dump, &err);
	if (ret < 0) {
		error_text(&err, text);
		answer(socket, ret, text, strlen(text));
		_exit(EXIT_SUCCESS);
	}
	vmcoreinfo = read_vmcoreinfo(&server);
	answer(socket, 0, vmcoreinfo, vmcoreinfo ? strlen(vmcoreinfo) : 0);
	while (recv(socket, &question, sizeof(question), MSG_WAITALL) ==
	       sizeof(question))
		answer_question(&server, socket, &question);
	_exit(EXIT_SUCCESS);
}
