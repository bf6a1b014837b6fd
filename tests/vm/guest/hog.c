// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * hog SECONDS: allocates memory until the OOM killer kills it, as its first
 * choice, over and over, for SECONDS and until it was killed at least once.
 * While other processes keep freeing a little memory, the kernel may put that
 * off for minutes, so after SECONDS hog asks for it (sysrq f). Prints
 * "killed N asked N". Exit status 1: it was not killed within PATIENCE more
 * seconds.
 *
 * SPARE processes, which allocate nothing, are the OOM killer's next choices
 * while the first one's memory is being freed. Without any process that it may
 * kill, the kernel panics.
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
#define PATIENCE 120
#define ASK_EVERY 5
#define PAUSE_US 500000
#define SPARE 64

static time_t seconds_since_boot(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec;
}

/* Sets the caller's OOM score, which makes it the OOM killer's choice. */
static void set_score(const char *score)
{
	int fd = open("/proc/self/oom_score_adj", O_WRONLY | O_CLOEXEC);
	ssize_t length = (ssize_t)strlen(score);

	if (fd < 0 || write(fd, score, (size_t)length) != length)
		err(1, "oom_score_adj");
	close(fd);
}

/* Allocates memory until @end, unless the kernel kills it before. */
static void take_memory(time_t end)
{
	set_score("1000");
	while (seconds_since_boot() < end) {
		void *memory = mmap(NULL, STEP, PROT_READ | PROT_WRITE,
				    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

		if (memory != MAP_FAILED)
			memset(memory, 1, STEP);
		else
			usleep(PAUSE_US);
	}
	_exit(0);
}

/* Retries fork(), which needs memory too. The child dies with its parent. */
static pid_t fork_at_last(void)
{
	pid_t child;

	while ((child = fork()) < 0) {
		if (errno != ENOMEM && errno != EAGAIN)
			err(1, "fork");
		usleep(PAUSE_US);
	}
	if (child == 0)
		prctl(PR_SET_PDEATHSIG, SIGKILL);
	return child;
}

static pid_t start_spare(void)
{
	pid_t child = fork_at_last();

	if (child == 0) {
		set_score("999");
		for (;;)
			pause();
	}
	return child;
}

/* Starts another in the place of the one that has @ended. */
static void replace(pid_t *spare, pid_t ended)
{
	for (int i = 0; i < SPARE; i++) {
		if (spare[i] == ended)
			spare[i] = start_spare();
	}
}

static pid_t start_first(time_t end)
{
	pid_t child = fork_at_last();

	if (child == 0)
		take_memory(end);
	return child;
}

static void ask_kernel(void)
{
	int fd = open("/proc/sysrq-trigger", O_WRONLY | O_CLOEXEC);

	if (fd < 0 || write(fd, "f", 1) != 1)
		err(1, "sysrq-trigger");
	close(fd);
}

int main(int argc, char **argv)
{
	unsigned int killed = 0, asked = 0;
	time_t end, next_ask, end_of_patience;
	pid_t first, spare[SPARE];

	if (argc != 2)
		errx(1, "usage: hog SECONDS");
	set_score("-1000");
	end = seconds_since_boot() + atol(argv[1]);
	next_ask = end;
	end_of_patience = end + PATIENCE;
	for (int i = 0; i < SPARE; i++)
		spare[i] = start_spare();
	first = start_first(end_of_patience);

	while (seconds_since_boot() < (killed ? end : end_of_patience)) {
		int status;
		pid_t ended = waitpid(-1, &status, WNOHANG);

		if (ended == 0 && !killed && seconds_since_boot() >= next_ask) {
			ask_kernel();
			asked++;
			next_ask = seconds_since_boot() + ASK_EVERY;
		}
		if (ended == 0) {
			usleep(PAUSE_US);
			continue;
		}
		if (ended < 0)
			err(1, "waiting");
		if (!WIFSIGNALED(status) || WTERMSIG(status) != SIGKILL)
			errx(1, "%d ended with status %#x", (int)ended, status);
		if (ended != first) {
			replace(spare, ended);
			continue;
		}
		killed++;
		/* Leaves other processes some memory too. */
		usleep(PAUSE_US);
		first = start_first(end_of_patience);
	}
	kill(first, SIGKILL);
	for (int i = 0; i < SPARE; i++)
		kill(spare[i], SIGKILL);
	if (!killed)
		errx(1, "not killed in %s seconds and %d more", argv[1],
		     PATIENCE);
	printf("killed %u asked %u\n", killed, asked);
	return 0;
}
