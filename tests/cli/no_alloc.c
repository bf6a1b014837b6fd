// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Preloaded into the recorder: once a process has locked its memory, it may not
 * allocate any more. It aborts if it does, after writing to the file that
 * ALLOCATED names. Its children may.
 */
#include <dlfcn.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

/* glibc's allocation functions, by the names that a replacement calls. */
void *__libc_malloc(size_t size);
void *__libc_calloc(size_t count, size_t size);
void *__libc_realloc(void *memory, size_t size);

static pid_t locked; /* 0: this process has not locked its memory yet */

static void say(const char *what, size_t size)
{
	const char *path = getenv("ALLOCATED");
	int fd = path ? open(path, O_WRONLY | O_CREAT | O_APPEND, 0644) : -1;

	if (fd < 0)
		return;
	(void)!write(fd, what, size);
	close(fd);
}

int mlockall(int flags)
{
	int (*next)(int) = (int (*)(int))dlsym(RTLD_NEXT, "mlockall");
	int ret = next(flags);

	locked = getpid();
	say("locked\n", 7);
	return ret;
}

static void check(void)
{
	if (!locked || getpid() != locked)
		return;
	locked = 0;
	say("allocated\n", 10);
	abort();
}

void *malloc(size_t size)
{
	check();
	return __libc_malloc(size);
}

void *calloc(size_t count, size_t size)
{
	check();
	return __libc_calloc(count, size);
}

void *realloc(void *memory, size_t size)
{
	check();
	return __libc_realloc(memory, size);
}
