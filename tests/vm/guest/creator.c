// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * creator fill DIRECTORY COUNT: makes COUNT files of a page, a thousand to a
 * directory. creator empty DIRECTORY COUNT: makes empty files.
 * creator delay DIRECTORY SECONDS: makes and removes files for SECONDS. Prints
 * how many it made, and the median, the 99th and 99.9th percentile and the
 * maximum of the time to make one, in microseconds.
 */
#include <err.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { MOST = 2000000 };

static void fill(const char *directory, long count, size_t size)
{
	char *bytes = calloc(1, size + 1);
	char path[256];
	int fd;

	if (!bytes)
		err(1, "a page");

	for (long i = 0; i < count; i++) {
		snprintf(path, sizeof(path), "%s/%ld", directory, i / 1000);
		if (i % 1000 == 0)
			mkdir(path, 0755);
		snprintf(path, sizeof(path), "%s/%ld/%ld", directory, i / 1000,
			 i % 1000);
		fd = open(path, O_WRONLY | O_CREAT, 0644);
		if (fd < 0 || write(fd, bytes, size) != (ssize_t)size)
			err(1, "%s", path);
		close(fd);
	}
	free(bytes);
}

static double now_us(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)now.tv_sec * 1e6 + (double)now.tv_nsec / 1e3;
}

static int compare(const void *left, const void *right)
{
	const float *a = left, *b = right;

	return (*a > *b) - (*a < *b);
}

static void delay(const char *directory, double seconds)
{
	float *times = malloc(MOST * sizeof(*times));
	double end = now_us() + seconds * 1e6;
	char path[256];
	size_t count = 0;

	snprintf(path, sizeof(path), "%s/created", directory);
	while (times && count < MOST && now_us() < end) {
		double start = now_us();
		int fd = open(path, O_WRONLY | O_CREAT | O_EXCL, 0644);

		times[count++] = (float)(now_us() - start);
		if (fd < 0)
			err(1, "%s", path);
		close(fd);
		unlink(path);
	}
	if (!count)
		errx(1, "nothing was made");
	qsort(times, count, sizeof(*times), compare);
	printf("%zu %.0f %.0f %.0f %.0f\n", count, times[count / 2],
	       times[count - 1 - count / 100], times[count - 1 - count / 1000],
	       times[count - 1]);
	free(times);
}

int main(int argc, char **argv)
{
	if (argc == 4 && strcmp(argv[1], "fill") == 0)
		fill(argv[2], atol(argv[3]), (size_t)sysconf(_SC_PAGESIZE));
	else if (argc == 4 && strcmp(argv[1], "empty") == 0)
		fill(argv[2], atol(argv[3]), 0);
	else if (argc == 4 && strcmp(argv[1], "delay") == 0)
		delay(argv[2], atof(argv[3]));
	else
		return 2;
	return 0;
}
