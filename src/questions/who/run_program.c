// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cli/command_line.h"
#include "lib/cleanup.h"
#include "lib/error.h"
#include "lib/oom_score.h"
#include "who/run_program.h"

#define RUNNING "running"
#define GLANCE_MS 100

/* In the child: waits for a byte in @go, unless that is -1. */
static bool may_go(int go)
{
	ssize_t got = 1;
	char byte;

	do {
		if (go >= 0)
			got = read(go, &byte, 1);
	} while (got < 0 && errno == EINTR);
	return got == 1;
}

/* In the child. Writes the errno to @failed if the program cannot be executed. */
__attribute__((noreturn)) static void
execute(const struct common_options *options, const sigset_t *mask,
	bool output_is_ours, int failed, int go)
{
	char **argv = options->program;
	int number = 0;

	if (!may_go(go))
		_exit(PROGRAM_NOT_RUN);
	if (output_is_ours && dup2(STDERR_FILENO, STDOUT_FILENO) < 0)
		number = errno;
	if (!number) {
		sigprocmask(SIG_SETMASK, mask, NULL);
		oom_score_set(options->oom_score);
		execvp(argv[0], argv);
		number = errno;
	}
	/* If that fails, the parent reads nothing, and sees the exit status. */
	if (write(failed, &number, sizeof(number)) < 0)
		_exit(PROGRAM_NOT_RUN);
	_exit(PROGRAM_NOT_STARTED);
}

static bool is_interrupted(void)
{
	sigset_t pending;

	return sigpending(&pending) == 0 && (sigismember(&pending, SIGINT) ||
					     sigismember(&pending, SIGTERM));
}

/*
 * Reads the errno of execvp(), or 0 when it succeeded, which closes the pipe.
 * The program may be on a disk that does not answer, and the caller has blocked
 * the signals that end it: EINTR if one has come.
 */
static int read_failure(int fd)
{
	struct pollfd pipe = { .fd = fd, .events = POLLIN };
	int number = 0;
	ssize_t got;

	while (poll(&pipe, 1, GLANCE_MS) <= 0) {
		if (is_interrupted())
			return EINTR;
	}
	do {
		got = read(fd, &number, sizeof(number));
	} while (got < 0 && errno == EINTR);
	return got == sizeof(number) ? number : 0;
}

/* Both ends are closed on exec. */
struct pipe_ends {
	int reading;
	int writing;
};

static int open_pipe(struct pipe_ends *ends)
{
	int fds[2];

	if (pipe2(fds, O_CLOEXEC) < 0)
		return -errno;
	*ends = (struct pipe_ends){ fds[0], fds[1] };
	return 0;
}

/*
 * Calls the hook and lets the child go. A child that may not go sees the end of
 * the pipe.
 */
static int let_go(const struct run_program_hook *hook, pid_t child, int *go,
		  struct error *err)
{
	int ret = hook ? hook->ready(hook->data, child, err) : 0;

	if (!ret && hook && write(*go, "", 1) != 1)
		ret = error_errno(err, errno, RUNNING, "a program");
	closep(go);
	*go = -1;
	if (ret < 0) {
		kill(child, SIGKILL);
		waitpid(child, NULL, 0);
	}
	return ret;
}

pid_t run_program_start(const struct common_options *options,
			const sigset_t *mask, bool output_is_ours,
			const struct run_program_hook *hook, int *code,
			struct error *err)
{
	_cleanup_(closep) int reading = -1;
	_cleanup_(closep) int writing = -1;
	_cleanup_(closep) int waits = -1;
	_cleanup_(closep) int go = -1;
	struct pipe_ends failed = { -1, -1 }, start = { -1, -1 };
	char **argv = options->program;
	pid_t child;
	int number, ret;

	*code = PROGRAM_NOT_RUN;
	fflush(NULL);
	ret = open_pipe(&failed);
	if (ret < 0)
		return error_errno(err, -ret, RUNNING, argv[0]);
	reading = failed.reading;
	writing = failed.writing;
	ret = hook ? open_pipe(&start) : 0;
	if (ret < 0)
		return error_errno(err, -ret, RUNNING, argv[0]);
	waits = start.reading;
	go = start.writing;
	child = fork();
	if (child < 0)
		return error_errno(err, errno, RUNNING, argv[0]);
	if (child == 0) {
		/* Else it would wait for itself when the program is killed. */
		closep(&go);
		execute(options, mask, output_is_ours, writing, waits);
	}
	close(steal_fd(&writing));
	ret = let_go(hook, child, &go, err);
	if (ret < 0)
		return ret;
	number = read_failure(reading);
	if (!number)
		return child;
	kill(child, SIGKILL);
	if (number != EINTR)
		waitpid(child, NULL, 0);
	*code = number == ENOENT ? PROGRAM_NOT_FOUND : PROGRAM_NOT_STARTED;
	return error_errno(err, number, RUNNING, argv[0]);
}

int run_program_code(int status)
{
	if (WIFSIGNALED(status))
		return PROGRAM_BY_SIGNAL + WTERMSIG(status);
	return WEXITSTATUS(status);
}
