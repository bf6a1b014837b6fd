// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Preloaded into the tool by tests/faults/run. Marks, with a call that strace
 * shows, where the dynamic linker is done and the program begins. With
 * FAIL_ALLOCATION=N the Nth allocation after that fails; with
 * COUNT_ALLOCATIONS=FILE their number is written there at the end.
 */
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

/* glibc's own, for those who replace them. */
void *__libc_malloc(size_t size);
void *__libc_calloc(size_t count, size_t size);
void *__libc_realloc(void *memory, size_t size);

static bool started;
static unsigned long allocations, failing;

__attribute__((constructor)) static void begin(void)
{
	const char *number = getenv("FAIL_ALLOCATION");

	failing = number ? strtoul(number, NULL, 10) : 0;
	started = true;
	/* What tests/faults/run looks for in the trace. */
	lseek(-4242, 0, SEEK_SET);
}

__attribute__((destructor)) static void end(void)
{
	const char *path = getenv("COUNT_ALLOCATIONS");
	FILE *file;

	started = false;
	file = path ? fopen(path, "w") : NULL;
	if (!file)
		return;
	fprintf(file, "%lu\n", allocations);
	fclose(file);
}

static bool fails(void)
{
	if (!started || ++allocations != failing)
		return false;
	errno = ENOMEM;
	return true;
}

void *malloc(size_t size)
{
	return fails() ? NULL : __libc_malloc(size);
}

void *calloc(size_t count, size_t size)
{
	return fails() ? NULL : __libc_calloc(count, size);
}

void *realloc(void *memory, size_t size)
{
	return fails() ? NULL : __libc_realloc(memory, size);
}
