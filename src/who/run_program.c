// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

#include "lib/cleanup.h"
#include "lib/error.h"
#include "who/run_program.h"

#define RUNNING "running"

/* In the child. Writes the errno to @failed if the program cannot be executed. */
__attribute__((noreturn)) static void execute(char **argv, const sigset_t *mask,
					      bool output_is_ours, int failed)
{
	int number = 0;

	if (output_is_ours && dup2(STDERR_FILENO, STDOUT_FILENO) < 0)
		number = errno;
	if (!number) {
		sigprocmask(SIG_SETMASK, mask, NULL);
		execvp(argv[0], argv);
		number = errno;
	}
	/* If that fails, the parent reads nothing, and sees the exit status. */
	if (write(failed, &number, sizeof(number)) < 0)
		_exit(PROGRAM_NOT_RUN);
	_exit(PROGRAM_NOT_STARTED);
}

/* Reads the errno of execvp(), or 0 when it succeeded, which closes the pipe. */
static int read_failure(int fd)
{
	int number = 0;
	ssize_t got;

	do {
		got = read(fd, &number, sizeof(number));
	} while (got < 0 && errno == EINTR);
	return got == sizeof(number) ? number : 0;
}

pid_t run_program_start(char **argv, const sigset_t *mask, bool output_is_ours,
			int *code, struct error *err)
{
	_cleanup_(closep) int reading = -1;
	_cleanup_(closep) int writing = -1;
	int ends[2], number;
	pid_t child;

	*code = PROGRAM_NOT_RUN;
	fflush(NULL);
	if (pipe2(ends, O_CLOEXEC) < 0)
		return error_errno(err, errno, RUNNING, argv[0]);
	reading = ends[0];
	writing = ends[1];
	child = fork();
	if (child < 0)
		return error_errno(err, errno, RUNNING, argv[0]);
	if (child == 0)
		execute(argv, mask, output_is_ours, writing);
	close(steal_fd(&writing));
	number = read_failure(reading);
	if (!number)
		return child;
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
