// SPDX-License-Identifier: GPL-2.0-or-later
#include "faults.h"

#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define CONTROL "/proc/thread-self/fail-nth"
#define MOST 100000 /* no call has so many points of failure */

static int control = -1;

void faults_open(void)
{
	control = open(CONTROL, O_RDWR | O_CLOEXEC);
	if (control < 0 && errno == ENOENT) {
		puts("no fault injection in this kernel");
		exit(FAULTS_SKIPPED);
	}
	if (control < 0)
		err(1, CONTROL);
}

void faults_set(unsigned int nth)
{
	char text[16];
	int size = snprintf(text, sizeof(text), "%u", nth);
	ssize_t done;

	/* A pending fault may hit this very write; then it is used up. */
	do
		done = pwrite(control, text, (size_t)size, 0);
	while (done < 0 && errno == EFAULT);
	if (done != size)
		err(1, CONTROL);
}

bool faults_happened(void)
{
	char text[16];
	ssize_t got = pread(control, text, sizeof(text) - 1, 0);

	/* The fault may have hit this very read. */
	if (got < 0)
		return true;
	text[got] = '\0';
	faults_set(0);
	return strtoul(text, NULL, 10) == 0;
}

bool faults_explain(int error)
{
	return error == ENOMEM || error == EFAULT;
}

bool faults_fail_opening(const char *path, unsigned int nth)
{
	bool fault;
	int fd, error;

	faults_set(nth);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	error = errno;
	fault = faults_happened();
	if (fd >= 0)
		close(fd);
	else if (!faults_explain(error))
		errx(1, "%s: fault %u: %s", path, nth, strerror(error));
	return fault;
}

void faults_all(const char *what, const char *path,
		bool (*fails)(const char *path, unsigned int nth),
		void (*check)(const char *path))
{
	unsigned int nth = 1;

	for (; fails(path, nth); nth++) {
		if (nth == MOST)
			errx(1, "%s: no end of faults", what);
		if (check)
			check(path);
	}
	printf("%s: %u faults\n", what, nth - 1);
	if (nth == 1)
		errx(1, "%s: nothing failed", what);
}
