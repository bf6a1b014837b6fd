// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "lib/cleanup.h"
#include "lib/error.h"
#include "lib/oom_score.h"
#include "record/answer.h"

#define DIRECTORY "/run/bufstat"
/* For a client that sends nothing, or does not read. */
#define CLIENT_SECONDS 2

static int new_socket(struct sockaddr_un *address)
{
	*address = (struct sockaddr_un){ .sun_family = AF_UNIX };
	strcpy(address->sun_path, RECORD_SOCKET);
	return socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
}

/* Returns a connected socket or a negative errno. */
static int connect_to_recorder(int seconds)
{
	const struct timeval patience = { .tv_sec = seconds };
	struct sockaddr_un address;
	_cleanup_(closep) int fd = new_socket(&address);

	if (fd < 0)
		return -errno;
	/*
	 * The first counts for connect() too, which waits if a recorder that is
	 * stopped has as many in its queue as it takes: -EAGAIN.
	 */
	setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof(patience));
	setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof(patience));
	if (connect(fd, (void *)&address, sizeof(address)) < 0)
		return -errno;
	return steal_fd(&fd);
}

/* What a recorder that was killed has left would be in the way. */
static int make_way(void)
{
	_cleanup_(closep) int fd = connect_to_recorder(CLIENT_SECONDS);

	if (fd >= 0 || fd == -EAGAIN)
		return -EADDRINUSE;
	if (fd == -ECONNREFUSED)
		unlink(RECORD_SOCKET);
	return 0;
}

static int listen_there(int fd, const struct sockaddr_un *address)
{
	mode_t mask = umask(0077);
	int ret = bind(fd, (const void *)address, sizeof(*address));
	int number = errno;

	umask(mask);
	if (ret < 0)
		return -number;
	return listen(fd, 8) < 0 ? -errno : 0;
}

int answers_init(struct answers *answers, struct error *err)
{
	struct sockaddr_un address;
	_cleanup_(closep) int fd = new_socket(&address);
	int ret = fd < 0 ? -errno : 0;

	*answers = (struct answers){ .listener = -1 };
	/* Others keep records there that all may read (stuck.h). */
	if (!ret && mkdir(DIRECTORY, 0755) < 0 && errno != EEXIST)
		ret = -errno;
	if (!ret)
		ret = make_way();
	if (!ret)
		ret = listen_there(fd, &address);
	if (ret < 0)
		return error_doing(err, -ret, "listening", RECORD_SOCKET,
				   "%s (nobody can ask; what is recorded can "
				   "be read from the directory)",
				   strerror(-ret));
	answers->listener = steal_fd(&fd);
	return 0;
}

void answers_deinit(struct answers *answers)
{
	if (answers->listener < 0)
		return;
	close(answers->listener);
	unlink(RECORD_SOCKET);
	answers->listener = -1;
}

/* Reads a line, or all that a client sends before it shuts down its side. */
static bool read_line(int fd, char line[ANSWER_LINE])
{
	size_t used = 0;

	while (used < ANSWER_LINE - 1) {
		ssize_t length = read(fd, line + used, ANSWER_LINE - 1 - used);
		char *end;

		if (length < 0)
			return false;
		used += (size_t)length;
		line[used] = '\0';
		end = strchr(line, '\n');
		if (end)
			*end = '\0';
		if (end || !length)
			return true;
	}
	return false;
}

static void answer_client(int client, answer_fn *answer, const void *data)
{
	const struct timeval patience = { .tv_sec = CLIENT_SECONDS };
	char line[ANSWER_LINE];
	int null = open("/dev/null", O_RDONLY | O_CLOEXEC);
	sigset_t none;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	oom_score_set(OOM_SCORE_FIRST);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	alarm(ANSWER_SECONDS);
	setsockopt(client, SOL_SOCKET, SO_RCVTIMEO, &patience,
		   sizeof(patience));
	setsockopt(client, SOL_SOCKET, SO_SNDTIMEO, &patience,
		   sizeof(patience));
	if (!read_line(client, line))
		_exit(1);
	if (null >= 0)
		dup2(null, STDIN_FILENO);
	dup2(client, STDOUT_FILENO);
	dup2(client, STDERR_FILENO);
	close(client);
	answer(data, line);
	fflush(stdout);
	_exit(0);
}

void answers_accept(struct answers *answers, answer_fn *answer,
		    const void *data, int close_too)
{
	_cleanup_(closep) int client =
		accept4(answers->listener, NULL, NULL, SOCK_CLOEXEC);
	size_t place = 0;
	pid_t pid;

	while (place < ANSWERS_AT_ONCE && answers->children[place])
		place++;
	if (client < 0 || place == ANSWERS_AT_ONCE)
		return;
	pid = fork();
	if (!pid) {
		close(answers->listener);
		close(close_too);
		answer_client(client, answer, data);
	}
	if (pid > 0)
		answers->children[place] = pid;
}

void answers_forget(struct answers *answers, pid_t pid)
{
	for (size_t i = 0; i < ANSWERS_AT_ONCE; i++) {
		if (answers->children[i] == pid)
			answers->children[i] = 0;
	}
}

/* Copies all that comes. */
static int copy_answer(int from, int out)
{
	char bytes[4096];

	for (;;) {
		ssize_t length = read(from, bytes, sizeof(bytes));

		if (length <= 0)
			return length < 0 ? -errno : 0;
		if (write(out, bytes, (size_t)length) != length)
			return errno ? -errno : -EIO;
	}
}

int answer_get(const char *line, int out, int seconds)
{
	_cleanup_(closep) int fd = connect_to_recorder(seconds);

	if (fd < 0)
		return fd;
	if (send(fd, line, strlen(line), MSG_NOSIGNAL) < 0 ||
	    shutdown(fd, SHUT_WR) < 0)
		return -errno;
	return copy_answer(fd, out);
}
