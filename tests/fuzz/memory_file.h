/* SPDX-License-Identifier: GPL-2.0-or-later */
/* An input as a file, for code that only reads files. */
#ifndef BUFSTAT_TESTS_MEMORY_FILE_H
#define BUFSTAT_TESTS_MEMORY_FILE_H

#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

#include "fuzz.h"

struct memory_file {
	int fd; /* the caller closes it */
	char path[64];
};

static inline struct memory_file memory_file(const void *data, size_t size)
{
	struct memory_file file = { .fd = memfd_create("input", MFD_CLOEXEC) };

	fuzz_require(file.fd >= 0);
	fuzz_require(write(file.fd, data, size) == (ssize_t)size);
	snprintf(file.path, sizeof(file.path), "/proc/self/fd/%d", file.fd);
	return file;
}

#endif
