// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * time_reads PAIRS FILE-A FILE-B: measures how long it takes to open, read and
 * close each of two files, in turn, PAIRS times. Prints both medians in
 * nanoseconds.
 */
#include <err.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

static long long now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * 1000000000LL + now.tv_nsec;
}

static long long time_ns(const char *path)
{
	static char buffer[65536];
	long long start = now_ns();
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t got;

	if (fd < 0)
		err(1, "%s", path);
	while ((got = read(fd, buffer, sizeof(buffer))) > 0)
		;
	if (got < 0)
		err(1, "%s", path);
	close(fd);
	return now_ns() - start;
}

static int compare(const void *a, const void *b)
{
	long long x = *(const long long *)a, y = *(const long long *)b;

	return (x > y) - (x < y);
}

static long long median(long long *times, size_t count)
{
	qsort(times, count, sizeof(*times), compare);
	return times[count / 2];
}

int main(int argc, char **argv)
{
	size_t pairs = argc == 4 ? (size_t)atol(argv[1]) : 0;
	long long *a = calloc(pairs + 1, sizeof(*a));
	long long *b = calloc(pairs + 1, sizeof(*b));

	if (!pairs || !a || !b)
		errx(1, "usage: time_reads PAIRS FILE-A FILE-B");
	for (size_t i = 0; i < pairs; i++) {
		a[i] = time_ns(argv[2]);
		b[i] = time_ns(argv[3]);
	}
	printf("%lld %lld\n", median(a, pairs), median(b, pairs));
	return 0;
}
