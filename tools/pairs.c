// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * pairs N COMMAND_A -- COMMAND_B: runs the two in turn, A B A B, N times each
 * after two rounds that do not count. Prints one line: the medians of A's and
 * B's wall time in milliseconds and the median of the ratios A/B of the pairs,
 * then the same for peak memory in KiB. The commands' output is discarded. They
 * run in turn because the speed of a shared machine drifts. A run with exit
 * status 3 counts: bufstat then measured in part.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define WARM_UP 2
#define IN_PART 3
#define FEWEST 10 /* a ratio from fewer pairs says nothing */

struct run {
	double ns;
	double rss_kib;
};

static double now_ns(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return (double)time.tv_sec * 1e9 + (double)time.tv_nsec;
}

static void run_child(char **command)
{
	int null = open("/dev/null", O_WRONLY);
	int error = fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 0);

	dup2(null, STDOUT_FILENO);
	dup2(null, STDERR_FILENO);
	execvp(command[0], command);
	dprintf(error, "pairs: running: %s: %s\n", command[0], strerror(errno));
	_exit(127);
}

/* Ends the program if the command cannot be run or fails. */
static struct run run_once(char **command)
{
	double start = now_ns();
	struct rusage usage;
	struct run run;
	int status;
	pid_t child = vfork();

	if (child == 0)
		run_child(command);
	if (child < 0 || wait4(child, &status, 0, &usage) < 0) {
		fprintf(stderr, "pairs: running: %s: %s\n", command[0],
			strerror(errno));
		exit(1);
	}
	run.ns = now_ns() - start;
	run.rss_kib = (double)usage.ru_maxrss;
	if (!WIFEXITED(status) ||
	    (WEXITSTATUS(status) && WEXITSTATUS(status) != IN_PART)) {
		fprintf(stderr, "pairs: running: %s: status %#x\n", command[0],
			(unsigned int)status);
		exit(1);
	}
	return run;
}

static int ascending(const void *left, const void *right)
{
	double a = *(const double *)left, b = *(const double *)right;

	return (a > b) - (a < b);
}

static double median(double *values, int count)
{
	qsort(values, (size_t)count, sizeof(*values), ascending);
	return count % 2 ? values[count / 2] :
			   (values[count / 2 - 1] + values[count / 2]) / 2;
}

static void print_figures(double *a, double *b, double *ratios, int count)
{
	for (int i = 0; i < count; i++)
		ratios[i] = a[i] / b[i];
	printf("%9.3f %9.3f %7.3f", median(a, count), median(b, count),
	       median(ratios, count));
}

static void measure(int count, char **a, char **b)
{
	double *values = calloc((size_t)count * 5, sizeof(*values));
	double *a_ms = values, *b_ms = values + count;
	double *a_kib = values + 2 * count, *b_kib = values + 3 * count;
	double *ratios = values + 4 * count;

	if (!values) {
		fprintf(stderr, "pairs: out of memory\n");
		exit(1);
	}
	for (int i = -WARM_UP; i < count; i++) {
		struct run run_a = run_once(a);
		struct run run_b = run_once(b);

		if (i < 0)
			continue;
		a_ms[i] = run_a.ns / 1e6;
		b_ms[i] = run_b.ns / 1e6;
		a_kib[i] = run_a.rss_kib;
		b_kib[i] = run_b.rss_kib;
	}
	print_figures(a_ms, b_ms, ratios, count);
	putchar(' ');
	print_figures(a_kib, b_kib, ratios, count);
	putchar('\n');
	free(values);
}

int main(int argc, char **argv)
{
	int count = argc > 1 ? atoi(argv[1]) : 0;
	int split = 2;

	while (split < argc && strcmp(argv[split], "--") != 0)
		split++;
	if (count < FEWEST || split == 2 || split + 1 >= argc) {
		fprintf(stderr,
			"usage: pairs N COMMAND_A -- COMMAND_B (N >= %d)\n",
			FEWEST);
		return 1;
	}
	argv[split] = NULL;
	measure(count, argv + 2, argv + split + 1);
	return 0;
}
