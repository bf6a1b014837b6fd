// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * shared KIND PAGES [COUNT]: makes COUNT objects of PAGES pages, prints a line
 * and holds them until it is killed. KIND is
 *	memfd, sysv, mapping		shared memory
 *	swapped				the same, then sent to swap
 *	swap-cached			private memory in swap and in memory
 *	secret				memfd_secret(2)
 *	deleted=PATH			a file that is then deleted
 *	mapped=PATH, locked=PATH	an existing file, mapped or mlocked
 * Exit status 77: this kernel has no such memory.
 */
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ipc.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/shm.h>
#include <sys/syscall.h>
#include <unistd.h>

#ifndef SYS_memfd_secret
#define SYS_memfd_secret 447
#endif

static size_t page; /* bytes */

static void fill(void *memory, size_t pages)
{
	if (memory == MAP_FAILED)
		exit(1);
	for (size_t i = 0; i < pages; i++)
		((char *)memory)[i * page] = 1;
}

static void *make_memfd(size_t pages)
{
	int fd = memfd_create("bufstat-test", 0);
	void *memory;

	if (fd < 0 || ftruncate(fd, (off_t)(pages * page)) < 0)
		exit(1);
	memory = mmap(NULL, pages * page, PROT_READ | PROT_WRITE, MAP_SHARED,
		      fd, 0);
	fill(memory, pages);
	return memory;
}

static void make_swapped(size_t pages)
{
	if (madvise(make_memfd(pages), pages * page, MADV_PAGEOUT) < 0)
		exit(77);
}

/* Pages that are read again after they were swapped out stay in swap too. */
static void make_swap_cached(size_t pages)
{
	char *memory = mmap(NULL, pages * page, PROT_READ | PROT_WRITE,
			    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	fill(memory, pages);
	if (madvise(memory, pages * page, MADV_PAGEOUT) < 0)
		exit(77);
	for (size_t i = 0; i < pages; i++)
		(void)*(volatile char *)(memory + i * page);
}

static void make_sysv(size_t pages)
{
	int id = shmget(IPC_PRIVATE, pages * page, IPC_CREAT | 0600);
	void *memory = shmat(id, NULL, 0);

	shmctl(id, IPC_RMID, NULL);
	fill(memory, pages);
}

static void make_mapping(size_t pages)
{
	fill(mmap(NULL, pages * page, PROT_READ | PROT_WRITE,
		  MAP_SHARED | MAP_ANONYMOUS, -1, 0),
	     pages);
}

/*
 * One block of each page: ext4 begins to write once what is dirty would take
 * half of the free blocks.
 */
static void make_deleted(const char *path, size_t pages)
{
	int fd = open(path, O_RDWR | O_CREAT | O_TRUNC, 0600);

	if (fd < 0 || ftruncate(fd, (off_t)(pages * page)) < 0)
		exit(1);
	while (pages--) {
		if (pwrite(fd, "", 1, (off_t)(pages * page)) != 1)
			exit(1);
	}
	unlink(path);
}

static void make_secret(size_t pages, bool keep)
{
	const struct rlimit most = { RLIM_INFINITY, RLIM_INFINITY };
	int fd = (int)syscall(SYS_memfd_secret, 0);

	if (fd < 0)
		exit(77);
	setrlimit(RLIMIT_MEMLOCK, &most);
	if (ftruncate(fd, (off_t)(pages * page)) < 0)
		exit(1);
	fill(mmap(NULL, pages * page, PROT_READ | PROT_WRITE, MAP_SHARED, fd,
		  0),
	     pages);
	if (!keep)
		close(fd);
}

static void make_mapped(const char *path, size_t pages, int flags)
{
	int fd = open(path, O_RDWR);
	char *memory =
		mmap(NULL, pages * page, PROT_READ, MAP_SHARED | flags, fd, 0);

	if (memory == MAP_FAILED)
		exit(1);
	for (size_t i = 0; i < pages; i++)
		(void)*(volatile char *)(memory + i * page);
}

static void make(const char *kind, size_t pages)
{
	if (strcmp(kind, "memfd") == 0)
		make_memfd(pages);
	else if (strcmp(kind, "swapped") == 0)
		make_swapped(pages);
	else if (strcmp(kind, "swap-cached") == 0)
		make_swap_cached(pages);
	else if (strcmp(kind, "sysv") == 0)
		make_sysv(pages);
	else if (strcmp(kind, "mapping") == 0)
		make_mapping(pages);
	else if (strcmp(kind, "secret") == 0)
		make_secret(pages, true);
	else if (strcmp(kind, "secret-mapped") == 0)
		make_secret(pages, false);
	else if (strncmp(kind, "deleted=", 8) == 0)
		make_deleted(kind + 8, pages);
	else if (strncmp(kind, "mapped=", 7) == 0)
		make_mapped(kind + 7, pages, 0);
	else if (strncmp(kind, "locked=", 7) == 0)
		make_mapped(kind + 7, pages, MAP_LOCKED);
	else
		exit(2);
}

int main(int argc, char **argv)
{
	const struct rlimit most = { 1 << 18, 1 << 18 };
	long count = argc > 3 ? atol(argv[3]) : 1;

	if (argc < 3)
		return 2;
	page = (size_t)sysconf(_SC_PAGESIZE);
	setrlimit(RLIMIT_NOFILE, &most);
	while (count--)
		make(argv[1], (size_t)atol(argv[2]));
	puts("ready");
	fflush(stdout);
	pause();
	return 0;
}
