// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * hog SECONDS: takes memory until the kernel kills it, as the first it kills,
 * over and over, for so long and until it was killed at least once; then prints
 * "killed N". Exit status 1: it was not killed within PATIENCE seconds more.
 */
#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define STEP (8UL << 20)
#define PATIENCE 180

static time_t seconds_since_boot(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec;
}

static void be_the_first(void)
{
	int fd = open("/proc/self/oom_score_adj", O_WRONLY | O_CLOEXEC);

	if (fd < 0 || write(fd, "1000", 4) != 4)
		err(1, "oom_score_adj");
	close(fd);
}

/* Until @end, unless the kernel ends it before. */
static void take_memory(time_t end)
{
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	be_the_first();
	while (seconds_since_boot() < end) {
		void *memory = mmap(NULL, STEP, PROT_READ | PROT_WRITE,
				    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

		if (memory != MAP_FAILED)
			memset(memory, 1, STEP);
		else
			usleep(10000);
	}
	_exit(0);
}

/* Forking takes memory, too. */
static pid_t fork_at_last(void)
{
	pid_t child;

	while ((child = fork()) < 0) {
		if (errno != ENOMEM && errno != EAGAIN)
			err(1, "fork");
		usleep(10000);
	}
	return child;
}

int main(int argc, char **argv)
{
	unsigned int killed = 0;
	time_t end, end_of_patience;

	if (argc != 2)
		errx(1, "usage: hog SECONDS");
	end = seconds_since_boot() + atol(argv[1]);
	end_of_patience = end + PATIENCE;

	while (seconds_since_boot() < (killed ? end : end_of_patience)) {
		pid_t child = fork_at_last();
		int status;

		if (child == 0)
			take_memory(killed ? end : end_of_patience);
		if (waitpid(child, &status, 0) != child)
			err(1, "waiting");
		if (WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL)
			killed++;
		else if (!WIFEXITED(status) || WEXITSTATUS(status))
			errx(1, "ended with status %#x", status);
		/* Others get some of it too. */
		usleep(500000);
	}
	if (!killed)
		errx(1, "not killed in %s seconds and %d more", argv[1],
		     PATIENCE);
	printf("killed %u\n", killed);
	return 0;
}
