// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * hog: takes memory until the kernel kills it, as the first it kills, over and
 * over until SIGTERM; prints how often it was killed, each time it was.
 */
#include <err.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#define STEP (8UL << 20)

static volatile sig_atomic_t stop;

static void on_signal(int signal)
{
	(void)signal;
	stop = 1;
}

static void be_the_first(void)
{
	int fd = open("/proc/self/oom_score_adj", O_WRONLY | O_CLOEXEC);

	if (fd < 0 || write(fd, "1000", 4) != 4)
		err(1, "oom_score_adj");
	close(fd);
}

static void take_memory(void)
{
	be_the_first();
	while (!stop) {
		void *memory = mmap(NULL, STEP, PROT_READ | PROT_WRITE,
				    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

		if (memory != MAP_FAILED)
			memset(memory, 1, STEP);
	}
	_exit(0);
}

int main(void)
{
	/* No SA_RESTART: it ends waiting. */
	struct sigaction action = { .sa_handler = on_signal };
	unsigned int killed = 0;

	sigaction(SIGTERM, &action, NULL);
	while (!stop) {
		int status;
		pid_t child = fork();

		if (child < 0)
			err(1, "fork");
		if (child == 0)
			take_memory();
		while (waitpid(child, &status, 0) < 0) {
			if (stop)
				kill(child, SIGKILL);
		}
		if (!stop && WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL)
			printf("killed %u\n", ++killed);
		fflush(stdout);
		/* Others get some of it too. */
		usleep(500000);
	}
	return 0;
}
