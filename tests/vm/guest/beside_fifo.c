// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * beside_fifo COMMAND...: runs it on the processor on which a SCHED_FIFO thread
 * wakes up every 200 us, and prints by how much that was late at most, in us,
 * to the standard error.
 */
#include <err.h>
#include <sched.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define EVERY_NS 200000

static long long now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * 1000000000LL + now.tv_nsec;
}

static void wait_until(long long at_ns)
{
	struct timespec at = {
		.tv_sec = at_ns / 1000000000,
		.tv_nsec = at_ns % 1000000000,
	};

	clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &at, NULL);
}

int main(int argc, char **argv)
{
	const struct sched_param priority = { .sched_priority = 50 };
	long long at_ns, late_ns, most_ns = 0;
	int status = 0;
	cpu_set_t one;
	pid_t child;

	CPU_ZERO(&one);
	CPU_SET(0, &one);
	if (argc < 2 || sched_setaffinity(0, sizeof(one), &one) < 0)
		err(1, "sched_setaffinity");
	child = fork();
	if (child == 0) {
		execvp(argv[1], argv + 1);
		err(1, "%s", argv[1]);
	}
	if (child < 0 || mlockall(MCL_CURRENT) < 0 ||
	    sched_setscheduler(0, SCHED_FIFO, &priority) < 0)
		err(1, "SCHED_FIFO");
	at_ns = now_ns();
	do {
		at_ns += EVERY_NS;
		wait_until(at_ns);
		late_ns = now_ns() - at_ns;
		if (late_ns > most_ns)
			most_ns = late_ns;
		if (late_ns > EVERY_NS)
			at_ns += late_ns;
	} while (waitpid(child, &status, WNOHANG) == 0);
	fprintf(stderr, "%lld\n", most_ns / 1000);
	return !WIFEXITED(status) || WEXITSTATUS(status);
}
