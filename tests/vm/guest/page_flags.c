// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * page_flags DEVICE COMMAND [ARGUMENT...]: whether the command changes a flag of
 * a cached page of the device, as /proc/kpageflags has them, or makes one go.
 * Prints how many pages it saw, how many changed, and which flags of the first
 * of them. Pages that were read in part only are not looked at. Exit status 0:
 * none changed; 1: one did; 2: something else failed, the command too.
 */
#include <err.h>
#include <fcntl.h>
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define FRAME ((1ULL << 55) - 1) /* the bits of pagemap that are a number */
#define CHURN 256 /* pages: more than a processor's lists for the LRU take */
#define SHOWN 10

struct pages {
	uint64_t *frames;
	uint64_t *before;
	size_t count;
};

static int open_or_die(const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);

	if (fd < 0)
		err(2, "%s", path);
	return fd;
}

static uint64_t word(int fd, uint64_t index)
{
	uint64_t value;

	if (pread(fd, &value, sizeof(value), (off_t)(index * sizeof(value))) !=
	    sizeof(value))
		err(2, "pread");
	return value;
}

/* Finds the frames of what is cached, through a mapping that is gone again. */
static void find_pages(struct pages *pages, const char *device)
{
	const size_t page = (size_t)sysconf(_SC_PAGESIZE);
	int fd = open_or_die(device), pagemap;
	size_t size = (size_t)lseek(fd, 0, SEEK_END);
	unsigned char *resident = malloc(size / page + 1);
	unsigned char *start = mmap(NULL, size, PROT_READ, MAP_SHARED, fd, 0);

	pages->frames = calloc(size / page + 1, sizeof(uint64_t));
	pages->before = calloc(size / page + 1, sizeof(uint64_t));
	pagemap = open_or_die("/proc/self/pagemap");
	if (start == MAP_FAILED || !resident || !pages->frames ||
	    !pages->before || madvise(start, size, MADV_RANDOM) < 0 ||
	    mincore(start, size, resident) < 0)
		err(2, "%s", device);
	for (size_t i = 0; i < size / page; i++) {
		uint64_t frame;

		if (!(resident[i] & 1))
			continue;
		*(volatile unsigned char *)(start + i * page);
		frame = word(pagemap, (uintptr_t)start / page + i) & FRAME;
		if (frame)
			pages->frames[pages->count++] = frame;
	}
	munmap(start, size);
	close(pagemap);
	close(fd);
	free(resident);
}

/*
 * Each processor puts pages on the LRU some at a time, and that changes their
 * flags. Other pages push out what is there.
 */
static void push_out(void)
{
	static char bytes[65536];
	int fd = memfd_create("churn", MFD_CLOEXEC);

	for (int cpu = 0; cpu < CPU_SETSIZE; cpu++) {
		const size_t size =
			CHURN * (size_t)sysconf(_SC_PAGESIZE) / sizeof(bytes);
		cpu_set_t set;

		CPU_ZERO(&set);
		CPU_SET(cpu, &set);
		if (sched_setaffinity(0, sizeof(set), &set) < 0)
			continue;
		if (ftruncate(fd, 0) < 0)
			err(2, "ftruncate");
		for (int turn = 0; turn < 4; turn++) {
			for (size_t i = 0; i < size; i++) {
				const off_t at = (off_t)(i * sizeof(bytes));
				ssize_t done = turn ? pread(fd, bytes,
							    sizeof(bytes), at) :
						      pwrite(fd, bytes,
							     sizeof(bytes), at);

				if (done != sizeof(bytes))
					err(2, "a file in memory");
			}
		}
	}
	close(fd);
}

/* Reads all flags. Returns how many pages do not have those of before. */
static size_t compare(const struct pages *pages, uint64_t *flags, int shown)
{
	int fd = open_or_die("/proc/kpageflags");
	size_t changed = 0;

	for (size_t i = 0; i < pages->count; i++) {
		flags[i] = word(fd, pages->frames[i]);
		if (flags[i] == pages->before[i])
			continue;
		if (changed++ < (size_t)shown)
			printf("frame %llx: %llx, before %llx\n",
			       (unsigned long long)pages->frames[i],
			       (unsigned long long)flags[i],
			       (unsigned long long)pages->before[i]);
	}
	close(fd);
	return changed;
}

static void settle(const struct pages *pages)
{
	const struct timespec moment = { .tv_nsec = 200000000 };

	for (int i = 0; i < 50; i++) {
		push_out();
		nanosleep(&moment, NULL);
		if (compare(pages, pages->before, 0) == 0)
			return;
	}
	errx(2, "the flags do not settle");
}

static void run(char **command)
{
	int status;
	pid_t child = fork();

	if (child == 0) {
		execvp(*command, command);
		err(127, "%s", *command);
	}
	if (child < 0 || waitpid(child, &status, 0) != child || status != 0)
		errx(2, "%s failed", *command);
}

int main(int argc, char **argv)
{
	struct pages pages = { 0 };
	size_t changed;
	uint64_t *after;

	if (argc < 3)
		errx(2, "usage: page_flags DEVICE COMMAND [ARGUMENT...]");
	find_pages(&pages, argv[1]);
	after = calloc(pages.count + 1, sizeof(*after));
	if (!pages.count || !after)
		errx(2, "%s: no page is cached", argv[1]);
	settle(&pages);
	run(argv + 2);
	changed = compare(&pages, after, SHOWN);
	printf("%zu pages, of which %zu changed\n", pages.count, changed);
	return changed != 0;
}
