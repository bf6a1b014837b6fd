// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * tests/faults/run preloads this into the tool. It makes a call that strace
 * shows when the dynamic linker is done and the program begins. With
 * FAIL_ALLOCATION=N the Nth allocation after that fails. With
 * COUNT_ALLOCATIONS=FILE it writes there which program or library wanted that
 * one, and at the end their number instead. With
 * FAIL_SYSCALL=NUMBER and FAIL_TIME=N the Nth syscall(2) of that number fails
 * with EPERM, for calls that strace does not know yet.
 */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* glibc's allocation functions, by the names that a replacement calls. */
void *__libc_malloc(size_t size);
void *__libc_calloc(size_t count, size_t size);
void *__libc_realloc(void *memory, size_t size);

static bool started;
static unsigned long allocations, failing;
static unsigned long calls, failing_call, failing_time;
static long (*next_syscall)(long number, ...);

static unsigned long number_of(const char *variable)
{
	const char *number = getenv(variable);

	return number ? strtoul(number, NULL, 10) : 0;
}

__attribute__((constructor)) static void begin(void)
{
	failing = number_of("FAIL_ALLOCATION");
	failing_call = number_of("FAIL_SYSCALL");
	failing_time = number_of("FAIL_TIME");
	*(void **)&next_syscall = dlsym(RTLD_NEXT, "syscall");
	started = true;
	/* tests/faults/run looks for this call in the trace. */
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

static void tell_who(const void *caller)
{
	const char *path = getenv("COUNT_ALLOCATIONS");
	Dl_info info = { 0 };
	int fd;

	if (!path || !dladdr(caller, &info))
		return;
	fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	if (fd < 0)
		return;
	if (write(fd, info.dli_fname, strlen(info.dli_fname)) < 0)
		abort();
	close(fd);
}

static bool fails(const void *caller)
{
	if (!started || ++allocations != failing)
		return false;
	tell_who(caller);
	errno = ENOMEM;
	return true;
}

long syscall(long number, ...)
{
	long words[6];
	va_list arguments;

	va_start(arguments, number);
	for (int i = 0; i < 6; i++)
		words[i] = va_arg(arguments, long);
	va_end(arguments);
	if (failing_time && number == (long)failing_call &&
	    ++calls == failing_time) {
		errno = EPERM;
		return -1;
	}
	return next_syscall(number, words[0], words[1], words[2], words[3],
			    words[4], words[5]);
}

void *malloc(size_t size)
{
	return fails(__builtin_return_address(0)) ? NULL : __libc_malloc(size);
}

void *calloc(size_t count, size_t size)
{
	return fails(__builtin_return_address(0)) ? NULL :
						    __libc_calloc(count, size);
}

void *realloc(void *memory, size_t size)
{
	return fails(__builtin_return_address(0)) ?
		       NULL :
		       __libc_realloc(memory, size);
}
