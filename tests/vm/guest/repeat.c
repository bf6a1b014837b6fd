// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * repeat OUTPUT COMMAND [ARGUMENT...]: runs the command again and again, even
 * if it fails, until SIGTERM and until it has succeeded once. Prints
 * "runs N succeeded N". OUTPUT has the output of the last run. For use while
 * memory is short, when a shell that cannot fork would end. Exit status 1: the
 * command did not succeed in ATTEMPTS more runs after SIGTERM.
 */
#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

#define ATTEMPTS 200
#define PAUSE_US 10000

static volatile sig_atomic_t stop;

static void on_signal(int signal)
{
	(void)signal;
	stop = 1;
}

static void run(const char *output, char **command)
{
	int fd = open(output, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);

	if (fd >= 0) {
		dup2(fd, STDOUT_FILENO);
		dup2(fd, STDERR_FILENO);
	}
	execvp(command[0], command);
	err(127, "%s", command[0]);
}

/* Whether it ran and succeeded. */
static int succeeds(const char *output, char **command)
{
	pid_t child = fork();
	int status;

	if (child == 0)
		run(output, command);
	if (child < 0) {
		if (errno != ENOMEM && errno != EAGAIN)
			err(1, "fork");
		usleep(PAUSE_US);
		return 0;
	}
	if (waitpid(child, &status, 0) != child)
		err(1, "waiting");
	return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

int main(int argc, char **argv)
{
	struct sigaction action = { .sa_handler = on_signal,
				    .sa_flags = SA_RESTART };
	unsigned int runs = 0, succeeded = 0, more = ATTEMPTS;

	if (argc < 3)
		errx(1, "usage: repeat OUTPUT COMMAND [ARGUMENT...]");
	sigaction(SIGTERM, &action, NULL);

	while (!stop || (!succeeded && more--)) {
		succeeded += succeeds(argv[1], argv + 2);
		runs++;
	}
	printf("runs %u succeeded %u\n", runs, succeeded);
	return succeeded ? 0 : 1;
}
