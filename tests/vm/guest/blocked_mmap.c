// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * blocked_mmap FILE: writes to a mapped page of the file, which waits if the
 * filesystem is frozen. Meanwhile another thread changes the address space,
 * which waits for the first. Whoever reads /proc/PID/maps waits for both, as
 * bufstat does of a process that has a descriptor of perf.
 */
#include <err.h>
#include <fcntl.h>
#include <linux/perf_event.h>
#include <pthread.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

static size_t page; /* bytes */

static void *change(void *unused)
{
	void *memory;

	sleep(1);
	memory =
		mmap(NULL, page, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (memory == MAP_FAILED)
		err(1, "mmap");
	munmap(memory, page);
	return unused;
}

int main(int argc, char **argv)
{
	int fd = argc == 2 ? open(argv[1], O_RDWR) : -1;
	char *memory = MAP_FAILED;
	struct perf_event_attr event = {
		.type = PERF_TYPE_SOFTWARE,
		.size = sizeof(event),
		.config = PERF_COUNT_SW_DUMMY,
	};
	pthread_t thread;

	/* Not every kernel has perf. */
	syscall(SYS_perf_event_open, &event, 0, -1, -1, 0UL);
	page = (size_t)sysconf(_SC_PAGESIZE);
	if (fd >= 0)
		memory = mmap(NULL, page, PROT_READ | PROT_WRITE, MAP_SHARED,
			      fd, 0);
	if (memory == MAP_FAILED ||
	    pthread_create(&thread, NULL, change, memory) != 0)
		err(1, "mapping");
	*memory = 1;
	pthread_join(thread, NULL);
	return 0;
}
