// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * time_runs COUNT COMMAND [ARGUMENT...]: runs the command COUNT times and
 * discards its output. Prints the minimum and the median of the wall times, in
 * microseconds, the largest resident set, in KiB, and the least processor time
 * of a run and of all processes that it waited for, in microseconds.
 */
#include <err.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static long now_us(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * 1000000L + now.tv_nsec / 1000;
}

static int compare(const void *left, const void *right)
{
	const long *a = left, *b = right;

	return (*a > *b) - (*a < *b);
}

static long time_us(const struct timeval *time)
{
	return time->tv_sec * 1000000L + time->tv_usec;
}

static void run(char **command, long *rss, long *cpu)
{
	long used;
	struct rusage usage;
	int status;
	pid_t child = vfork();

	if (child == 0) {
		dup2(open("/dev/null", O_WRONLY), STDOUT_FILENO);
		execvp(*command, command);
		_exit(127);
	}
	if (wait4(child, &status, 0, &usage) < 0)
		err(1, "wait4");
	if (!WIFEXITED(status) || WEXITSTATUS(status))
		errx(1, "%s: status %#x", *command, status);
	if (usage.ru_maxrss > *rss)
		*rss = usage.ru_maxrss;
	used = time_us(&usage.ru_utime) + time_us(&usage.ru_stime);
	if (!*cpu || used < *cpu)
		*cpu = used;
}

int main(int argc, char **argv)
{
	int count = argc > 2 ? atoi(argv[1]) : 0;
	long *times, rss = 0, cpu = 0;

	if (count < 1)
		errx(1, "usage: time_runs COUNT COMMAND [ARGUMENT...]");
	times = calloc((size_t)count, sizeof(*times));
	if (!times)
		err(1, "calloc");
	for (int i = 0; i < count; i++) {
		long begin = now_us();

		run(argv + 2, &rss, &cpu);
		times[i] = now_us() - begin;
	}
	qsort(times, (size_t)count, sizeof(*times), compare);
	printf("%ld %ld %ld %ld\n", times[0], times[count / 2], rss, cpu);
	return 0;
}
